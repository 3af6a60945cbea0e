// SPDX-License-Identifier: GPL-2.0-or-later
/* lifetime: how long threads live, by the command's name, which any user can choose. */
#include "aggregate.bpf.h"

ESTAT_MODULE(lifetime, 0);

struct task_struct {
	__u64 start_time;
} __attribute__((preserve_access_index));

struct lifetime_key {
	char command[16];
};

ESTAT_SERIES(lifetime, 0, struct lifetime_key, struct estat_latency, 1024,
	     "From a thread's start to its end");

SEC("tp_btf/sched_process_exit")
int lifetime_ends(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct lifetime_key key = {};

	bpf_get_current_comm(key.command, sizeof(key.command));
	estat_count_latency(lifetime_get(&key), bpf_ktime_get_ns() - task->start_time);
	return 0;
}
