/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ids of ZFS's vdevs, and their names.
 */
#ifndef ESTAT_MODULES_ZFS_VDEV_H
#define ESTAT_MODULES_ZFS_VDEV_H

#include "zfs.bpf.h"

/* A vdev's id, another one each time that its pool is imported; of a pool with that id. */
static __always_inline __u64 vdev_id(struct vdev *vd, __u64 pool, bool typed)
{
	return ESTAT_READ(vd, vdev_guid) ^ pool;
}

/* A vdev is known by its path; one that has none by its type and number, as in `zpool status`. */
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

/* What had this vdev's id is no more. */
static __always_inline void vdev_gone(struct vdev *vd, struct spa *spa, bool typed)
{
	estat_name_gone(vdev_id(vd, pool_id(spa, typed), typed));
}

/*
 * A vdev goes. While a pool is being loaded it does not: those that the pool was
 * found with make way for those of its own configuration, which are the same ones
 * (spa_ld_trusted_config).
 */
ESTAT_ENTRY(zfs_vdev_free, vdev_free, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];
	struct spa *spa = ESTAT_READ(vd, vdev_spa);
	spa_load_state_t state = ESTAT_READ(spa, spa_load_state);

	if (state == bpf_core_enum_value(spa_load_state_t, SPA_LOAD_NONE) ||
	    state == bpf_core_enum_value(spa_load_state_t, SPA_LOAD_ERROR))
		vdev_gone(vd, spa, typed);
	return 0;
}

/*
 * The last disk of a mirror takes its place. If that is a top-level vdev it takes its guid, too:
 * it has another id from here on.
 */
ESTAT_ENTRY(zfs_vdev_remove_parent, vdev_remove_parent, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];
	struct vdev *parent = ESTAT_READ(vd, vdev_parent);

	if (ESTAT_READ(parent, vdev_top) == parent)
		vdev_gone(vd, ESTAT_READ(vd, vdev_spa), typed);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_VDEV_H */
