/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path of a cgroup, for a record of one operation. cgroup.bpf.h has cgroups as an axis. */
#ifndef ESTAT_BPF_CGROUP_PATH_H
#define ESTAT_BPF_CGROUP_PATH_H

#include "cgroup_types.bpf.h"

#define ESTAT_PATH_DEPTH  8 /* the most folders of a path; a deeper path loses its first folders */
#define ESTAT_PATH_FOLDER 96
#define ESTAT_PATH_LEN    256

/*
 * No folder is appended to a path of ESTAT_PATH_LEN - ESTAT_PATH_FOLDER or more characters, so a
 * long path loses its last folders. Of a folder's name at most ESTAT_PATH_FOLDER - 2 characters are
 * appended.
 */
struct estat_path {
	char text[ESTAT_PATH_LEN];
};

/*
 * The address of a kernfs_node's parent, from the one of two members that this kernel has. The
 * function is not inline: otherwise clang computes the missing member's offset before the caller's
 * loop, so before the check that the member exists, and the verifier refuses the BPF program.
 */
static __noinline __u64 path_parent(__u64 node)
{
	return (__u64)cgroup_parent((struct kernfs_node *)node);
}

static __always_inline __u32 path_add(struct estat_path *path, __u64 folder, __u32 end)
{
	long n;

	if (!folder || end >= ESTAT_PATH_LEN - ESTAT_PATH_FOLDER)
		return end;
	path->text[end++] = '/';
	n = bpf_probe_read_kernel_str(path->text + end, ESTAT_PATH_FOLDER - 1,
				      BPF_CORE_READ((struct kernfs_node *)folder, name));
	return n > 0 ? end + n - 1 : end;
}

/* Set *path to the path of the cgroup with the kernfs_node at address `node`; "" if `node` is 0. */
__noinline int estat_cgroup_path(struct estat_path *path, __u64 node)
{
	__u64 folders[ESTAT_PATH_DEPTH] = {};
	__u32 end = 0;

	if (!path)
		return 0;
	path->text[0] = node ? '/' : 0;
	path->text[1] = 0;
#pragma unroll
	for (int i = 0; i < ESTAT_PATH_DEPTH; i++) {
		__u64 parent = node ? path_parent(node) : 0;

		folders[i] = parent ? node : 0; /* the root has no name */
		node = parent;
	}
#pragma unroll
	for (int i = ESTAT_PATH_DEPTH - 1; i >= 0; i--)
		end = path_add(path, folders[i], end);
	return 0;
}

#endif /* ESTAT_BPF_CGROUP_PATH_H */
