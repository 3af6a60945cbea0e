/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids and names of the NFS server's exports. The name is the path, and the id is a hash of the
 * name. A map keeps the id by the address of the svc_export until the kernel frees the export.
 */
#ifndef ESTAT_MODULES_NFS_EXPORT_H
#define ESTAT_MODULES_NFS_EXPORT_H

#include "name.bpf.h"
#include "probe.bpf.h"
#include "thread.bpf.h"
#include "types.bpf.h"

/*
 * How many components and mount points of a path export_walk() passes, at most. The name of a path
 * with more lacks the first components.
 */
#define EXPORT_DEPTH 32

/*
 * A buffer to build a path in. The second half of `text` is for a component that begins in the
 * first half and ends after it; the name does not use the second half. `end` and `depth` are in the
 * map, because the verifier does not track values in maps. So the verifier checks a loop's body
 * once, and not once for each value of `end` or `depth`.
 */
struct export_name {
	__u32 gone;
	union {
		char text[2 * ESTAT_TEXT_LEN + 1];
		__u32 words[ESTAT_TEXT_LEN / sizeof(__u32)];
	};
	__u32 end, depth;
	__u64 id;
	struct dentry *dentries[EXPORT_DEPTH];
};

_Static_assert(__builtin_offsetof(struct export_name, text) ==
		       __builtin_offsetof(struct estat_name, text),
	       "an export_name begins as an estat_name");

ESTAT_PER_THREAD(export_names, struct export_name);

/* The ids of exports, by the address of the svc_export. */
ESTAT_HASH_MAP(exports, LRU_HASH, __u64, __u64, 1024);

/*
 * Collect the dentries of the export's path, the last component first, up to the root of the mount
 * namespace. At the root of each mount the path goes on at the mount's mount point.
 */
static __always_inline void export_walk(struct export_name *name, struct svc_export *export)
{
	struct dentry *dentry = BPF_CORE_READ(export, ex_path.dentry);
	struct vfsmount *mnt = BPF_CORE_READ(export, ex_path.mnt);
	struct mount *mount, *parent;

	for (__u32 i = 0; i < EXPORT_DEPTH; i++) {
		__u32 depth = name->depth;

		if (dentry != BPF_CORE_READ(mnt, mnt_root)) {
			if (depth >= EXPORT_DEPTH)
				break;
			name->dentries[depth] = dentry;
			name->depth = depth + 1;
			dentry = BPF_CORE_READ(dentry, d_parent);
			continue;
		}
		mount = (void *)mnt - bpf_core_field_offset(struct mount, mnt);
		parent = BPF_CORE_READ(mount, mnt_parent);
		if (parent == mount)
			break;
		dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		mnt = (void *)parent + bpf_core_field_offset(struct mount, mnt);
	}
}

static __always_inline void export_add(struct export_name *name, struct dentry *dentry)
{
	__u32 end = name->end;
	long n;

	if (end >= ESTAT_TEXT_LEN)
		return;
	name->text[end++] = '/';
	n = bpf_probe_read_kernel_str(name->text + end, ESTAT_TEXT_LEN,
				      BPF_CORE_READ(dentry, d_name.name));
	if (n > 0)
		name->end = end + n - 1;
}

/*
 * Compute the id of the svc_export at `at`, name the id, and put it into `exports`. The function is
 * not static, so the verifier checks the function once, and not again at each call.
 */
__noinline int estat_name_export(__u64 at)
{
	struct export_name *name = export_names_try();

	if (!name)
		return 0;
	for (__u32 i = 0; i < ESTAT_TEXT_LEN / sizeof(__u32); i++)
		name->words[i] = 0;
	name->end = name->depth = 0;
	export_walk(name, (struct svc_export *)at);
	for (__u32 i = 0; i < EXPORT_DEPTH; i++) {
		__u32 up = name->depth - 1 - i;

		if (up >= EXPORT_DEPTH)
			break;
		export_add(name, name->dentries[up]);
	}
	if (!name->end)
		name->text[0] = '/';
	name->text[ESTAT_TEXT_LEN - 1] = 0;
	name->id = ESTAT_NAME_HASH;
	for (__u32 i = 0; i < ESTAT_TEXT_LEN / sizeof(__u32); i++)
		name->id = estat_name_hash(name->id, name->words[i]);
	estat_name_as(name->id, name);
	bpf_map_update_elem(&exports, &at, &name->id, BPF_ANY);
	return 0;
}

/* An export's id; 0: the id is not in `exports`, and estat_name_export() failed. */
static __always_inline __u64 export_id(struct svc_export *export)
{
	__u64 at = estat_id(export), *id = bpf_map_lookup_elem(&exports, &at);

	if (!id) {
		estat_name_export(at);
		id = bpf_map_lookup_elem(&exports, &at);
	}
	return id ? *id : 0;
}

/* The kernel frees an export: forget the export's id, because the address can be used again. */
ESTAT_ENTRY(export_ends, svc_export_put, 1)
{
	__u64 at = call->arg[0] - bpf_core_field_offset(struct svc_export, h.ref);

	bpf_map_delete_elem(&exports, &at);
	return 0;
}

#endif /* ESTAT_MODULES_NFS_EXPORT_H */
