/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups: their ids, and their paths, which are noted with a key's first slot, as other names
 * are (name.bpf.h). An axis that is one has the type estat_cgroup_t:
 *
 *	key.cgroup = cgroup_id(css);
 *	v = NAME_find(&key);
 *	if (!v) {
 *		estat_name_cgroup((__u64)css);
 *		v = NAME_insert(&key);
 *	}
 *
 * On a host with cgroup v1 it is the path in the hierarchy of the controller whose css that is.
 */
#ifndef ESTAT_BPF_CGROUP_H
#define ESTAT_BPF_CGROUP_H

#include "cgroup_types.bpf.h"
#include "name.bpf.h"

/* How deep a path is at most whose beginning is not left out. */
#define CGROUP_DEPTH 32

/* Of a path that is longer the end is left out. */
#define CGROUP_PATH 1024

/*
 * A path being put together, in memory of this CPU. The last part of the text is what the
 * verifier thinks may be written.
 */
struct cgroup_path {
	__u32 busy; /* it may be interrupted, by who wants to do the same */
	__u32 end, depth;
	struct kernfs_node *folders[CGROUP_DEPTH];
	char text[CGROUP_PATH + 1 + ESTAT_TEXT_LEN];
	struct estat_name name;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cgroup_path);
} cgroup_paths SEC(".maps");

static __always_inline struct kernfs_node *cgroup_parent(struct kernfs_node *kn)
{
	if (bpf_core_field_exists(kn->parent))
		return BPF_CORE_READ(kn, parent);
	return BPF_CORE_READ((struct kernfs_node___parent *)kn, __parent);
}

/* The folders that a cgroup is in, from the last to the first; the root has no name. */
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

/* The whole path or, since it is the end that tells cgroups apart, that. */
static __always_inline void cgroup_cut(struct cgroup_path *path)
{
	__u32 end = path->end, from = 0;

	if (end > ESTAT_TEXT_LEN - 1)
		from = end - (ESTAT_TEXT_LEN - 1);
	if (from > CGROUP_PATH)
		from = CGROUP_PATH;
	path->text[end <= CGROUP_PATH + ESTAT_TEXT_LEN ? end : 0] = 0;
	bpf_probe_read_kernel_str(path->name.text, ESTAT_TEXT_LEN, path->text + from);
}

/*
 * Note under its id the path of the cgroup of a css, an address. It is not static, so that it is
 * verified alone and not with all that comes before a call.
 */
__noinline int estat_name_cgroup(__u64 css)
{
	struct cgroup_subsys_state *state = (struct cgroup_subsys_state *)css;
	struct kernfs_node *kn = BPF_CORE_READ(state, cgroup, kn);
	__u64 id = BPF_CORE_READ(kn, id);
	__u32 only = 0;
	struct cgroup_path *path = bpf_map_lookup_elem(&cgroup_paths, &only);

	/* who finds no name lets go of the key, so it is tried again */
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

/* A cgroup has been removed. */
SEC("tp_btf/cgroup_rmdir")
int cgroup_gone(__u64 *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx[0];

	estat_name_gone(cgroup->kn->id);
	return 0;
}

#endif /* ESTAT_BPF_CGROUP_H */
