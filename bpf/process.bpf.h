/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command of a process, for an axis: the name of the process's first thread. */
#ifndef ESTAT_BPF_PROCESS_H
#define ESTAT_BPF_PROCESS_H

#include "declare.bpf.h"

#define ESTAT_COMMAND_LEN 16 /* TASK_COMM_LEN of include/linux/sched.h */

/* declared in include/linux/sched.h */
struct task_struct___process {
	struct task_struct___process *group_leader; /* the process's first thread */
	char comm[ESTAT_COMMAND_LEN];
} __attribute__((preserve_access_index));

/* Copy the command of the current task's process. */
static __always_inline __attribute__((unused)) void estat_command(char command[ESTAT_COMMAND_LEN])
{
	struct task_struct___process *task = (void *)bpf_get_current_task_btf();

	bpf_probe_read_kernel_str(command, ESTAT_COMMAND_LEN, task->group_leader->comm);
}

/* Copy the command of the process of `task`, the address of any task. */
static __always_inline __attribute__((unused)) void
estat_command_of(char command[ESTAT_COMMAND_LEN], const void *task)
{
	const struct task_struct___process *t = task;

	bpf_probe_read_kernel_str(command, ESTAT_COMMAND_LEN, BPF_CORE_READ(t, group_leader)->comm);
}

#endif /* ESTAT_BPF_PROCESS_H */
