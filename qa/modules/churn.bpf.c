// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn: a request of 103 sectors adds 10,000 names, a request of 101 sectors removes
 * all names. No other test makes such requests.
 */
#include "aggregate.bpf.h"
#include "block/types.bpf.h"
#include "name.bpf.h"

ESTAT_MODULE(churn, 0);

#define NAMES 10000

struct churn_key {
	estat_name_t name;
};

ESTAT_SERIES(churn, 0, struct churn_key, struct estat_io, NAMES, "One operation of each name");

__u64 came, went; /* how many names, ever */

static const char text[] = "pool/home/user";

static long come(__u64 i, void *unused)
{
	struct churn_key key = { .name = came++ };
	struct estat_io *io;

	estat_name_numbered(key.name, text, key.name);
	io = churn_get(&key);
	if (io)
		estat_count_io(io, 1000 * i, 4096, 0);
	return 0;
}

static long go(__u64 i, void *unused)
{
	estat_name_gone(went++);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int churn_request(__u64 *ctx)
{
	__u32 bytes = ctx[2];

	if (bytes == 103 * 512)
		bpf_loop(NAMES, come, NULL, 0);
	else if (bytes == 101 * 512)
		bpf_loop(came - went, go, NULL, 0);
	return 0;
}
