/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's VFS, from include/linux/fs.h unless a comment names another file, with only
 * the members that modules read. CO-RE finds the real offsets at load. NAME___flavor is NAME with
 * other members: of another kernel version or architecture, or only those that one module reads.
 */
#ifndef ESTAT_MODULES_VFS_TYPES_H
#define ESTAT_MODULES_VFS_TYPES_H

#include <linux/types.h>

#define EIOCBQUEUED 529 /* include/linux/errno.h: the I/O continues; ki_complete will be called */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* hlist_node and hlist_head: declared in include/linux/types.h */
struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct file_system_type {
	const char *name;
	struct hlist_head fs_supers;
};

/* declared in include/linux/backing-dev-defs.h */
struct backing_dev_info {
	__u64 id; /* a number that no other backing_dev_info had since boot */
	__u32 capabilities;
	char dev_name[64];
	struct device *owner; /* the disk; NULL: no disk */
};

/* declared in include/linux/fs.h, since 6.19 in include/linux/fs/super_types.h */
struct super_block {
	__u32 s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
	struct file_system_type *s_type;
	struct block_device *s_bdev;
	struct backing_dev_info *s_bdi;
	void *s_fs_info;               /* data of the file system */
	char s_id[32];                 /* of a file system on a block device: the device's name */
	struct hlist_node s_instances; /* node of file_system_type.fs_supers */
	struct {
		void *next;
	} s_mounts;
};

struct super_block___newest {
	struct mount *s_mounts; /* the newest mount; since 6.18 */
};

/* qstr and dentry: declared in include/linux/dcache.h */
struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct inode *d_inode;
	struct qstr d_name;
	struct super_block *d_sb;
};

/* vfsmount: declared in include/linux/mount.h; mount: in fs/mount.h */
struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent; /* of the root of the tree of mounts: itself */
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct {
		void *next;
	} mnt_instance;                /* node of s_mounts; before 6.18 */
	struct mount *mnt_next_for_sb; /* next older mount; since 6.18 */
	const char *mnt_devname;
};

struct inode {
	__u16 i_mode;
	__u32 i_flags;
	__u32 i_rdev;
	struct super_block *i_sb;
};

struct address_space {
	struct inode *host;
};

struct file {
	struct {
		struct dentry *dentry;
	} f_path;
	__u32 f_flags;
	__u32 f_mode;
	struct inode *f_inode;
	struct address_space *f_mapping;
};

struct kiocb {
	struct file *ki_filp;
	long long ki_pos;
	void *ki_complete; /* NULL: the I/O is synchronous */
	int ki_flags;
};

struct renamedata {
	struct dentry *old_dentry;
};

/* fdtable and files_struct: declared in include/linux/fdtable.h */
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

/* fs/namei.c: a look-up of a path under way; `path`: how far the look-up has come */
struct nameidata {
	struct {
		struct dentry *dentry;
	} path;
	struct qstr last; /* last.name: the rest of the path, from the name that is looked up now */
};

/* declared in include/linux/sched.h */
struct task_struct___files {
	struct files_struct *files;
	struct nameidata *nameidata;              /* NULL: the task looks no path up */
	struct task_struct___files *group_leader; /* the process's first thread */
	__u64 start_time;                         /* when the task began; ns, by ktime_get() */
	int exit_state;                           /* 0: the task has not exited */
	struct {
		/* number of calls to read, and number of calls to write, that have ended */
		__u64 syscr, syscw;
	} ioac;
};

/* arch/x86 and arch/arm64/include/asm/ptrace.h */
struct pt_regs___x86 {
	unsigned long di;
};

struct pt_regs___arm64 {
	__u64 regs[31];
};

/*
 * declared in include/linux/filelock.h of 7.2 and 7.3; 6.18 lacks the type. If the kernel has the
 * type, vfs_create has no argument for the directory.
 */
struct delegated_inode {
};

/* declared in fs/aio.c */
struct aio_kiocb {
	struct {
		struct {
			int counter;
		} refs;
	} ki_refcnt;
};

#pragma clang attribute pop

/* backing_dev_info.capabilities: dirty pages are written back (include/linux/backing-dev.h) */
#define BDI_CAP_WRITEBACK 1

#endif /* ESTAT_MODULES_VFS_TYPES_H */
