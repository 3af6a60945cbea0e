/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of files, for the modules vfs and vfs.process. An operation is a call of a function in
 * fs/. The call's entry is stamped; its return has the operation's result:
 *
 *	vfs_read, vfs_write		read(2), write(2), pread64(2), ...
 *	vfs_readv, vfs_writev		readv(2), preadv2(2), ...
 *	vfs_iter_read, vfs_iter_write	by the kernel: nfsd, overlayfs on the file below
 *	vfs_iocb_iter_read, ..._write	by the kernel; may return before the operation ends
 *	__kernel_read, __kernel_write	by the kernel: exec(2), core dumps, ...
 *	do_splice_read, iter_file_splice_write	splice(2), sendfile(2)
 *	aio_read, aio_write		io_submit(2); ends in aio_complete_rw
 *	io_read, io_write		io_uring; ends at the return, in io_complete_rw or, if
 *					io_uring abandons it, in io_rw_fail
 *
 * All others neither read nor write. If a probed function calls another probed function for the
 * same file, the stamp of the outer call keeps the inner call from being counted.
 */
#ifndef ESTAT_MODULES_VFS_VFS_H
#define ESTAT_MODULES_VFS_VFS_H

#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>

#include "aggregate.bpf.h"
#include "probe.bpf.h"
#include "stamps.bpf.h"
#include "types.bpf.h"

#define FMODE_CREATED  (1U << 20) /* this and the next four: include/linux/fs.h */
#define S_SYNC         1
#define SB_SYNCHRONOUS (1UL << 4)
#define IOCB_DIRECT    (1 << 17)
#define IOCB_WRITE     (1 << 18)
#define MAX_ERRNO      4095 /* include/linux/err.h */

enum op {
	op_read,
	op_write,
	op_fsync,
	op_open,
	op_create,
	op_mkdir,
	op_link,
	op_symlink,
	op_unlink,
	op_rmdir,
	op_rename,
	op_getdents,
	op_fallocate,
	op_copy,
	op_clone,
};

/* A read or write is through the page cache or direct; sync: a write that waits for the disk. */
enum how {
	how_none,
	how_buffered,
	how_direct,
	how_sync,
	how_direct_sync,
};

/* The function that ended the operation, so that each key has one writer. */
enum by {
	by_call,
	by_vector,
	by_iter,
	by_iocb,
	by_kernel,
	by_splice,
	by_aio,
	by_uring,        /* io_uring: ended at the return of io_read or io_write */
	by_uring_later,  /* io_uring: ended after io_read or io_write returned */
	by_uring_polled, /* io_uring: found by polling (IORING_SETUP_IOPOLL) */
	by_uring_inside, /* io_uring: ended before io_read or io_write returned (5.15) */
	by_uring_failed, /* io_uring: abandoned before it was issued again */
};

struct operation {
	enum op op;
	enum how how;
	enum by by;
	__u32 device;
	__u64 fs; /* a number that identifies the file system's type */
	__u64 ns;
	__s64 result; /* bytes, 0, or a negative errno */
	__u64 iocb;   /* argument of vfs_begun; 0: the operation is synchronous */
};

/* Whether an operation has a size. */
static __always_inline bool transfers_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_copy || op == op_clone;
}

/*
 * Functions that the module defines:
 * - vfs_begun(iocb): the current thread begins an operation that can end in another thread; iocb is
 *   STAMP_NUMBER() of the operation's kiocb.
 * - vfs_ended(sb, o): operation o in file system sb ended.
 * - vfs_missed(): an operation ended whose begin was not seen.
 */
static __always_inline void vfs_begun(__u64 iocb);
static int vfs_ended(struct super_block *sb, const struct operation *o);
static __always_inline int vfs_missed(void);

/*
 * Numbers of the current thread's operations on p, for stamps: NUMBER_HERE of any; OUTER_OF of one
 * that calls others for the same file; FSYNC_OF of an fsync, which a synchronous write can call.
 */
#define NUMBER_HERE(p) (STAMP_NUMBER(p) + bpf_get_current_task() * 0x9e3779b97f4a7c15)
#define OUTER_OF(here) ((here) + 1)
#define FSYNC_OF(here) ((here) + 2)

