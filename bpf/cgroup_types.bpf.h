/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's types of cgroups, with only the members that modules read. */
#ifndef ESTAT_BPF_CGROUP_TYPES_H
#define ESTAT_BPF_CGROUP_TYPES_H

#include "declare.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/kernfs.h */
struct kernfs_node {
	struct kernfs_node *parent; /* NULL: this node is the root */
	const char *name;
	__u64 id; /* of a folder of cgroupfs: the cgroup's id */
};

struct kernfs_node___parent {
	struct kernfs_node *__parent; /* since Linux 6.15 */
};

/* declared in include/linux/cgroup-defs.h */
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	__u32 flags;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* a task's cgroup in the cgroup v2 hierarchy */
};

/* declared in block/blk-cgroup.h */
struct blkcg {
	struct cgroup_subsys_state css;
};

struct blkcg_gq {
	struct blkcg *blkcg;
};

#pragma clang attribute pop

/* Bit of css.flags: the css is being removed (include/linux/cgroup-defs.h). */
#define CSS_DYING (1 << 4)

static __always_inline struct kernfs_node *cgroup_parent(struct kernfs_node *kn)
{
	if (bpf_core_field_exists(kn->parent))
		return BPF_CORE_READ(kn, parent);
	return BPF_CORE_READ((struct kernfs_node___parent *)kn, __parent);
}

#endif /* ESTAT_BPF_CGROUP_TYPES_H */
