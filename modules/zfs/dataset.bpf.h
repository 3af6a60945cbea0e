/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and names of mounted datasets. */
#ifndef ESTAT_MODULES_ZFS_DATASET_H
#define ESTAT_MODULES_ZFS_DATASET_H

#include "thread.bpf.h"
#include "zfs.bpf.h"

/*
 * The most components in a dataset's name, by the default of zfs_max_dataset_nesting
 * (module/zcommon/zfs_namecheck.c).
 */
#define DATASET_DEPTH 50

/*
 * A buffer to build a name in. No name reaches the second half of `text`, but the verifier assumes
 * that writes can reach the second half. `end` and `depth` are in this value of a map and not on
 * the stack, because the verifier tracks values on the stack, but not in maps: on the stack it
 * would check the loops again for each value of `end` and `depth`.
 */
struct dataset_name {
	__u32 gone;
	char text[2 * ESTAT_TEXT_LEN + 1];
	__u32 end, depth;
	struct dsl_dir *dirs[DATASET_DEPTH];
};

_Static_assert(__builtin_offsetof(struct dataset_name, text) ==
		       __builtin_offsetof(struct estat_name, text),
	       "a dataset_name begins as an estat_name");

ESTAT_PER_THREAD(dataset_names, struct dataset_name);

/*
 * A mounted dataset's id. Each mount gives the dataset a new id, because a dataset can be renamed
 * between mounts. Only a snapshot, which has no kstat, gets the same id at each mount, until the
 * pool is imported anew.
 */
static __always_inline __u64 dataset_id(struct zfsvfs *zfsvfs)
{
	struct kstat_s *kstat = BPF_CORE_READ(zfsvfs, z_kstat.dk_kstats);
	struct objset *os = BPF_CORE_READ(zfsvfs, z_os);

	return pool_id(BPF_CORE_READ(os, os_spa), false) ^
	       (kstat ? BPF_CORE_READ(kstat, ks_kid)
		      : BPF_CORE_READ(os, os_dsl_dataset, ds_fsid_guid));
}

/* Append `separator`, unless it is 0, and the string at the kernel's address `text` to the name. */
static __always_inline void dataset_add(struct dataset_name *name, char separator, const char *text)
{
	__u32 end = name->end;
	long n;

	if (end >= ESTAT_TEXT_LEN)
		return;
	if (separator)
		name->text[end++] = separator;
	n = bpf_probe_read_kernel_str(name->text + end, ESTAT_TEXT_LEN, text);
	if (n > 0)
		name->end = end + n - 1;
}

/*
 * Give `id` the name of the dataset whose zfsvfs is at `mounted`, built as by dsl_dataset_name() of
 * ZFS. The function is not static, so the verifier checks the function once, not at each call.
 */
__noinline int estat_name_dataset(__u64 id, __u64 mounted)
{
	struct zfsvfs *zfsvfs = (struct zfsvfs *)mounted;
	struct dsl_dataset *ds = BPF_CORE_READ(zfsvfs, z_os, os_dsl_dataset);
	struct dsl_dir *dir = BPF_CORE_READ(ds, ds_dir);
	struct dataset_name *name = dataset_names_try();

	if (!name)
		return 0;
	name->text[0] = 0;
	name->end = 0;
	name->depth = 0;
	for (__u32 i = 0; i < DATASET_DEPTH && dir; i++) {
		name->dirs[i] = dir;
		name->depth = i + 1;
		dir = BPF_CORE_READ(dir, dd_parent);
	}
	for (__u32 i = 0; i < DATASET_DEPTH; i++) {
		__u32 up = name->depth - 1 - i;

		if (up >= DATASET_DEPTH)
			break;
		dataset_add(name, i ? '/' : 0, name->dirs[up]->dd_myname);
	}
	if (BPF_CORE_READ(zfsvfs, z_issnap))
		dataset_add(name, '@', ds->ds_snapname);
	name->text[ESTAT_TEXT_LEN - 1] = 0;
	estat_name_as(id, name);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_DATASET_H */
