/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file system was mounted from.
 */
#ifndef ESTAT_MOUNT_H
#define ESTAT_MOUNT_H

#include "estat.h"
#include "types/vfs.h"

/*
 * As mount(8) was told it by the first of its mounts that is left: SERVER:PATH, or whatever it is
 * with this file system; NULL if it is not mounted.
 */
static __always_inline const char *mounted_from(struct super_block *sb)
{
	struct super_block___first *newer = (void *)sb;
	struct mount *mount;
	void *first;

	if (bpf_core_field_exists(struct mount, mnt_instance)) {
		first = BPF_CORE_READ(sb, s_mounts.next);
		if (first == __builtin_preserve_access_index(&sb->s_mounts))
			return NULL;
		mount = first - bpf_core_field_offset(struct mount, mnt_instance);
	} else {
		mount = BPF_CORE_READ(newer, s_mounts);
	}
	return mount ? BPF_CORE_READ(mount, mnt_devname) : NULL;
}

#endif /* ESTAT_MOUNT_H */
