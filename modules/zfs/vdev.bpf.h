/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and names of vdevs. */
#ifndef ESTAT_MODULES_ZFS_VDEV_H
#define ESTAT_MODULES_ZFS_VDEV_H

#include "zfs.bpf.h"

/* A vdev's id, from its guid and `pool`, the pool's id. Each import gives a pool a new id. */
static __always_inline __u64 vdev_id(struct vdev *vd, __u64 pool, bool typed)
{
	return ESTAT_READ(vd, vdev_guid) ^ pool;
}

/* Name a vdev that has no path, as `zpool status` does (zpool_vdev_name, libzfs_pool.c). */
static __noinline int name_group(__u64 id, struct vdev *vd)
{
	struct vdev_ops *ops = BPF_CORE_READ(vd, vdev_ops);
	const char *type = (const char *)__builtin_preserve_access_index(&ops->vdev_op_type);
	struct vdev_raidz *raidz = BPF_CORE_READ(vd, vdev_tsd);
	struct vdev_draid_config *draid = BPF_CORE_READ(vd, vdev_tsd);
	__u64 number = BPF_CORE_READ(vd, vdev_id);
	struct estat_name name = {};
	char kind[6] = {};

	bpf_probe_read_kernel(kind, sizeof(kind), type);
	if (estat_same(kind, "raidz", 6, 1))
		BPF_SNPRINTF(name.text, sizeof(name.text), "raidz%d-%llu",
			     BPF_CORE_READ(raidz, vd_nparity), number);
	else if (estat_same(kind, "draid", 6, 1))
		BPF_SNPRINTF(name.text, sizeof(name.text), "draid%llu:%llud:%lluc:%llus-%llu",
			     BPF_CORE_READ(draid, vdc_nparity), BPF_CORE_READ(draid, vdc_ndata),
			     BPF_CORE_READ(draid, vdc_children), BPF_CORE_READ(draid, vdc_nspares),
			     number);
	else
		BPF_SNPRINTF(name.text, sizeof(name.text), "%s-%llu", type, number);
	estat_name_as(id, &name);
	return 0;
}

/* Name a vdev by its path. A vdev without a path gets the name that `zpool status` shows. */
static __always_inline void name_vdev(__u64 id, struct vdev *vd)
{
	const char *path = BPF_CORE_READ(vd, vdev_path);

	if (path)
		estat_name(id, path);
	else
		name_group(id, vd);
}

/* A disk or file gets another path, as by `zpool set path=`: the path is the vdev's new name. */
ESTAT_ENTRY(zfs_vdev_renamed, spa_vdev_setpath, 3)
{
	struct spa *spa = (struct spa *)call->arg[0];
	__u64 id = call->arg[1] ^ pool_id(spa, typed);

	if (bpf_map_lookup_elem(&estat_names, &id))
		estat_name(id, (const char *)call->arg[2]);
	return 0;
}

/* Have the agent remove the keys with the vdev's id, and the id's name. */
static __always_inline void vdev_drop_name(struct vdev *vd, struct spa *spa, bool typed)
{
	estat_name_gone(vdev_id(vd, pool_id(spa, typed), typed));
}

/*
 * ZFS frees a vdev: remove the vdev's keys. But keep the keys while ZFS loads the pool, because
 * then ZFS replaces each vdev by a vdev with the same id (spa_ld_trusted_config).
 */
ESTAT_ENTRY(zfs_vdev_free, vdev_free, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];
	struct spa *spa = ESTAT_READ(vd, vdev_spa);
	spa_load_state_t state = ESTAT_READ(spa, spa_load_state);

	if (state == bpf_core_enum_value(spa_load_state_t, SPA_LOAD_NONE) ||
	    state == bpf_core_enum_value(spa_load_state_t, SPA_LOAD_ERROR))
		vdev_drop_name(vd, spa, typed);
	return 0;
}

/*
 * The last child of a mirror, or of a vdev of type replacing or spare, replaces this parent vdev.
 * If the parent is a top-level vdev, the child gets the parent's guid, so the child's id changes:
 * remove the keys with the child's old id.
 */
ESTAT_ENTRY(zfs_vdev_remove_parent, vdev_remove_parent, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];
	struct vdev *parent = ESTAT_READ(vd, vdev_parent);

	if (ESTAT_READ(parent, vdev_top) == parent)
		vdev_drop_name(vd, ESTAT_READ(vd, vdev_spa), typed);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_VDEV_H */
