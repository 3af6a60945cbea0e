/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of files, as the modules of the VFS see them. Each is a call of a function in fs/,
 * whose entry is stamped and whose return says how it went:
 *
 *	vfs_read, vfs_write		read(2), write(2), pread64(2), ...
 *	vfs_readv, vfs_writev		readv(2), preadv2(2), ...
 *	vfs_iter_read, vfs_iter_write	the kernel's own: nfsd, overlayfs on the file below
 *	vfs_iocb_iter_read, ..._write	the same, which may return before it is done
 *	__kernel_read, __kernel_write	likewise: exec(2), core dumps, ...
 *	do_splice_read, iter_file_splice_write	splice(2), sendfile(2)
 *	aio_read, aio_write		io_submit(2), until aio_complete_rw
 *	io_read, io_write		io_uring, until there is a result, or io_complete_rw; or,
 *					of one that is given up, io_rw_fail
 *
 * and others for what is no read or write. None of these calls another one for the same file, but
 * where the inner one is told by the outer's stamp.
 */
#ifndef ESTAT_MODULES_VFS_VFS_H
#define ESTAT_MODULES_VFS_VFS_H

#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>

#include "aggregate.bpf.h"
#include "stamps.bpf.h"
#include "types.bpf.h"

#define FMODE_CREATED  (1U << 20) /* include/linux/fs.h, as those below */
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

/* Through the page cache or past it, and does it wait until it is on the disk? */
enum how {
	how_none,
	how_buffered,
	how_direct,
	how_sync,
	how_direct_sync,
};

/* By which function: what one of them counts no other does. */
enum by {
	by_call,
	by_vector,
	by_iter,
	by_iocb,
	by_kernel,
	by_splice,
	by_aio,
	by_uring,        /* io_uring's, with its result when io_read or io_write returns */
	by_uring_later,  /* or after that */
	by_uring_polled, /* or found by polling (IORING_SETUP_IOPOLL) */
	by_uring_inside, /* or, as in 5.15, before they return */
	by_uring_failed, /* or given up before it was issued again */
};

struct operation {
	enum op op;
	enum how how;
	enum by by;
	__u32 device;
	__u64 fs; /* a number for the file system's type */
	__u64 ns;
	__s64 result; /* bytes, 0, or an error's negative */
	__u64 iocb;   /* what vfs_begun was told; 0: it is the current thread's */
};

/* Other operations have no size. */
static __always_inline bool moves_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_copy || op == op_clone;
}

/*
 * The module's: the current thread has begun what can end elsewhere, its kiocb's number; an
 * operation in a file system has ended; one has of which the begin was not seen.
 */
static __always_inline void vfs_begun(__u64 iocb);
static int vfs_ended(struct super_block *sb, const struct operation *o);
static __always_inline int vfs_missed(void);

/* Provided by libbpf from the running kernel's version. */
extern int LINUX_KERNEL_VERSION __kconfig;

static __u64 origin;

/* A number that stands for a pointer: the verifier lets nothing else be done with one. */
#define NUMBER_OF(p) ((__u64)((const char *)(p) - (const char *)&origin))

/*
 * The same for what the current thread does with it: an operation; one that others of the same
 * file are a part of; fsync, which is a part of a write if that is to wait for the disk.
 */
#define NUMBER_HERE(p) (NUMBER_OF(p) + bpf_get_current_task() * 0x9e3779b97f4a7c15)
#define OUTER_OF(here) ((here) + 1)
#define FSYNC_OF(here) ((here) + 2)

/* The flag of a stamp: a copy; a request of io_uring that is to be issued again. */
#define STAMP_COPY  STAMP_FLAG
#define STAMP_AGAIN STAMP_FLAG

/*
 * Is it of a file system that stores something? That has a device, or a writeback of its own, as
 * btrfs and network file systems have; or it is tmpfs or overlayfs.
 */
static __always_inline bool stores(struct super_block *sb)
{
	return sb->s_bdev || sb->s_bdi->capabilities & BDI_CAP_WRITEBACK ||
	       sb->s_magic == TMPFS_MAGIC || sb->s_magic == OVERLAYFS_SUPER_MAGIC;
}

/* Is it a file, directory or block device? */
static __always_inline bool is_stored(struct inode *inode)
{
	__u32 type = inode->i_mode & S_IFMT;

	return type == S_IFBLK || ((type == S_IFREG || type == S_IFDIR) && stores(inode->i_sb));
}

static __always_inline void stamp(__u64 number, __u64 flag)
{
	__u64 whose, now = bpf_ktime_get_ns();
	struct stamps *set = stamps_by(number, &whose);

	if (set)
		*stamp_entry(set, whose, now) = whose | flag | (now & STAMP_TIME);
}

