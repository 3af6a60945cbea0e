// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * partial: each run of estat_walk says that it has left out operations, and each issued request
 * counts as a missed event.
 */
#include "aggregate.bpf.h"
#include "inflight.bpf.h"

ESTAT_MODULE(partial, 0);

struct key {
	estat_dev_t disk;
};

struct value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(partial, 0, struct key, struct value, 64, "Nothing");
ESTAT_FOUND(partial, struct key)

SEC("tp_btf/block_rq_issue")
int partial_begins(__u64 *ctx)
{
	estat_count_missed();
	return 0;
}

static __always_inline int look(__u64 walk)
{
	struct key key = { 1 << 20 };

	return partial_found(&key, walk - 2000000000, walk) | ESTAT_WALK_END | ESTAT_WALK_PARTIAL;
}

ESTAT_WALK_BY((void)0, look(walk));
