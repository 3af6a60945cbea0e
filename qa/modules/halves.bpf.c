// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * halves: names with the value even or odd on the axis `half`, and a view of those with odd. A
 * request of 107 sectors adds eight new names, a request of 109 sectors removes all names; no other
 * test makes such requests. Names added after a removal get the slots of the removed names.
 */
#include "aggregate.bpf.h"
#include "block/types.bpf.h"
#include "name.bpf.h"

ESTAT_MODULE(halves, 0);

#define NAMES 8

enum half {
	half_even,
	half_odd,
};

struct halves_key {
	estat_name_t name;
	enum half half;
};

ESTAT_SERIES(halves, 0, struct halves_key, struct estat_io, NAMES, "One operation of each name");
ESTAT_VIEW(odd, 1, halves, "name if half=o*", "Those of one half");

__u64 came, went; /* how many names were added and removed, ever */

static const char text[] = "name";

static long come(__u64 i, void *unused)
{
	struct halves_key key = {};
	struct estat_io *io;

	key.name = came++;
	key.half = (i + came / (NAMES + 1)) % 2;
	estat_name_numbered(key.name, text, key.name);
	io = halves_get(&key);
	if (io)
		estat_count_io(io, 1000 * (i + 1), 4096, 0);
	return 0;
}

static long go(__u64 i, void *unused)
{
	estat_name_gone(went++);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int halves_request(__u64 *ctx)
{
	__u32 bytes = ctx[2];

	if (bytes == 107 * 512)
		bpf_loop(NAMES, come, NULL, 0);
	else if (bytes == 109 * 512)
		bpf_loop(came - went, go, NULL, 0);
	return 0;
}
