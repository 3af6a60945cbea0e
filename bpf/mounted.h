/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of file systems that have no disk, and so a device number that was made up, of major 0:
 * what is mounted. Who notes them lets go of them in shrink_dcache_for_umount, which is called as
 * one is unmounted, for then another one can get its number: generic_shutdown_super does so, but
 * compilers have that in its callers.
 */
#ifndef ESTAT_MOUNTED_H
#define ESTAT_MOUNTED_H

#include "name.h"
#include "types/vfs.h"

/* As include/linux/kdev_t.h has it. */
#define MAJOR(dev) ((dev) >> 20)

/* What one of its mounts is of; NULL if it has none, as while the first is being made. */
static __always_inline const char *mounted_source(struct super_block *sb)
{
	struct mount *mount = NULL;

	if (bpf_core_field_exists(mount->mnt_instance)) {
		void *head = __builtin_preserve_access_index(&sb->s_mounts);
		void *first = BPF_CORE_READ(sb, s_mounts.next);

		if (first == head)
			return NULL;
		mount = first - bpf_core_field_offset(struct mount, mnt_instance);
	} else {
		mount = BPF_CORE_READ((struct super_block___first *)sb, s_mounts);
	}
	return BPF_CORE_READ(mount, mnt_devname);
}

/*
 * Note what is called by the number of a device, if no disk has it: what is mounted, or if that is
 * a disk, or a mount of btrfs's own ("none", in 6.12), by the disk's name. Of tmpfs and overlayfs
 * only the number tells one from the others.
 */
static __noinline __attribute__((unused)) int estat_name_mounted(estat_dev_t dev,
								 struct super_block *sb)
{
	const char *text;
	char first[6] = {};

	if (MAJOR(dev))
		return 0;
	if (!(BPF_CORE_READ(sb, s_bdi, capabilities) & BDI_CAP_WRITEBACK))
		return estat_name(dev, NULL);
	text = mounted_source(sb);
	if (text)
		bpf_probe_read_kernel_str(first, sizeof(first), text);
	if (!text || estat_same(first, "/dev/", 5, 1) || estat_same(first, "none", 5, 1))
		text = (const char *)__builtin_preserve_access_index(&sb->s_id);
	return estat_name(dev, text);
}

#endif /* ESTAT_MOUNTED_H */
