/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Details of the oldest operation under way of a key, such as its process: struct estat_told of
 * abi.h. estat_told() in walk.bpf.h returns the struct that a walk is to fill in for an operation,
 * or NULL. A module that fills in details declares ESTAT_TELLS.
 */
#ifndef ESTAT_BPF_TOLD_H
#define ESTAT_BPF_TOLD_H

#include "cgroup_path.bpf.h"
#include "inflight.bpf.h"

/* Declares that the module's walks store details; the agent then exports estat.SERIES.oldest_op. */
#define ESTAT_TELLS const volatile __u8 estat_tells = 1

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___told {
	int tgid;
	char comm[16];
	struct task_struct___told *group_leader; /* the process' first thread */
	struct css_set *cgroups;
};

#pragma clang attribute pop

/*
 * The cgroup's path that estat_tell_cgroup() builds. One buffer is enough, because only one walk
 * runs at a time.
 */
struct estat_path estat_tell;

/*
 * Fill in estat_told()->cgroup: the path of the cgroup whose kernfs_node is at address `node`. The
 * function is inline, because BPF allows at most seven nested calls.
 */
static __always_inline int estat_tell_cgroup(__u64 node)
{
	struct estat_told *t = estat_told();

	estat_cgroup_path(&estat_tell, node);
	if (t && node)
		bpf_probe_read_kernel_str(t->cgroup, sizeof(t->cgroup), estat_tell.text);
	return 0;
}

/*
 * Fill in estat_told() for the thread at address `thread`: its process, and the path of its cgroup
 * (v2).
 */
__noinline int estat_tell_task(__u64 thread)
{
	struct task_struct___told *task = (struct task_struct___told *)thread;
	struct estat_told *t = estat_told();

	if (!t || !task)
		return 0;
	t->pid = BPF_CORE_READ(task, tgid);
	bpf_probe_read_kernel_str(t->command, sizeof(t->command),
				  BPF_CORE_READ(task, group_leader)->comm);
	return estat_tell_cgroup((__u64)BPF_CORE_READ(task, cgroups, dfl_cgrp, kn));
}

/* The argument TELL of ESTAT_WALK_HASH for a walk of estat_calls. */
#define estat_tell_call(key, call) estat_tell_task((call)->ret)

#endif /* ESTAT_BPF_TOLD_H */
