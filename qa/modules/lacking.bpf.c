// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that probes what no kernel has, and runs all the same: a function and a tracepoint that
 * are optional, and a function that has a newer alternative.
 */
#include "aggregate.bpf.h"
#include "probe.bpf.h"

ESTAT_MODULE(lacking, 0);

struct lacking_key {
	__u32 number;
};

struct lacking_value {
	estat_count_t ops ESTAT_HELP("Number of events");
};

ESTAT_SERIES(lacking, 0, struct lacking_key, struct lacking_value, 4, "Events, by a number");

static __always_inline int lacking_count(__u32 number)
{
	struct lacking_key key = { .number = number };
	struct lacking_value *v = lacking_get(&key);

	if (v)
		estat_add(v->ops, 1);
	return 0;
}

ESTAT_OPTIONAL("estat.lacking.calls", estat_no_such_function);
ESTAT_OPTIONAL("estat.lacking.events", __traceiter_estat_no_such_event);
ESTAT_OPTIONAL(ESTAT_REQUIRED, blk_mq_start_request, estat_no_such_old_function);

SEC("tp_btf/sched_process_exit")
int lacking_exit(__u64 *ctx)
{
	return lacking_count(0);
}

SEC("tp_btf/estat_no_such_event")
int lacking_event(__u64 *ctx)
{
	return lacking_count(3);
}

ESTAT_ENTRY(lacking_optional, estat_no_such_function, 1)
{
	return lacking_count(1);
}

ESTAT_ENTRY(lacking_old, estat_no_such_old_function, 1)
{
	return lacking_count(2);
}
