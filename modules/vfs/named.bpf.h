/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the axis fs (types of file systems) and the axis device (mounted sources). A name is
 * dropped when the file system is unmounted, or its type is unregistered.
 */
#ifndef ESTAT_MODULES_VFS_NAMED_H
#define ESTAT_MODULES_VFS_NAMED_H

/*
 * How many names the map has room for, at least; the agent makes more room for many keys. BPF
 * programs note names in interrupts, too, so the memory of all names must be allocated at load. The
 * kernel does so if the map's flags are 0.
 */
#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS 0

#include "mounted.bpf.h"

static __always_inline void name_place(struct super_block *sb, __u64 fs, __u32 device)
{
	estat_name(fs, BPF_CORE_READ(sb, s_type, name));
	estat_name_mounted(device, sb);
}

/*
 * A file system is unmounted. If its device number has a name, have the agent remove the keys with
 * this number, because another file system can get the number.
 */
SEC("fentry/shrink_dcache_for_umount")
int named_unmounted(__u64 *ctx)
{
	estat_name_gone(((struct super_block *)ctx[0])->s_dev);
	return 0;
}

SEC("fentry/unregister_filesystem")
int named_unregistered(__u64 *ctx)
{
	estat_name_gone(estat_id((const void *)ctx[0]));
	return 0;
}

#endif /* ESTAT_MODULES_VFS_NAMED_H */