/* The stamp of this number, or NULL. */
static __always_inline __u64 *stamped(__u64 number)
{
	__u64 whose;
	struct stamps *set = stamps_by(number, &whose);

	return set ? stamp_of(set, whose) : NULL;
}

/* How long it has taken that was stamped so; the stamp is free then. */
static __always_inline __u64 took(__u64 *s)
{
	__u64 ns = (bpf_ktime_get_ns() - *s) & STAMP_TIME;

	*s = 0;
	return ns;
}

/*
 * A kiocb can go past the page cache though its file was not opened so: the NFS server of 7.2 does
 * that, if it is told to (fs/nfsd/vfs.c, nfsd_direct_read).
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

/* An operation of a file has ended. A block device is not in the file system that names it. */
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
	o->fs = NUMBER_OF(sb->s_type);
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
	o->ns = took(s);
	if (o->op == op_read || o->op == op_write)
		o->how = how_of(file, o->op, rwf);
	return file_ends(file, o);
}

/*
 * Probe a function of which argument FILE is a file, and that has NARGS arguments; RWF are the
 * flags of a call that reads or writes. What it returns, a TYPE, follows the arguments:
 * bpf_get_func_ret() is there since Linux 5.17 only.
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

/* The same, if it can be a part of another one that moves the same data (OUTER_OF). */
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
ESTAT_EITHER(__kernel_write_iter, __kernel_write);

VFS_FILE(iterate_dir, 0, 2, int, op_getdents, by_call, 0)
VFS_FILE(vfs_fallocate, 0, 4, int, op_fallocate, by_call, 0)

/* splice(2), sendfile(2) from a file. */
VFS_PART(do_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(vfs_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(do_splice_to, 0, 5, op_read, by_splice, 0)
ESTAT_OPTIONAL(do_splice_read, ""); /* 6.12 has it, 6.1 has not */
const volatile struct estat_function estat_function_vfs_splice_read = {
	.unless = "do_splice_read", /* which it calls */
	.lacks = "reads by splice",
};
const volatile struct estat_function estat_function_do_splice_to = {
	.unless = "vfs_splice_read", /* 6.12 has it, 6.1 has not */
};

/* Does a copy go through this function in this thread? */
static __always_inline bool is_copied(__u64 here)
{
	__u64 *s = stamped(OUTER_OF(here));

	return s && *s & STAMP_COPY;
}

/* It may call vfs_iter_write, as in 5.15. */
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
	o.ns = took(s);
	o.how = how_of(file, op_write, 0);
	return file_ends(file, &o);
}

/*
 * A copy has two files, and can be done by reading and writing these by splice: those are parts of
 * it. It counts where it was copied to.
 */
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
	o->ns = took(s);
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

/* A write that is to wait for the disk calls it for that, if the file system has it so. */
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
	o->ns = took(s);
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

/* Some compilers have the one in the other, some not: the inner one counts. */
VFS_FSYNC(vfs_fsync, 2, by_call)
VFS_FSYNC(vfs_fsync_range, 4, by_kernel)

/*
 * Or they have both in the system calls, or in one of them (the lab's 5.15 in fdatasync). Those are
 * told a descriptor alone, and the verifier knows nothing of the file then.
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

static __always_inline bool is_known_as_stored(struct inode *inode)
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

	if (is_known_as_stored(BPF_CORE_READ(file, f_inode)))
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
	o->ns = took(s);
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

/* Does what a pointer is read as stand for an error? The verifier lets nobody look. */
static __always_inline __s64 error_of(const void *pointer)
{
	__s64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number < 0 && number >= -MAX_ERRNO ? number : 0;
}

/* An open that fails has no file, and so no file system. */
static __always_inline int open_returns(const void *flags, struct file *file)
{
	struct operation o = { .op = op_open, .by = by_call };
	__u64 *s = stamped(NUMBER_HERE(flags));

	if (!s)
		return vfs_missed();
	o.ns = took(s);
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
ESTAT_EITHER(do_filp_open, do_file_open); /* 6.18 has the one, 7.3 the other */

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
	o->ns = took(s);
	o->device = sb->s_dev;
	o->fs = NUMBER_OF(sb->s_type);
	return vfs_ended(sb, o);
}

/*
 * Argument N, or what follows the last: the verifier takes a constant offset only, and compilers
 * make one load of two.
 */
#define ARGUMENT(ctx, N)                                                                           \
	({                                                                                         \
		__u64 _argument;                                                                   \
                                                                                                   \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(_argument) : "r"(ctx), "i"(8 * (N))); \
		_argument;                                                                         \
	})

