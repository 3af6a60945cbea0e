/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and names of pools, for the ZFS modules. */
#ifndef ESTAT_MODULES_ZFS_ZFS_H
#define ESTAT_MODULES_ZFS_ZFS_H

#include "aggregate.bpf.h"
#include "name.bpf.h"
#include "probe.bpf.h"
#include "types.bpf.h"

/*
 * A file of this pattern exists while a dataset is mounted, the block device of a volume exists or
 * another kernel module depends on zfs.ko. Then zfs.ko is in use, so it does no harm that fentry
 * keeps zfs.ko loaded.
 */
#define ESTAT_NEEDS_ZFS ESTAT_NEEDS("zfs", "/sys/{class/bdi/zfs-*,block/zd*,module/zfs/holders/*}")

/*
 * A pool's kstat txgs has a line for each of the latest txgs. The pattern matches the lines of
 * synced txgs that had dirty bytes: for these txgs ZFS has allocated and written blocks.
 */
#define ESTAT_EVIDENCE_DIRTY_TXGS \
	ESTAT_EVIDENCE("/proc/spl/kstat/zfs/*/txgs", "^[0-9]+ +[0-9]+ +C +[1-9]")

/* A pool's id, new at each import. The guid stays, but an import can rename the pool. */
static __always_inline __u64 pool_id(struct spa *spa, bool typed)
{
	return ESTAT_READ(spa, spa_load_guid);
}

/* Is `spa` the temporary pool that spa_tryimport makes? The name of that pool begins with $. */
static __always_inline bool is_tried(struct spa *spa)
{
	char first = 0;

	bpf_probe_read_kernel(&first, sizeof(first),
			      __builtin_preserve_access_index(&spa->spa_name));
	return first == '$';
}

static __always_inline void name_pool(__u64 id, struct spa *spa)
{
	estat_name(id, (const char *)__builtin_preserve_access_index(&spa->spa_name));
}

/*
 * A pool is exported or destroyed; its import, opening or creation has failed; spa_tryimport ends;
 * ZFS loads the pool again, with a new id; or zfs.ko is unloaded. Have the agent remove the keys of
 * the pool's id. The keys are not needed any more, because all I/O with this id has ended.
 */
ESTAT_ENTRY(zfs_spa_deactivate, spa_deactivate, 1)
{
	estat_name_gone(pool_id((struct spa *)call->arg[0], typed));
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_ZFS_H */
