/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a walk tells of the oldest operation under way of a key, beside the key: estat_told() in
 * walk.bpf.h says whether and where. A module that tells declares ESTAT_TELLS.
 */
#ifndef ESTAT_BPF_TOLD_H
#define ESTAT_BPF_TOLD_H

#include "cgroup_types.bpf.h"
#include "inflight.bpf.h"

/* The agent exports estat.SERIES.oldest_op. */
#define ESTAT_TELLS const volatile __u8 estat_tells = 1

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___told {
	int tgid;
	char comm[16];
	struct task_struct___told *group_leader; /* the process' first thread */
	struct css_set *cgroups;
};

#pragma clang attribute pop

#define TOLD_DEPTH  8 /* folders of a cgroup's path; those above them are omitted */
#define TOLD_FOLDER 96

/* Scratch, because a walk has one writer. `path` has room for a folder after its end. */
struct {
	__u64 folders[TOLD_DEPTH];
	char path[sizeof(((struct estat_told *)0)->cgroup) + TOLD_FOLDER];
} estat_tell;

/* Not inline: clang would move the offset of a member that this kernel lacks out of loops. */
static __noinline __u64 tell_parent(__u64 node)
{
	return (__u64)cgroup_parent((struct kernfs_node *)node);
}

static __always_inline __u32 tell_folder(__u64 folder, __u32 end)
{
	long n;

	if (end >= sizeof(estat_tell.path) - TOLD_FOLDER)
		return end;
	estat_tell.path[end++] = '/';
	n = bpf_probe_read_kernel_str(estat_tell.path + end, TOLD_FOLDER - 1,
				      BPF_CORE_READ((struct kernfs_node *)folder, name));
	return n > 0 ? end + n - 1 : end;
}

/* Tell the path of a cgroup, by its kernfs_node. */
__noinline int estat_tell_cgroup(__u64 node)
{
	struct estat_told *t = estat_told();
	__u32 depth = 0, end = 0;

	for (int i = 0; i < TOLD_DEPTH && node; i++) {
		__u64 parent = tell_parent(node);

		if (!parent)
			break;
		estat_tell.folders[estat_masked(i, TOLD_DEPTH - 1)] = node;
		depth = i + 1;
		node = parent;
	}
	estat_tell.path[0] = '/';
	estat_tell.path[1] = 0;
	for (__u32 i = 0; i < TOLD_DEPTH && i < depth; i++)
		end = tell_folder(estat_tell.folders[estat_masked(depth - 1 - i, TOLD_DEPTH - 1)],
				  end);
	if (t && node)
		bpf_probe_read_kernel_str(t->cgroup, sizeof(t->cgroup), estat_tell.path);
	return 0;
}

/* Tell a thread's process and its cgroup, of version 2. */
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

/* TELL of walks of estat_calls */
#define estat_tell_call(key, call) estat_tell_task((call)->ret)

#endif /* ESTAT_BPF_TOLD_H */