/* What a function has returned that has NARGS arguments on the oldest kernels, others on newer. */
#define RETURNED(ctx, NARGS)                                         \
	({                                                           \
		__u64 _returned = 0;                                 \
                                                                     \
		if (LINUX_KERNEL_VERSION < KERNEL_VERSION(5, 17, 0)) \
			_returned = ARGUMENT(ctx, NARGS);            \
		else                                                 \
			bpf_get_func_ret(ctx, &_returned);           \
		_returned;                                           \
	})

/* In 6.18, not in 6.12, vfs_mkdir returns a dentry, or an error in its place. */
static __always_inline __s64 mkdir_result(__s64 ret)
{
	int error = ret;

	return error < 0 && error >= -MAX_ERRNO && (ret == error || ret == (__u32)error) ? error
											 : 0;
}

/*
 * Probe a function that changes what the dentry that is its argument DENTRY names. As it returns
 * some may have the name no more, but the dentry is there.
 */
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

/* In 7.3, not in 6.18, it is not told the directory. */
#define CREATED(ctx) \
	(bpf_core_type_exists(struct delegated_inode) ? ARGUMENT(ctx, 1) : ARGUMENT(ctx, 2))

VFS_NAME(vfs_create, CREATED(ctx), (int)RETURNED(ctx, 5), op_create)
VFS_NAME(vfs_mkdir, ctx[2], mkdir_result(RETURNED(ctx, 4)), op_mkdir)
VFS_NAME(vfs_rmdir, ctx[2], (int)RETURNED(ctx, 3), op_rmdir)
VFS_NAME(vfs_unlink, ctx[2], (int)RETURNED(ctx, 4), op_unlink)
VFS_NAME(vfs_symlink, ctx[2], (int)RETURNED(ctx, 4), op_symlink)
VFS_NAME(vfs_link, ctx[3], (int)RETURNED(ctx, 5), op_link)
VFS_NAME(vfs_rename, OLD_DENTRY(ctx[0]), (int)RETURNED(ctx, 1), op_rename)

/*
 * Another CPU may take the stamp just now, and yet another one give its place to another operation,
 * for which the flag could mean that it is a copy: so only this very stamp is marked.
 */
static __always_inline void mark_again(__u64 number)
{
	__u64 whose, was, *s;
	struct stamps *set = stamps_by(number, &whose);

	s = set ? stamp_of(set, whose) : NULL;
	if (!s)
		return;
	was = *s;
	if ((was & STAMP_OWNER) == whose)
		__sync_val_compare_and_swap(s, was, was | STAMP_AGAIN);
}

/* A kernel may be configured without either of these (CONFIG_AIO, CONFIG_IO_URING). */
ESTAT_OPTIONAL(aio_read, "operations of aio");
ESTAT_OPTIONAL(aio_write, "operations of aio");
ESTAT_OPTIONAL(aio_complete_rw, "operations of aio");
ESTAT_OPTIONAL(io_read, "operations of io_uring");
ESTAT_OPTIONAL(io_write, "operations of io_uring");
ESTAT_OPTIONAL(io_complete_rw, "operations of io_uring");
ESTAT_OPTIONAL(io_complete_rw_iopoll, "operations of io_uring");

/* Is a request of io_uring issued again if it would have to wait? */
static __always_inline bool may_wait(struct io_kiocb *req)
{
	return !(BPF_CORE_READ(req, flags) & REQ_F_NOWAIT);
}

/* What is asynchronous ends elsewhere: it is stamped by its kiocb. */
static __always_inline int iocb_ends(struct kiocb *iocb, enum by by, __s64 result)
{
	struct operation o = { .by = by, .result = result, .iocb = NUMBER_OF(iocb) };
	struct file *file = iocb->ki_filp;
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	s = stamped(o.iocb);
	if (!s)
		return vfs_missed();
	if (result == -EAGAIN && by != by_aio && may_wait((struct io_kiocb *)iocb)) {
		mark_again(o.iocb);
		return 0;
	}
	o.ns = took(s);
	o.op = iocb->ki_flags & IOCB_WRITE ? op_write : op_read;
	o.how = how_of(file, o.op, iocb->ki_flags);
	return file_ends(file, &o);
}

static __always_inline int aio_enters(struct kiocb *iocb)
{
	if (!is_stored(iocb->ki_filp->f_inode))
		return 0;
	vfs_begun(NUMBER_OF(iocb));
	stamp(NUMBER_OF(iocb), 0);
	return 0;
}

SEC("fentry/aio_read")
int aio_read_enters(__u64 *ctx)
{
	return aio_enters((struct kiocb *)ctx[0]);
}

SEC("fentry/aio_write")
int aio_write_enters(__u64 *ctx)
{
	return aio_enters((struct kiocb *)ctx[0]);
}

SEC("fentry/aio_complete_rw")
int aio_completes(__u64 *ctx)
{
	return iocb_ends((struct kiocb *)ctx[0], by_aio, ctx[1]);
}

