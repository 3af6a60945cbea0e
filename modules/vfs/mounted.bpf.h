/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of file systems that have no disk, and so a device number that was made up, of major 0:
 * what is mounted. Who notes them lets go of them in shrink_dcache_for_umount, which is called as
 * one is unmounted, for then another one can get its number: generic_shutdown_super does so, but
 * compilers have that in its callers.
 */
#ifndef ESTAT_MODULES_VFS_MOUNTED_H
#define ESTAT_MODULES_VFS_MOUNTED_H

#include <linux/magic.h>

#include "name.bpf.h"
#include "types.bpf.h"

/* As include/linux/kdev_t.h has it. */
#define MAJOR(dev) ((dev) >> 20)

/* How many of its mounts to go through for the oldest. */
#define MOUNTS 256

/*
 * The oldest of its mounts that are left, NULL if there is none: before Linux 6.18 the first, a new
 * one goes to the tail; since then the last, it goes to the head (mnt_add_instance() in
 * fs/namespace.c).
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
 * What it was mounted from, as mount(8) was told it by the oldest of its mounts that are left:
 * SERVER:PATH, or whatever it is with this file system; NULL if it is not mounted.
 */
static __always_inline const char *mounted_source(struct super_block *sb)
{
	struct mount *mount = oldest_mount(sb);

	return mount ? BPF_CORE_READ(mount, mnt_devname) : NULL;
}

/*
 * Note what is called by the number of a device, if no disk has it: what is mounted. The first
 * mount of Btrfs is from "none" (seen on 6.12), but its superblock is called as its disk, which is
 * what /proc/self/mountinfo has as well (btrfs_show_devname in fs/btrfs/super.c). Of tmpfs and
 * overlayfs only the number tells one from the others. What is being unmounted is called what it
 * was.
 */
static __noinline __attribute__((unused)) int estat_name_mounted(estat_dev_t dev,
								 struct super_block *sb)
{
	__u64 id = dev;
	struct estat_name *known = bpf_map_lookup_elem(&estat_names, &id);
	const char *text = NULL;

	if (MAJOR(dev) || (known && !known->gone && known->text[0]))
		return 0;
	if (BPF_CORE_READ(sb, s_magic) == BTRFS_SUPER_MAGIC)
		text = (const char *)__builtin_preserve_access_index(&sb->s_id);
	else if (BPF_CORE_READ(sb, s_bdi, capabilities) & BDI_CAP_WRITEBACK)
		text = mounted_source(sb);
	return estat_name(dev, text);
}

#endif /* ESTAT_MODULES_VFS_MOUNTED_H */
