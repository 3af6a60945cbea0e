// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loops: counts requests to disks, and declares that it needs the kernel module loop, which is
 * loaded and in use where the tests run: for tests of status, privileges and cost.
 */
#include "aggregate.bpf.h"

ESTAT_MODULE(loops, 0);
ESTAT_NEEDS("loop", "/sys/{no_such_folder,block}/loop*");

struct key {
	char command[16];
};

struct value {
	estat_count_t requests ESTAT_FIELD(17, "Number of requests");
};

ESTAT_SERIES(loops, 0, struct key, struct value, 16, "Requests issued");

SEC("tp_btf/block_rq_issue")
int loops_issue(__u64 *ctx)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	v = loops_get(&key);
	if (v)
		estat_add(v->requests, 1);
	return 0;
}
