// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knock: a synthetic collector, whose counts a test decides: it counts the threads that
 * build/qa/knock has end. The cases knock_CASE are files that can replace each other, so
 * all have the module's name knock.
 */
#include "aggregate.bpf.h"

ESTAT_MODULE(knock, 0);

struct knock_key {
	__u32 door;
};

struct knock_value {
	estat_count_t knocks ESTAT_FIELD(17, "Number of threads that ended");
#if defined(CASE_more)
	estat_count_t more ESTAT_FIELD(18, "Nothing: with this counter, counts begin anew");
#endif
};

ESTAT_SERIES(knock, 0, struct knock_key, struct knock_value, 64,
	     "Threads with the name knock-DOOR");

#if defined(CASE_lacks)
SEC("tp_btf/estat_no_such_tracepoint")
int knock_tracepoint(__u64 *ctx)
{
	return 0;
}
#elif defined(CASE_needs)
/* A kernel module without a folder in /sys/module counts as loaded while it is in use. */
ESTAT_NEEDS("estat_no_such_module", "/run/estat-knock");
#elif defined(CASE_built_in)
/* tmpfs is built in, has no folder in /sys/module, and no file matches. */
ESTAT_NEEDS("tmpfs", "");
#endif

SEC("tp_btf/sched_process_exit")
int knock_exit(__u64 *ctx)
{
	struct knock_key key = {};
	struct knock_value *v;
	char name[16] = {};

	bpf_get_current_comm(name, sizeof(name));
	if (*(__u32 *)name != *(const __u32 *)"knoc" || name[5] != '-')
		return 0;
	key.door = name[6] - '0';
	v = knock_get(&key);
	if (v)
		estat_add(v->knocks, 1);
	return 0;
}