/* A request of io_uring begins with its kiocb. It is issued once more if it would have to wait. */
static __always_inline int uring_enters(struct io_kiocb *req)
{
	__u64 number = NUMBER_OF(req), *s;

	if (!is_stored(req->file->f_inode))
		return 0;
	s = stamped(number);
	if (s && *s & STAMP_AGAIN) {
		*s &= ~STAMP_AGAIN;
		return 0;
	}
	vfs_begun(number);
	stamp(number, 0);
	return 0;
}

/* In 5.15 what io_read returns does not tell whether there is a result. */
static __always_inline bool goes_on(struct io_kiocb *req, int ret)
{
	if (ret == -EAGAIN)
		return !(req->flags & REQ_F_NOWAIT);
	return ret == -EIOCBQUEUED || (!ret && !bpf_core_field_exists(req->cqe));
}

/*
 * It has a result, or there was an error; else it goes on elsewhere, or is issued again. One that
 * has got its result meanwhile has no stamp any more.
 */
static __always_inline int uring_returns(struct io_kiocb *req, enum op op, int ret)
{
	struct operation o = { .op = op, .by = by_uring, .result = ret, .iocb = NUMBER_OF(req) };
	struct file *file = req->file;
	__u64 *s;

	if (!is_stored(file->f_inode))
		return 0;
	if (goes_on(req, ret)) {
		if (!(req->flags & REQ_F_NOWAIT))
			mark_again(o.iocb);
		return 0;
	}
	s = stamped(o.iocb);
	if (!s)
		return 0;
	if (!ret && bpf_core_field_exists(req->cqe))
		o.result = req->cqe.res;
	o.ns = took(s);
	o.how = how_of(file, op, ((struct kiocb *)req)->ki_flags);
	return file_ends(file, &o);
}

SEC("fentry/io_read")
int io_read_enters(__u64 *ctx)
{
	return uring_enters((struct io_kiocb *)ctx[0]);
}

SEC("fentry/io_write")
int io_write_enters(__u64 *ctx)
{
	return uring_enters((struct io_kiocb *)ctx[0]);
}

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

/* In 5.15 what io_read returns does not tell whether there is a result, but who is told it. */
SEC("fentry/kiocb_done")
int io_completes_inside(__u64 *ctx)
{
	__s64 result = ctx[1];

	return result < 0 ? 0 : iocb_ends((struct kiocb *)ctx[0], by_uring_inside, result);
}
const volatile struct estat_function estat_function_kiocb_done = {
	.unless = "filemap_get_folios", /* 6.1 has it, with io_uring or not, 5.15 has not */
	.lacks = "",
};

SEC("fentry/io_complete_rw")
int io_completes(__u64 *ctx)
{
	return iocb_ends((struct kiocb *)ctx[0], by_uring_later, ctx[1]);
}

SEC("fentry/io_complete_rw_iopoll")
int io_completes_polled(__u64 *ctx)
{
	return iocb_ends((struct kiocb *)ctx[0], by_uring_polled, ctx[1]);
}

/*
 * It waits to be issued again, for a page or for a worker, and is not: its process is killed, or it
 * is cancelled (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). What is probed
 * passes those that io_read has found to fail, too, and in 5.15 more: they have no stamp any more.
 */
static __always_inline int uring_fails(struct io_kiocb *req, __s64 result)
{
	__u64 opcode = 1ULL << (req->opcode & 63), *s;
	struct operation o = {
		.op = opcode & IORING_WRITES ? op_write : op_read,
		.by = by_uring_failed,
		.result = result,
		.iocb = NUMBER_OF(req),
	};
	struct file *file = req->file;

	if (!(opcode & (IORING_READS | IORING_WRITES)) || !is_stored(file->f_inode))
		return 0;
	s = stamped(o.iocb);
	if (!s)
		return 0;
	o.ns = took(s);
	o.how = how_of(file, o.op, ((struct kiocb *)req)->ki_flags);
	return file_ends(file, &o);
}

/*
 * 6.1 has the one, 5.15 not. That has the other, by which a request ends that is not gathered with
 * others, with a result that io_read has found before, or with none.
 */
ESTAT_EITHER_OR(io_rw_fail, io_req_complete_post, "operations of io_uring that are given up");

SEC("fentry/io_rw_fail")
int io_fails(__u64 *ctx)
{
	struct io_kiocb *req = (struct io_kiocb *)ctx[0];

	return uring_fails(req, req->cqe.res);
}

SEC("fentry/io_req_complete_post")
int io_fails_old(__u64 *ctx)
{
	return uring_fails((struct io_kiocb *)ctx[0], (int)ctx[1]);
}

#endif /* ESTAT_MODULES_VFS_VFS_H */
