// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names: pools whose names are hard to parse in instance names. A loop disk is divided into blocks
 * of 77 sectors; no other test reads or writes such blocks. Block B, counted from 0, belongs to
 * pool number N, which is B % 5 + 1. An I/O of the block counts as N microseconds or, if B / 5 is
 * odd, as 10 * N microseconds.
 */
#include "block/types.bpf.h"
#include "aggregate.bpf.h"

ESTAT_MODULE(names, 0);

struct request___names {
	unsigned long long __sector;
} __attribute__((preserve_access_index));

#define LOOP_MAJOR 7 /* include/uapi/linux/major.h */

#define BLOCK      77
#define POOLS      5

enum op {
	op_read,
	op_write,
};

struct names_key {
	char pool[16];
	enum op op;
};

ESTAT_SERIES(names, 0, struct names_key, struct estat_io, 64, "A block of a pool");

static const char pools[POOLS][16] = { "dm-0", "boot-pool", "a::b", "my pool", "Größe-1/2" };

SEC("tp_btf/block_rq_complete")
int names_request(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct request___names *at = (struct request___names *)rq;
	struct names_key key = {};
	__u32 bytes = ctx[2], pool;
	struct estat_io *v;
	__u64 block, us;

	key.op = BPF_CORE_READ(rq, cmd_flags) & 0xff;
	if (bytes != BLOCK * 512 || key.op > op_write ||
	    BPF_CORE_READ(rq, q, disk, major) != LOOP_MAJOR)
		return 0;
	block = BPF_CORE_READ(at, __sector) / BLOCK;
	pool = block % POOLS;
	/* keep the compiler from dropping the comparison with POOLS, which the verifier wants */
	asm volatile("" : "+r"(pool));
	if (pool >= POOLS)
		return 0;
	us = pool + 1;
	if (block / POOLS % 2)
		us *= 10;
	__builtin_memcpy(key.pool, pools[pool], sizeof(key.pool));
	v = names_get(&key);
	if (v)
		estat_count_io(v, us * 1000, bytes, false);
	return 0;
}