#define STAMP_COPY     STAMP_FLAG /* of a stamp by OUTER_OF: the operation is a copy */
#define STAMP_REISSUED STAMP_FLAG /* of a kiocb's stamp: io_uring may issue the request again */

/*
 * Whether a file system stores data: it has a device, or writeback of its own (btrfs, network file
 * systems), or is tmpfs or overlayfs.
 */
static __always_inline bool stores(struct super_block *sb)
{
	return sb->s_bdev || sb->s_bdi->capabilities & BDI_CAP_WRITEBACK ||
	       sb->s_magic == TMPFS_MAGIC || sb->s_magic == OVERLAYFS_SUPER_MAGIC;
}

/* Whether an inode is a block device, or a file or directory of a file system that stores data. */
static __always_inline bool is_stored(struct inode *inode)
{
	__u32 type = inode->i_mode & S_IFMT;

	return type == S_IFBLK || ((type == S_IFREG || type == S_IFDIR) && stores(inode->i_sb));
}

static __always_inline void stamp(__u64 number, __u64 flag)
{
	__u64 owner, now = bpf_ktime_get_ns();
	struct stamps *set = stamps_by(number, &owner);

	if (set)
		*stamp_entry(set, owner, now) = owner | flag | (now & STAMP_TIME);
}

static __always_inline __u64 *stamped(__u64 number)
{
	__u64 owner;
	struct stamps *set = stamps_by(number, &owner);

	return set ? stamp_of(set, owner) : NULL;
}

/* Nanoseconds since a stamp, whose entry becomes free. */
static __always_inline __u64 elapsed(__u64 *s)
{
	__u64 ns = (bpf_ktime_get_ns() - *s) & STAMP_TIME;

	*s = 0;
	return ns;
}

/*
 * How a read or write is done. rwf: flags of the call or kiocb. A kiocb can be direct without
 * O_DIRECT: the NFS server of 7.2 can be configured so (fs/nfsd/vfs.c, nfsd_direct_read).
 */
static __always_inline enum how how_of(struct file *file, enum op op, __u32 rwf)
{
	struct inode *inode = file->f_inode;
	bool direct = file->f_flags & O_DIRECT || rwf & IOCB_DIRECT;

	if (op == op_write && (file->f_flags & O_DSYNC || rwf & (RWF_DSYNC | RWF_SYNC) ||
			       inode->i_flags & S_SYNC || inode->i_sb->s_flags & SB_SYNCHRONOUS))
		return direct ? how_direct_sync : how_sync;
	return direct ? how_direct : how_buffered;
}

/* A file's operation ended. A block device's file system is bdev, not that of its /dev node. */
static __always_inline int file_ends(struct file *file, struct operation *o)
{
	struct inode *inode = file->f_inode;
	struct super_block *sb = inode->i_sb;

	if ((inode->i_mode & S_IFMT) == S_IFBLK) {
		sb = file->f_mapping->host->i_sb;
		o->device = inode->i_rdev;
	} else {
		o->device = sb->s_dev;
	}
	o->fs = STAMP_NUMBER(sb->s_type);
	return vfs_ended(sb, o);
}

static __always_inline int file_enters(struct file *file)
{
	if (is_stored(file->f_inode))
		stamp(NUMBER_HERE(file), 0);
	return 0;
}

static __always_inline int file_returns(struct file *file, struct operation *o, __u32 rwf)
{
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	s = stamped(NUMBER_HERE(file));
	if (!s)
		return vfs_missed();
	o->ns = elapsed(s);
	if (o->op == op_read || o->op == op_write)
		o->how = how_of(file, o->op, rwf);
	return file_ends(file, o);
}

/*
 * Probe a function with NARGS arguments; argument FILE, from 0, is the struct file. RWF are the
 * flags of a read or write. The function's return value, of TYPE, follows the arguments in ctx:
 * bpf_get_func_ret() exists only since Linux 5.17.
 */
