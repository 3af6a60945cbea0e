/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations that vfs.bpf.h lacks, for modules that count all operations of files: getdents,
 * fallocate, copy, clone, open, and what creates, removes or renames a file. A module includes this
 * file after vfs.bpf.h.
 */
#ifndef ESTAT_MODULES_VFS_OTHERS_H
#define ESTAT_MODULES_VFS_OTHERS_H

#include "operation.bpf.h"

#define FMODE_CREATED (1U << 20) /* from include/linux/fs.h */
#define MAX_ERRNO     4095       /* from include/linux/err.h */

VFS_FILE(iterate_dir, 0, 2, int, op_getdents, by_call, 0)
VFS_FILE(vfs_fallocate, 0, 4, int, op_fallocate, by_call, 0)

/* A copy counts for the target file. The splices that do the copy do not count. */
static __always_inline int copy_enters(struct file *from, struct file *to, __u64 what, bool typed)
{
	if (!is_stored(to, typed))
		return 0;
	begin(OUTER_OF(ID_HERE(from)), COPIES, 0, WHAT_OBJECT(object_none));
	return begin(OUTER_OF(ID_HERE(to)), COPIES, estat_id(to), what | WHAT_ID(1));
}

static __always_inline int copy_returns(struct file *from, struct file *to, struct operation *o,
					bool typed)
{
	if (!is_stored(to, typed))
		return 0;
	if (from != to)
		take(OUTER_OF(ID_HERE(from)), o);
	return take_begun(OUTER_OF(ID_HERE(to)), o) ? file_ends(to, o, typed) : 0;
}

#define VFS_COPY(FUNCTION, OP)                                                                  \
	VFS_CALL(FUNCTION, copy_enters(FILE(args, 0), FILE(args, 2), what, typed), OP, by_call, \
		 ctx[6], (__s64)ret, copy_returns(FILE(args, 0), FILE(args, 2), &o, typed))

VFS_COPY(vfs_copy_file_range, op_copy)
VFS_COPY(vfs_clone_file_range, op_clone)

/* The negative errno that a pointer encodes; 0: a real pointer. */
static __always_inline __s64 error_of(const void *pointer)
{
	__s64 number = estat_id(pointer);

	return number < 0 && number >= -MAX_ERRNO ? number : 0;
}

/* A failed open does not count: it has no file, and so no file system. */
static __always_inline int open_returns(const void *flags, struct file *file, struct operation *o,
					bool typed)
{
	if (!take_begun(ID_HERE(flags), o) || error_of(file) || !is_stored(file, typed))
		return 0;
	if (ESTAT_READ(file, f_mode) & FMODE_CREATED)
		o->op = op_create;
	return file_ends(file, o, typed);
}

#define VFS_OPEN(FUNCTION)                                                                         \
	VFS_CALL(FUNCTION, begin(ID_HERE(args[2]), 0, args[2], what | WHAT_OBJECT(object_lookup)), \
		 op_open, by_call, ctx[3], 0,                                                      \
		 open_returns((const void *)args[2], (struct file *)ret, &o, typed))

VFS_OPEN(do_filp_open)
VFS_OPEN(do_file_open)
ESTAT_OPTIONAL(ESTAT_REQUIRED, do_filp_open,
	       do_file_open); /* do_filp_open in 6.18, do_file_open in 7.2 and 7.3 */

static __always_inline int name_enters(struct dentry *dentry, __u64 what, bool typed)
{
	if (!stores(ESTAT_READ(dentry, d_sb), typed))
		return 0;
	return begin(ID_HERE(dentry), 0, estat_id(dentry), what | WHAT_OBJECT(object_dentry));
}

static __always_inline int name_returns(struct dentry *dentry, struct super_block *sb,
					struct operation *o, bool typed)
{
	if (!stores(sb, typed) || !take_begun(ID_HERE(dentry), o))
		return 0;
	o->device = ESTAT_READ(sb, s_dev);
	o->fs = estat_id(ESTAT_READ(sb, s_type));
	o->dentry = estat_id(dentry);
	return vfs_ended(sb, o);
}

/* vfs_mkdir returns an int in 6.12; in 6.18 a dentry, or a pointer that encodes an error. */
static __always_inline __s64 mkdir_result(__s64 ret)
{
	int error = ret;

	return error < 0 && error >= -MAX_ERRNO && (ret == error || ret == (__u32)error) ? error
											 : 0;
}

/*
 * Probe a function that creates, removes or renames the dentry D on the file system SB. SB is read
 * at the return. NARGS is the number of the function's arguments in 5.15.
 */
#define VFS_NAME_ON(FUNCTION, D, SB, NARGS, RESULT, OP)                                   \
	VFS_CALL(FUNCTION, name_enters((struct dentry *)(D), what, typed), OP, by_kernel, \
		 estat_returned(ctx, NARGS), RESULT,                                      \
		 name_returns((struct dentry *)(D), SB, &o, typed))

static __always_inline struct super_block *sb_of(struct dentry *dentry, bool typed)
{
	return ESTAT_READ(dentry, d_sb);
}

/* D is still valid at the return, because callers hold D. */
#define VFS_NAME(FUNCTION, D, NARGS, RESULT, OP) \
	VFS_NAME_ON(FUNCTION, D, sb_of((struct dentry *)(D), typed), NARGS, RESULT, OP)

#define OLD_DENTRY(rd) ESTAT_READ((struct renamedata *)(rd), old_dentry)

/* The dentry of vfs_create, which has an argument for the directory up to 6.18, not in 7.2. */
#define CREATED(args)                                                          \
	(bpf_core_type_exists(struct delegated_inode) ? ESTAT_ELEMENT(args, 1) \
						      : ESTAT_ELEMENT(args, 2))

VFS_NAME(vfs_create, CREATED(args), 5, (int)ret, op_create)
/*
 * vfs_mkdir of 6.18 and later releases the dentry if it returns an error or another dentry, so the
 * file system is that of the folder. The path in a record of a slow mkdir is read from the dentry
 * all the same: the kernel frees a dentry only after an RCU grace period.
 */
VFS_NAME_ON(vfs_mkdir, args[2], ESTAT_READ((struct inode *)args[1], i_sb), 4, mkdir_result(ret),
	    op_mkdir)
VFS_NAME(vfs_rmdir, args[2], 3, (int)ret, op_rmdir)
VFS_NAME(vfs_unlink, args[2], 4, (int)ret, op_unlink)
VFS_NAME(vfs_symlink, args[2], 4, (int)ret, op_symlink)
VFS_NAME(vfs_link, args[3], 5, (int)ret, op_link)
VFS_NAME(vfs_rename, OLD_DENTRY(args[0]), 1, (int)ret, op_rename)

#endif /* ESTAT_MODULES_VFS_OTHERS_H */
