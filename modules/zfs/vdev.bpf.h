/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and names of vdevs. */
#ifndef ESTAT_MODULES_ZFS_VDEV_H
#define ESTAT_MODULES_ZFS_VDEV_H

#include "zfs.bpf.h"

/* A vdev's id, made of its guid and of the pool's id `pool`, which is new at each import. */
static __always_inline __u64 vdev_id(struct vdev *vd, __u64 pool, bool typed)
{
	return ESTAT_READ(vd, vdev_guid) ^ pool;
}

/* Name a vdev by its path; without a path by type and number, as in `zpool status`. */
static __always_inline void name_vdev(__u64 id, struct vdev *vd)
{
	const char *path = BPF_CORE_READ(vd, vdev_path);
	struct vdev_ops *ops = BPF_CORE_READ(vd, vdev_ops);

	if (path)
		estat_name(id, path);
	else
		estat_name_numbered(
			id, (const char *)__builtin_preserve_access_index(&ops->vdev_op_type),
			BPF_CORE_READ(vd, vdev_id));
}

/* The vdev leaves the pool: tell the agent to drop the name of the vdev's id. */
static __always_inline void vdev_drop_name(struct vdev *vd, struct spa *spa, bool typed)
{
	estat_name_gone(vdev_id(vd, pool_id(spa, typed), typed));
}

/*
 * ZFS frees a vdev: drop the vdev's name, except while ZFS loads the pool. ZFS then replaces the
 * vdev by a vdev with the same id (spa_ld_trusted_config).
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
 * The last disk of a mirror replaces the mirror. If the mirror is a top-level vdev, the disk
 * gets the mirror's guid, so the disk's id changes.
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
