/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ZFS modules share: the ids of pools, and their names.
 */
#ifndef ESTAT_MODULES_ZFS_ZFS_H
#define ESTAT_MODULES_ZFS_ZFS_H

#include "name.bpf.h"
#include "probe.bpf.h"
#include "types.bpf.h"

/*
 * What keeps ZFS from being unloaded: a file system that is mounted, a volume,
 * or a kernel module that builds on it, as Lustre's. A pool alone does not.
 */
#define ESTAT_NEEDS_ZFS ESTAT_NEEDS("zfs", "/sys/{class/bdi/zfs-*,block/zd*,module/zfs/holders/*}")

/* Txgs with dirty data are synced: blocks are allocated, and written. */
#define ESTAT_EVIDENCE_DIRTY_TXGS \
	ESTAT_EVIDENCE("/proc/spl/kstat/zfs/*/txgs", "^[0-9]+ +[0-9]+ +C +[1-9]")

/* A pool's id, another one each time that it is imported, so that its name can change. */
static __always_inline __u64 pool_id(struct spa *spa, bool typed)
{
	return ESTAT_READ(spa, spa_load_guid);
}

/*
 * Does ZFS just look whether a pool can be imported (spa_tryimport)? Then its name begins with a
 * dollar, and what it reads is no pool's I/O.
 */
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

/* A pool goes, after its last I/O: exported, destroyed, or not imported after all. */
ESTAT_ENTRY(zfs_spa_deactivate, spa_deactivate, 1)
{
	estat_name_gone(pool_id((struct spa *)call->arg[0], typed));
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_ZFS_H */
