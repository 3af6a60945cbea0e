/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VFS's types, only the members that modules read (include/linux/fs.h).
 * CO-RE finds their real offsets at load.
 */
#ifndef ESTAT_TYPES_VFS_H
#define ESTAT_TYPES_VFS_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev; /* what is mounted: a disk, a partition, or a number that was made up */
	void *s_fs_info; /* the file system's own */
	struct backing_dev_info *s_bdi;
};

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	struct super_block *i_sb;
};

#pragma clang attribute pop

#endif /* ESTAT_TYPES_VFS_H */
