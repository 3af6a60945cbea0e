// SPDX-License-Identifier: GPL-2.0-or-later
/* A module whose value has a member that does not say what it is. */
#include "aggregate.bpf.h"

ESTAT_MODULE(fail_value, 0);

struct key {
	__u32 number;
};

struct value {
	__u64 ops;
};

ESTAT_SERIES(fail_value, 0, struct key, struct value, 4, "Events");

SEC("tp_btf/block_rq_issue")
int fail_value_issue(__u64 *ctx)
{
	struct key key = {};
	struct value *v = fail_value_get(&key);

	if (v)
		estat_add(v->ops, 1);
	return 0;
}
