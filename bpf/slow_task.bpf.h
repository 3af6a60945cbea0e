/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU on which a slow operation ended, and the operation's process, in members 6 to 9 of a
 * struct `slow`. These members stand after members 1 to 5:
 *
 *	ESTAT_SLOW_TASK;
 *
 *	estat_slow_task(ESTAT_SLOW_TASK_OF(e), bpf_get_current_task());
 */
#ifndef ESTAT_BPF_SLOW_TASK_H
#define ESTAT_BPF_SLOW_TASK_H

#include "slow.bpf.h"
#include "told.bpf.h"

#define ESTAT_SLOW_TASK                                                                           \
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the operation ended");                     \
	__u32 pid ESTAT_PARAMETER(                                                                \
		7, "The process that did the operation, in the first PID namespace; 0: unknown"); \
	char command[16] ESTAT_PARAMETER(8, "The name of the process that did the operation");    \
	char cgroup[ESTAT_PATH_LEN] ESTAT_PARAMETER(                                              \
		9, "The path of the cgroup (version 2) of the process that did the operation")

struct estat_slow_task {
	ESTAT_SLOW_TASK;
};

#define ESTAT_SLOW_TASK_OF(e) ((struct estat_slow_task *)&(e)->cpu)

/*
 * Fill in *by: this CPU, and of the process of the thread at address `task` the PID, the name and
 * the cgroup's path. If `task` is 0, the thread is not known: the PID is 0, and the name and the
 * path are "".
 */
__noinline int estat_slow_task(struct estat_slow_task *by, __u64 task)
{
	struct task_struct___told *thread = (struct task_struct___told *)task;

	if (!by)
		return 0;
	by->cpu = bpf_get_smp_processor_id();
	by->pid = task ? BPF_CORE_READ(thread, tgid) : 0;
	by->command[0] = 0;
	by->cgroup[0] = 0;
	if (!task)
		return 0;
	bpf_probe_read_kernel_str(by->command, sizeof(by->command),
				  BPF_CORE_READ(thread, group_leader)->comm);
	return estat_cgroup_path((struct estat_path *)by->cgroup,
				 (__u64)BPF_CORE_READ(thread, cgroups, dfl_cgrp, kn));
}

#endif /* ESTAT_BPF_SLOW_TASK_H */
