// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn: a request of 103 sectors adds names until the number of names that are not removed is the
 * next multiple of 10,000, or until no slot is free; a request of 101 sectors removes all names. No
 * other test makes requests of these sizes.
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

__u64 came, went; /* how many names were added and removed, ever */
__u64 goal;       /* the value of `came` at which come() stops */

static const char text[] = "pool/home/user";

static long come(__u64 i, void *unused)
{
	struct churn_key key = { .name = came };
	struct estat_io *io;

	if (came == goal)
		return 1;
	estat_name_numbered(key.name, text, key.name);
	if (churn_take(&key) < 0)
		return 1;
	io = churn_find(&key);
	if (io)
		estat_count_io(io, 1000 * ((came - went) % NAMES), 4096, 0);
	came++;
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

	goal = went + ((came - went) / NAMES + 1) * NAMES;
	if (bytes == 103 * 512)
		bpf_loop(NAMES, come, NULL, 0);
	else if (bytes == 101 * 512)
		bpf_loop(came - went, go, NULL, 0);
	return 0;
}