#define VFS_FILE(FUNCTION, FILE, NARGS, TYPE, OP, BY, RWF)                               \
	SEC("fentry/" #FUNCTION)                                                         \
	int FUNCTION##_enters(__u64 *ctx)                                                \
	{                                                                                \
		return file_enters((struct file *)ctx[FILE]);                            \
	}                                                                                \
	SEC("fexit/" #FUNCTION)                                                          \
	int FUNCTION##_returns(__u64 *ctx)                                               \
	{                                                                                \
		struct operation o = { .op = OP, .by = BY, .result = (TYPE)ctx[NARGS] }; \
                                                                                         \
		return file_returns((struct file *)ctx[FILE], &o, RWF);                  \
	}

/* Probe as VFS_FILE does, but do not count a call that another operation made (OUTER_OF). */
#define VFS_PART(FUNCTION, FILE, NARGS, OP, BY, RWF)                                              \
	SEC("fentry/" #FUNCTION)                                                                  \
	int FUNCTION##_enters(__u64 *ctx)                                                         \
	{                                                                                         \
		return is_part((struct file *)ctx[FILE]) ? 0                                      \
							 : file_enters((struct file *)ctx[FILE]); \
	}                                                                                         \
	SEC("fexit/" #FUNCTION)                                                                   \
	int FUNCTION##_returns(__u64 *ctx)                                                        \
	{                                                                                         \
		struct operation o = { .op = OP, .by = BY, .result = (__s64)ctx[NARGS] };         \
                                                                                                  \
		return is_part((struct file *)ctx[FILE])                                          \
			       ? 0                                                                \
			       : file_returns((struct file *)ctx[FILE], &o, RWF);                 \
	}

static __always_inline bool is_part(struct file *file)
{
	return stamped(OUTER_OF(NUMBER_HERE(file)));
}

/* Probe the entry of FUNCTION. */
#define VFS_ENTRY(NAME, FUNCTION, RESULT) \
	SEC("fentry/" #FUNCTION)          \
	int NAME(__u64 *ctx)              \
	{                                 \
		return RESULT;            \
	}

#define FLAGS_OF(iocb) (((struct kiocb *)(iocb))->ki_flags)

VFS_FILE(vfs_read, 0, 4, __s64, op_read, by_call, 0)
VFS_FILE(vfs_write, 0, 4, __s64, op_write, by_call, 0)
VFS_FILE(vfs_readv, 0, 5, __s64, op_read, by_vector, 0)
VFS_FILE(vfs_writev, 0, 5, __s64, op_write, by_vector, ctx[4])
VFS_FILE(vfs_iter_read, 0, 4, __s64, op_read, by_iter, 0)
VFS_PART(vfs_iter_write, 0, 4, op_write, by_iter, ctx[3])
VFS_FILE(vfs_iocb_iter_read, 0, 3, __s64, op_read, by_iocb, FLAGS_OF(ctx[1]))
VFS_FILE(vfs_iocb_iter_write, 0, 3, __s64, op_write, by_iocb, FLAGS_OF(ctx[1]))
VFS_FILE(__kernel_read, 0, 4, __s64, op_read, by_kernel, 0)
VFS_FILE(__kernel_write, 0, 4, __s64, op_write, by_kernel, 0)
VFS_FILE(__kernel_write_iter, 0, 3, __s64, op_write, by_kernel, 0)
ESTAT_OPTIONAL(ESTAT_REQUIRED, __kernel_write_iter, __kernel_write);

VFS_FILE(iterate_dir, 0, 2, int, op_getdents, by_call, 0)
VFS_FILE(vfs_fallocate, 0, 4, int, op_fallocate, by_call, 0)

VFS_PART(do_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(vfs_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(do_splice_to, 0, 5, op_read, by_splice, 0)
/* vfs_splice_read calls do_splice_read; 6.12 has both, 6.1 only do_splice_to. */
ESTAT_OPTIONAL("reads by splice", do_splice_read, vfs_splice_read, do_splice_to);

/* Whether this thread is copying from or to the file. */
static __always_inline bool is_copied(__u64 here)
{
	__u64 *s = stamped(OUTER_OF(here));

	return s && *s & STAMP_COPY;
}

/* Stamped by OUTER_OF, because in Linux 5.15 iter_file_splice_write calls vfs_iter_write. */
SEC("fentry/iter_file_splice_write")
int iter_file_splice_write_enters(__u64 *ctx)
{
	struct file *file = (struct file *)ctx[1];
	__u64 here = NUMBER_HERE(file);

	if (is_stored(file->f_inode) && !is_copied(here))
		stamp(OUTER_OF(here), 0);
	return 0;
}

SEC("fexit/iter_file_splice_write")
int iter_file_splice_write_returns(__u64 *ctx)
{
	struct operation o = { .op = op_write, .by = by_splice, .result = (__s64)ctx[5] };
	struct file *file = (struct file *)ctx[1];
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	s = stamped(OUTER_OF(NUMBER_HERE(file)));
	if (!s)
		return vfs_missed();
	if (*s & STAMP_COPY)
		return 0;
	o.ns = elapsed(s);
	o.how = how_of(file, op_write, 0);
	return file_ends(file, &o);
}

/* A copy counts for the target file. The splices that do the copy do not count. */
static __always_inline int copy_enters(struct file *from, struct file *to)
{
	if (!is_stored(to->f_inode))
		return 0;
	stamp(OUTER_OF(NUMBER_HERE(from)), STAMP_COPY);
	stamp(OUTER_OF(NUMBER_HERE(to)), STAMP_COPY);
	return 0;
}

static __always_inline int copy_returns(struct file *from, struct file *to, struct operation *o)
{
	__u64 *s;

	if (!is_stored(to->f_inode))
		return 0;
	s = stamped(OUTER_OF(NUMBER_HERE(from)));
	if (s && from != to)
		*s = 0;
	s = stamped(OUTER_OF(NUMBER_HERE(to)));
	if (!s)
		return vfs_missed();
	o->ns = elapsed(s);
	return file_ends(to, o);
}

#define VFS_COPY(FUNCTION, OP)                                                             \
	SEC("fentry/" #FUNCTION)                                                           \
	int FUNCTION##_enters(__u64 *ctx)                                                  \
	{                                                                                  \
		return copy_enters((struct file *)ctx[0], (struct file *)ctx[2]);          \
	}                                                                                  \
	SEC("fexit/" #FUNCTION)                                                            \
	int FUNCTION##_returns(__u64 *ctx)                                                 \
	{                                                                                  \
		struct operation o = { .op = OP, .by = by_call, .result = (__s64)ctx[6] }; \
                                                                                           \
		return copy_returns((struct file *)ctx[0], (struct file *)ctx[2], &o);     \
	}

VFS_COPY(vfs_copy_file_range, op_copy)
VFS_COPY(vfs_clone_file_range, op_clone)

/* Whether the thread is writing the file. In some file systems a synchronous write calls fsync. */
static __always_inline bool is_write(__u64 here)
{
	return stamped(here) || stamped(OUTER_OF(here));
}

static __always_inline int fsync_enters(struct file *file)
{
	__u64 here = NUMBER_HERE(file);

	if (is_stored(file->f_inode) && !is_write(here))
		stamp(FSYNC_OF(here), 0);
	return 0;
}

static __always_inline int fsync_returns(struct file *file, struct operation *o)
{
	__u64 here = NUMBER_HERE(file), *s;

	if (!is_stored(file->f_inode) || is_write(here))
		return 0;
	s = stamped(FSYNC_OF(here));
	if (!s)
		return 0;
	o->ns = elapsed(s);
	return file_ends(file, o);
}

#define VFS_FSYNC(FUNCTION, NARGS, BY)                                                        \
	SEC("fentry/" #FUNCTION)                                                              \
	int FUNCTION##_enters(__u64 *ctx)                                                     \
	{                                                                                     \
		return fsync_enters((struct file *)ctx[0]);                                   \
	}                                                                                     \
	SEC("fexit/" #FUNCTION)                                                               \
	int FUNCTION##_returns(__u64 *ctx)                                                    \
	{                                                                                     \
		struct operation o = { .op = op_fsync, .by = BY, .result = (int)ctx[NARGS] }; \
                                                                                              \
		return fsync_returns((struct file *)ctx[0], &o);                              \
	}

/* Both are probed, as some compilers inline vfs_fsync_range; of nested calls the inner counts. */
VFS_FSYNC(vfs_fsync, 2, by_call)
VFS_FSYNC(vfs_fsync_range, 4, by_kernel)

/*
 * Some compilers inline vfs_fsync and vfs_fsync_range into fsync(2), fdatasync(2) or both (the
 * lab's 5.15: into fdatasync). So the system calls are probed, too. They have only a descriptor;
 * the file is untyped to the verifier.
 */
static __always_inline struct file *file_of(__u32 descriptor)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	struct file **files = BPF_CORE_READ(task, files, fdt, fd), *file = NULL;

	if (descriptor < BPF_CORE_READ(task, files, fdt, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	return file;
}

static __always_inline __u64 fsync_by(struct file *file)
{
	void *base = &origin;
	__u64 at = 0;

	bpf_probe_read_kernel(&at, sizeof(at), &base);
	return FSYNC_OF((__u64)file - at + bpf_get_current_task() * 0x9e3779b97f4a7c15);
}

static __always_inline bool is_stored_untyped(struct inode *inode)
{
	__u32 type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	__u64 magic = BPF_CORE_READ(inode, i_sb, s_magic);

	if (type != S_IFREG && type != S_IFDIR)
		return type == S_IFBLK;
	return BPF_CORE_READ(inode, i_sb, s_bdev) ||
	       BPF_CORE_READ(inode, i_sb, s_bdi, capabilities) & BDI_CAP_WRITEBACK ||
	       magic == TMPFS_MAGIC || magic == OVERLAYFS_SUPER_MAGIC;
}

static __always_inline int descriptor_enters(__u32 descriptor)
{
	struct file *file = file_of(descriptor);

	if (is_stored_untyped(BPF_CORE_READ(file, f_inode)))
		stamp(fsync_by(file), 0);
	return 0;
}

static __always_inline int descriptor_returns(__u32 descriptor, struct operation *o)
{
	struct file *file = file_of(descriptor);
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	struct super_block *sb = BPF_CORE_READ(inode, i_sb);
	void *base = &origin;
	__u64 at = 0, *s = stamped(fsync_by(file));

	if (!s)
		return 0;
	bpf_probe_read_kernel(&at, sizeof(at), &base);
	o->ns = elapsed(s);
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK) {
		o->device = BPF_CORE_READ(inode, i_rdev);
		sb = BPF_CORE_READ(file, f_mapping, host, i_sb);
	} else {
		o->device = BPF_CORE_READ(sb, s_dev);
	}
	o->fs = (__u64)BPF_CORE_READ(sb, s_type) - at;
	return vfs_ended(sb, o);
}

#if defined(__TARGET_ARCH_x86)
#define SYSTEM_CALL(NAME)   __x64_sys_##NAME
#define FIRST_OF(registers) BPF_CORE_READ((struct pt_regs___x86 *)(registers), di)
#elif defined(__TARGET_ARCH_arm64)
#define SYSTEM_CALL(NAME)   __arm64_sys_##NAME
#define FIRST_OF(registers) BPF_CORE_READ((struct pt_regs___arm64 *)(registers), regs[0])
#else
#error "which register holds the first argument of a system call on this architecture?"
#endif

#define VFS_DESCRIPTOR(NAME, BY)                                                          \
	SEC("fentry/" ESTAT_STRING(SYSTEM_CALL(NAME)))                                    \
	int sys_##NAME##_enters(__u64 *ctx)                                               \
	{                                                                                 \
		return descriptor_enters(FIRST_OF(ctx[0]));                               \
	}                                                                                 \
	SEC("fexit/" ESTAT_STRING(SYSTEM_CALL(NAME)))                                     \
	int sys_##NAME##_returns(__u64 *ctx)                                              \
	{                                                                                 \
		struct operation o = { .op = op_fsync, .by = BY, .result = (int)ctx[1] }; \
                                                                                          \
		return descriptor_returns(FIRST_OF(ctx[0]), &o);                          \
	}

VFS_DESCRIPTOR(fsync, by_vector)
VFS_DESCRIPTOR(fdatasync, by_iter)

/* The negative errno that a pointer encodes, or 0. The verifier rejects comparing the pointer. */
static __always_inline __s64 error_of(const void *pointer)
{
	__s64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number < 0 && number >= -MAX_ERRNO ? number : 0;
}

/* A failed open does not count: it has no file, and so no file system. */
static __always_inline int open_returns(const void *flags, struct file *file)
{
	struct operation o = { .op = op_open, .by = by_call };
	__u64 *s = stamped(NUMBER_HERE(flags));

	if (!s)
		return vfs_missed();
	o.ns = elapsed(s);
	if (error_of(file) || !is_stored(file->f_inode))
		return 0;
	if (file->f_mode & FMODE_CREATED)
		o.op = op_create;
	return file_ends(file, &o);
}

#define VFS_OPEN(FUNCTION)                                                        \
	SEC("fentry/" #FUNCTION)                                                  \
	int FUNCTION##_enters(__u64 *ctx)                                         \
	{                                                                         \
		stamp(NUMBER_HERE(ctx[2]), 0);                                    \
		return 0;                                                         \
	}                                                                         \
	SEC("fexit/" #FUNCTION)                                                   \
	int FUNCTION##_returns(__u64 *ctx)                                        \
	{                                                                         \
		return open_returns((const void *)ctx[2], (struct file *)ctx[3]); \
	}

VFS_OPEN(do_filp_open)
VFS_OPEN(do_file_open)
ESTAT_OPTIONAL(ESTAT_REQUIRED, do_filp_open,
	       do_file_open); /* do_filp_open in 6.18, do_file_open in 7.3 */

static __always_inline int name_enters(struct dentry *dentry)
{
	if (stores(dentry->d_sb))
		stamp(NUMBER_HERE(dentry), 0);
	return 0;
}

static __always_inline int name_returns(struct dentry *dentry, struct operation *o)
{
	struct super_block *sb = dentry->d_sb;
	__u64 *s;

	if (!stores(sb))
		return 0;
	s = stamped(NUMBER_HERE(dentry));
	if (!s)
		return vfs_missed();
	o->ns = elapsed(s);
	o->device = sb->s_dev;
	o->fs = STAMP_NUMBER(sb->s_type);
	return vfs_ended(sb, o);
}

/* vfs_mkdir returns an int in 6.12; in 6.18 a dentry, or a pointer that encodes an error. */
static __always_inline __s64 mkdir_result(__s64 ret)
{
	int error = ret;

	return error < 0 && error >= -MAX_ERRNO && (ret == error || ret == (__u32)error) ? error
											 : 0;
}

/* Probe a function that creates, removes or renames DENTRY, which still exists at the return. */
#define VFS_NAME(FUNCTION, DENTRY, RESULT, OP)                                        \
	SEC("fentry/" #FUNCTION)                                                      \
	int FUNCTION##_enters(__u64 *ctx)                                             \
	{                                                                             \
		return name_enters((struct dentry *)(DENTRY));                        \
	}                                                                             \
	SEC("fexit/" #FUNCTION)                                                       \
	int FUNCTION##_returns(__u64 *ctx)                                            \
	{                                                                             \
		struct operation o = { .op = OP, .by = by_kernel, .result = RESULT }; \
                                                                                      \
		return name_returns((struct dentry *)(DENTRY), &o);                   \
	}

#define OLD_DENTRY(rd) (((struct renamedata *)(rd))->old_dentry)

/* The dentry of vfs_create. In 7.3 vfs_create has no argument for the directory, in 6.18 it has. */
#define CREATED(ctx)                                                          \
	(bpf_core_type_exists(struct delegated_inode) ? ESTAT_ELEMENT(ctx, 1) \
						      : ESTAT_ELEMENT(ctx, 2))

VFS_NAME(vfs_create, CREATED(ctx), (int)estat_returned(ctx, 5), op_create)
VFS_NAME(vfs_mkdir, ctx[2], mkdir_result(estat_returned(ctx, 4)), op_mkdir)
VFS_NAME(vfs_rmdir, ctx[2], (int)estat_returned(ctx, 3), op_rmdir)
VFS_NAME(vfs_unlink, ctx[2], (int)estat_returned(ctx, 4), op_unlink)
VFS_NAME(vfs_symlink, ctx[2], (int)estat_returned(ctx, 4), op_symlink)
VFS_NAME(vfs_link, ctx[3], (int)estat_returned(ctx, 5), op_link)
VFS_NAME(vfs_rename, OLD_DENTRY(ctx[0]), (int)estat_returned(ctx, 1), op_rename)

/*
 * Flag the stamp of a request that io_uring may issue again, by cmpxchg: another CPU may have
 * freed the entry and reused it for another operation.
 */
static __always_inline void mark_reissued(__u64 number)
{
	__u64 owner, was, *s;
	struct stamps *set = stamps_by(number, &owner);

	s = set ? stamp_of(set, owner) : NULL;
	if (!s)
		return;
	was = *s;
	if ((was & STAMP_OWNER) == owner)
		__sync_val_compare_and_swap(s, was, was | STAMP_REISSUED);
}

/* A kernel can be built without CONFIG_AIO or CONFIG_IO_URING. */
ESTAT_OPTIONAL("operations of aio", aio_read);
ESTAT_OPTIONAL("operations of aio", aio_write);
ESTAT_OPTIONAL("operations of aio", aio_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_read);
ESTAT_OPTIONAL("operations of io_uring", io_write);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw_iopoll);

/* Whether io_uring issues the request again after -EAGAIN. */
static __always_inline bool is_reissued(struct io_kiocb *req)
{
	return !(BPF_CORE_READ(req, flags) & REQ_F_NOWAIT);
}

/* An asynchronous operation ends. Its stamp is by the kiocb: another thread may have begun it. */
static __always_inline int iocb_ends(struct kiocb *iocb, enum by by, __s64 result)
{
	struct operation o = { .by = by, .result = result, .iocb = STAMP_NUMBER(iocb) };
	struct file *file = iocb->ki_filp;
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	s = stamped(o.iocb);
	if (!s)
		return vfs_missed();
	if (result == -EAGAIN && by != by_aio && is_reissued((struct io_kiocb *)iocb)) {
		mark_reissued(o.iocb);
		return 0;
	}
	o.ns = elapsed(s);
	o.op = iocb->ki_flags & IOCB_WRITE ? op_write : op_read;
	o.how = how_of(file, o.op, iocb->ki_flags);
	return file_ends(file, &o);
}

static __always_inline int aio_enters(struct kiocb *iocb)
{
	if (!is_stored(iocb->ki_filp->f_inode))
		return 0;
	vfs_begun(STAMP_NUMBER(iocb));
	stamp(STAMP_NUMBER(iocb), 0);
	return 0;
}

VFS_ENTRY(aio_read_enters, aio_read, aio_enters((struct kiocb *)ctx[0]))
VFS_ENTRY(aio_write_enters, aio_write, aio_enters((struct kiocb *)ctx[0]))
VFS_ENTRY(aio_completes, aio_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_aio, ctx[1]))

/* io_uring issues a request, for the first time or again. An io_kiocb begins with its kiocb. */
static __always_inline int uring_enters(struct io_kiocb *req)
{
	__u64 number = STAMP_NUMBER(req), *s;

	if (!is_stored(req->file->f_inode))
		return 0;
	s = stamped(number);
	if (s && *s & STAMP_REISSUED) {
		*s &= ~STAMP_REISSUED;
		return 0;
	}
	vfs_begun(number);
	stamp(number, 0);
	return 0;
}

/* Whether the request has no result yet. In 5.15 a returned 0 does not tell; kiocb_done does. */
static __always_inline bool continues_elsewhere(struct io_kiocb *req, int ret)
{
	if (ret == -EAGAIN)
		return !(req->flags & REQ_F_NOWAIT);
	return ret == -EIOCBQUEUED || (!ret && !bpf_core_field_exists(req->cqe));
}

/*
 * io_read or io_write returned. If the request has a result or failed, the operation ends here. If
 * the operation already ended in another thread, it has no stamp.
 */
static __always_inline int uring_returns(struct io_kiocb *req, enum op op, int ret)
{
	struct operation o = { .op = op, .by = by_uring, .result = ret, .iocb = STAMP_NUMBER(req) };
	struct file *file = req->file;
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	if (continues_elsewhere(req, ret)) {
		if (!(req->flags & REQ_F_NOWAIT))
			mark_reissued(o.iocb);
		return 0;
	}
	s = stamped(o.iocb);
	if (!s)
		return 0;
	if (!ret && bpf_core_field_exists(req->cqe))
		o.result = req->cqe.res;
	o.ns = elapsed(s);
	o.how = how_of(file, op, ((struct kiocb *)req)->ki_flags);
	return file_ends(file, &o);
}

VFS_ENTRY(io_read_enters, io_read, uring_enters((struct io_kiocb *)ctx[0]))
VFS_ENTRY(io_write_enters, io_write, uring_enters((struct io_kiocb *)ctx[0]))

SEC("fexit/io_read")
int io_read_returns(__u64 *ctx)
{
	return uring_returns((struct io_kiocb *)ctx[0], op_read, ctx[2]);
}

SEC("fexit/io_write")
int io_write_returns(__u64 *ctx)
{
	return uring_returns((struct io_kiocb *)ctx[0], op_write, ctx[2]);
}

/* In 5.15 the result is known in kiocb_done, not from the return value of io_read. */
SEC("fentry/kiocb_done")
int io_completes_inside(__u64 *ctx)
{
	__s64 result = ctx[1];

	return result < 0 ? 0 : iocb_ends((struct kiocb *)ctx[0], by_uring_inside, result);
}
/* filemap_get_folios is in 6.1, even without io_uring; not in 5.15. */
ESTAT_OPTIONAL("", filemap_get_folios, kiocb_done);

VFS_ENTRY(io_completes, io_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_uring_later, ctx[1]))
VFS_ENTRY(io_completes_polled, io_complete_rw_iopoll,
	  iocb_ends((struct kiocb *)ctx[0], by_uring_polled, ctx[1]))

/*
 * io_uring abandons a request that waits to be issued again, because its process is killed or the
 * request is cancelled (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). The
 * probed functions also run for requests that have ended already: these have no stamp.
 */
static __always_inline int uring_fails(struct io_kiocb *req, __s64 result)
{
	__u64 opcode = 1ULL << (req->opcode & 63), *s;
	struct operation o = {
		.op = opcode & IORING_WRITES ? op_write : op_read,
		.by = by_uring_failed,
		.result = result,
		.iocb = STAMP_NUMBER(req),
	};
	struct file *file = req->file;

	if (!(opcode & (IORING_READS | IORING_WRITES)) || !is_stored(file->f_inode))
		return 0;
	s = stamped(o.iocb);
	if (!s)
		return 0;
	o.ns = elapsed(s);
	o.how = how_of(file, o.op, ((struct kiocb *)req)->ki_flags);
	return file_ends(file, &o);
}

/*
 * io_rw_fail exists in 6.1, not in 5.15. In 5.15 io_req_complete_post is probed, which ends any
 * request outside a batch: an abandoned one, or one whose result io_read already had.
 */
ESTAT_OPTIONAL("operations that io_uring abandons", io_rw_fail, io_req_complete_post);

#define RESULT_OF(req) (((struct io_kiocb *)(req))->cqe.res)

VFS_ENTRY(io_fails, io_rw_fail, uring_fails((struct io_kiocb *)ctx[0], RESULT_OF(ctx[0])))
VFS_ENTRY(io_fails_old, io_req_complete_post, uring_fails((struct io_kiocb *)ctx[0], (int)ctx[1]))

#endif /* ESTAT_MODULES_VFS_VFS_H */
