/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File systems such as NFS, Btrfs and tmpfs have device numbers of no disk, with the major 0. The
 * name of such a file system is mostly the mounted source. When a file system is unmounted, another
 * one can get its number. So a module that notes these names calls estat_name_gone() at
 * shrink_dcache_for_umount, which runs when the last mount of a file system is gone. (The caller of
 * shrink_dcache_for_umount, generic_shutdown_super, cannot be probed: compilers inline it.)
 */
#ifndef ESTAT_MODULES_VFS_MOUNTED_H
#define ESTAT_MODULES_VFS_MOUNTED_H

#include <linux/magic.h>

#include "name.bpf.h"
#include "types.bpf.h"

/* from include/linux/kdev_t.h */
#define MAJOR(dev) ((dev) >> 20)

/* Since Linux 6.18: the search for a file system's oldest mount looks at this many at most. */
#define MOUNTS 256

/*
 * The oldest of a file system's mounts that are left; NULL: none is left. Before Linux 6.18 a new
 * mount goes to the tail of the list, so the first is the oldest. Since 6.18 a new mount goes to
 * the head (mnt_add_instance() in fs/namespace.c), so the last is the oldest.
 */
static __always_inline struct mount *oldest_mount(struct super_block *sb)
{
	struct super_block___newest *newer = (void *)sb;
	struct mount *mount, *older;
	void *first;

	if (bpf_core_field_exists(struct mount, mnt_instance)) {
		first = BPF_CORE_READ(sb, s_mounts.next);
		if (first == __builtin_preserve_access_index(&sb->s_mounts))
			return NULL;
		return first - bpf_core_field_offset(struct mount, mnt_instance);
	}
	mount = BPF_CORE_READ(newer, s_mounts);
	for (int i = 0; i < MOUNTS && mount; i++) {
		older = BPF_CORE_READ(mount, mnt_next_for_sb);
		if (!older)
			break;
		mount = older;
	}
	return mount;
}

/*
 * The mounted source, as given to mount(8) for the oldest of the mounts that are left, such as
 * SERVER:PATH. NULL: the file system is not mounted.
 */
static __always_inline const char *mounted_source(struct super_block *sb)
{
	struct mount *mount = oldest_mount(sb);

	return mount ? BPF_CORE_READ(mount, mnt_devname) : NULL;
}

/*
 * The name of a file system whose device number has the major 0: the mounted source, except for
 * Btrfs, whose first mount has the source "none" (seen on 6.12). The name of Btrfs is s_id, the
 * name, without /dev/, of the disk that /proc/self/mountinfo shows (btrfs_show_devname in
 * fs/btrfs/super.c). NULL for file systems without writeback, such as tmpfs and overlayfs, because
 * only numbers tell these apart.
 */
static __noinline __attribute__((unused)) const char *mounted_name(struct super_block *sb)
{
	if (BPF_CORE_READ(sb, s_magic) == BTRFS_SUPER_MAGIC)
		return (const char *)__builtin_preserve_access_index(&sb->s_id);
	if (BPF_CORE_READ(sb, s_bdi, capabilities) & BDI_CAP_WRITEBACK)
		return mounted_source(sb);
	return NULL;
}

/*
 * If device number `dev` has the major 0, store the name of its file system. A stored name that is
 * not empty stays until estat_name_gone(), because a file system that is being unmounted has no
 * mounted source any more. The function is inline, because the verifier adds up the stack of nested
 * calls.
 */
static __always_inline void estat_name_mounted(estat_dev_t dev, struct super_block *sb)
{
	__u64 id = dev;
	struct estat_name *known = bpf_map_lookup_elem(&estat_names, &id);

	if (!MAJOR(dev) && (!known || known->gone || !known->text[0]))
		estat_name(dev, mounted_name(sb));
}

#endif /* ESTAT_MODULES_VFS_MOUNTED_H */
