/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups as an axis: a key holds the cgroup's id, of type estat_cgroup_t or estat_charged_t, and
 * the cgroup's path is noted before the key gets a slot, as in name.bpf.h:
 *
 *	key.cgroup = css->cgroup->kn->id;
 *	v = ESTAT_GET_NAMED(NAME, &key, estat_name_cgroup((__u64)css));
 *
 * On a host with cgroup v1 the path is in the hierarchy of the css' controller.
 */
#ifndef ESTAT_BPF_CGROUP_H
#define ESTAT_BPF_CGROUP_H

#include "cgroup_types.bpf.h"
#include "name.bpf.h"

/* The most folders of a path. A deeper path loses its first folders. */
#define CGROUP_DEPTH 32

/*
 * A path gets no further folder once its text has CGROUP_PATH bytes, so a longer path loses its
 * end. Of the text, cgroup_cut() keeps the last ESTAT_TEXT_LEN - 1 bytes.
 */
#define CGROUP_PATH 1024

/*
 * This CPU's buffer to build a path. The last ESTAT_TEXT_LEN bytes of `text` are for a folder whose
 * name begins before CGROUP_PATH and ends after it.
 */
struct cgroup_path {
	/* 1: a BPF program uses the buffer, so another one that finds the 1 notes no name */
	__u32 busy;
	__u32 end, depth;
	struct kernfs_node *folders[CGROUP_DEPTH];
	char text[CGROUP_PATH + 1 + ESTAT_TEXT_LEN];
	struct estat_name name;
};

ESTAT_ARRAY_MAP(cgroup_paths, PERCPU_ARRAY, struct cgroup_path, 1);

/*
 * Store in path->folders the cgroup of `kn` and then the cgroups above it, without the root; at
 * most CGROUP_DEPTH folders.
 */
static __always_inline void cgroup_walk(struct cgroup_path *path, struct kernfs_node *kn)
{
	path->depth = 0;
	for (__u32 i = 0; i < CGROUP_DEPTH && kn; i++) {
		struct kernfs_node *parent = cgroup_parent(kn);

		if (!parent)
			break;
		path->folders[i] = kn;
		path->depth = i + 1;
		kn = parent;
	}
}

static __always_inline void cgroup_add(struct cgroup_path *path, struct kernfs_node *kn)
{
	__u32 end = path->end;
	long n;

	if (end >= CGROUP_PATH)
		return;
	path->text[end++] = '/';
	n = bpf_probe_read_kernel_str(path->text + end, ESTAT_TEXT_LEN, BPF_CORE_READ(kn, name));
	if (n > 0)
		path->end = end + n - 1;
}

/*
 * Copy path->text to path->name. If the text is too long for path->name, copy its end: cgroups'
 * paths often have the same beginning. `end` has 64 bits, because in the place of a 32-bit `end`
 * clang 22 compares a copy, and Linux 6.1's verifier then learns no bound of `end` itself.
 */
static __always_inline void cgroup_cut(struct cgroup_path *path)
{
	__u64 end = path->end, from = 0;

	barrier_var(end); /* otherwise the compiler checks a 32-bit copy of `end` */
	if (end > ESTAT_TEXT_LEN - 1)
		from = end - (ESTAT_TEXT_LEN - 1);
	if (from > CGROUP_PATH)
		from = CGROUP_PATH;
	path->text[end <= CGROUP_PATH + ESTAT_TEXT_LEN ? end : 0] = 0;
	bpf_probe_read_kernel_str(path->name.text, ESTAT_TEXT_LEN, path->text + from);
}

/*
 * Store the path of the cgroup of the css at address `css`, under the cgroup's id. The function is
 * not static, so the verifier checks the function once, and not again at each call.
 */
__noinline int estat_name_cgroup(__u64 css)
{
	struct cgroup_subsys_state *state = (struct cgroup_subsys_state *)css;
	struct kernfs_node *kn = BPF_CORE_READ(state, cgroup, kn);
	__u64 id = BPF_CORE_READ(kn, id);
	__u32 only = 0;
	struct cgroup_path *path = bpf_map_lookup_elem(&cgroup_paths, &only);

	/*
	 * note no name now: the agent will remove the key, because the id has no name; after that
	 * the cgroup's next I/O is that of a new key, and notes the name
	 */
	if (!path || !id || __sync_lock_test_and_set(&path->busy, 1))
		return 0;
	cgroup_walk(path, kn);
	path->end = 0;
	path->text[0] = '/';
	path->text[1] = 0;
	for (__u32 i = 0; i < CGROUP_DEPTH; i++) {
		__u32 up = path->depth - 1 - i;

		if (up >= CGROUP_DEPTH)
			break;
		cgroup_add(path, path->folders[up]);
	}
	if (!path->end)
		path->end = 1;
	cgroup_cut(path);
	path->name.gone = !!(BPF_CORE_READ(state, flags) & CSS_DYING);
	estat_name_as(id, &path->name);
	__sync_lock_test_and_set(&path->busy, 0);
	return 0;
}

/*
 * Does what estat_name_cgroup() does, for the struct cgroup at address `cgroup`, such as a task's
 * dfl_cgrp.
 */
static __always_inline __attribute__((unused)) int estat_name_cgroup_v2(__u64 cgroup)
{
	return estat_name_cgroup(cgroup + bpf_core_field_offset(struct cgroup, self));
}

SEC("tp_btf/cgroup_rmdir")
int cgroup_gone(__u64 *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx[0];

	estat_name_gone(cgroup->kn->id);
	return 0;
}

#endif /* ESTAT_BPF_CGROUP_H */
