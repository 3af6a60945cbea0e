// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * room: notes a name for each block of 97 sectors of a disk; no other test reads or writes such
 * blocks. Blocks with a number below 2,000 all count at the key of block 1. So the names of the
 * other blocks below 2,000 belong to no key, like the names of keys that have gone.
 */
#include "aggregate.bpf.h"
#include "block/types.bpf.h"
#include "name.bpf.h"

ESTAT_MODULE(room, 0);

struct request___room {
	unsigned long long __sector;
} __attribute__((preserve_access_index));

#define BLOCK 97

struct room_key {
	estat_name_t block;
};

ESTAT_SERIES(room, 0, struct room_key, struct estat_io, 16, "One request of each block");

SEC("tp_btf/block_rq_complete")
int room_request(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct request___room *at = (struct request___room *)rq;
	__u64 block = BPF_CORE_READ(at, __sector) / BLOCK;
	struct room_key key = { .block = block < 2000 ? 1 : block };
	__u32 bytes = ctx[2];
	struct estat_io *v;

	if (bytes != BLOCK * 512)
		return 0;
	v = room_find(&key);
	if (!v || block < 2000)
		estat_name_numbered(block, "block", block);
	if (!v)
		v = room_insert(&key);
	if (v)
		room_count_io(v, &key, 1000, bytes, false);
	return 0;
}
