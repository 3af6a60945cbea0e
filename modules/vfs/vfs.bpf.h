/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of files, for the modules vfs, vfs.process, file, wait and trace. An operation is a
 * call of a function in fs/, from its entry to its return, which has the result:
 *
 *	vfs_read, vfs_write		read(2), write(2), pread64(2), ...
 *	vfs_readv, vfs_writev		readv(2), preadv2(2), ...
 *	vfs_iter_read, vfs_iter_write	by the kernel: nfsd, overlayfs on the file below
 *	vfs_iocb_iter_read, ..._write	by the kernel; may return before the operation ends
 *	__kernel_read, __kernel_write	by the kernel: exec(2), core dumps, ...
 *	do_splice_read, iter_file_splice_write	splice(2), sendfile(2)
 *
 * On some kernels __kernel_write_iter, vfs_splice_read or do_splice_to is probed in the place of
 * one of these. The other functions that this file probes do an fsync. If a probed function calls
 * another probed function for the same file, only the outer call counts. But if both are calls of
 * fsync functions, only the inner call counts.
 */
#ifndef ESTAT_MODULES_VFS_VFS_H
#define ESTAT_MODULES_VFS_VFS_H

#include "operation.bpf.h"

#define FILE(args, N) ((struct file *)(args)[N])

static __always_inline int file_enters(struct file *file, __u64 what, enum drawn drawn, bool typed)
{
	if (!is_followed(drawn, what, estat_id(file)) || !is_stored(file, typed))
		return 0;
	return begin(ID_HERE(file), 0, estat_id(file), what);
}

/* A module that follows a few operations (VFS_DRAWN) has no stack left to keep a struct node. */
static __always_inline int file_returns(struct file *file, struct operation *o, __u32 rwf,
					bool typed)
{
#ifdef VFS_DRAWN
	return is_stored(file, typed) && take(ID_HERE(file), o) ? io_ends(file, o, rwf, typed) : 0;
#else
	struct node n;

	if (!read_node(file, &n, typed))
		return 0;
	if (take(ID_HERE(file), o))
		return node_io_ends(file, &n, o, rwf, typed);
	if (node_is_stored(&n, typed))
		count_unseen();
	return 0;
#endif
}

/*
 * Probe a function with NARGS arguments. Argument N, counted from 0, is the struct file. RWF is an
 * expression for the flags of a read or write. At fexit the function's return value, of TYPE, is
 * read from ctx, where it follows the arguments, because bpf_get_func_ret() exists only since Linux
 * 5.17.
 */
#define VFS_FILE(FUNCTION, N, NARGS, TYPE, OP, BY, RWF)                                 \
	VFS_CALL(FUNCTION,                                                              \
		 file_enters(FILE(args, N), what | WHAT_RWF(RWF), drawn, typed) +       \
			 vfs_at(what, FILE(args, N), args, POSITION(NARGS, BY), typed), \
		 OP, BY, ctx[NARGS], (TYPE)ret,                                         \
		 (NOTE_POSITION(args, POSITION(NARGS, BY), OP),                         \
		  file_returns(FILE(args, N), &o, RWF, typed)))

/*
 * Which argument of a VFS_FILE or VFS_PART function that reads or writes is the address of the
 * position in the file; -1: none, the position is in a kiocb.
 */
#define POSITION(NARGS, BY)       \
	((BY) == by_iocb     ? -1 \
	 : (BY) == by_splice ? 1  \
	 : (BY) == by_iter   ? 2  \
	 : (BY) == by_vector ? 3  \
			     : (NARGS)-1)

/*
 * An operation returns: set o.position, for a read or write to the address of the position in the
 * file, else to 0. ARG: the number of the argument that is this address; -1: the position is in a
 * kiocb.
 */
#ifdef VFS_POSITIONS
#define NOTE_POSITION(args, ARG, OP) \
	(o.position = (OP) > op_write ? 0 : position_of(args, ARG, typed))
#else
#define NOTE_POSITION(args, ARG, OP) ((void)0)
#endif

/* Probe as VFS_FILE does, but do not count a call that a splice or copy of the file makes. */
#define VFS_PART(FUNCTION, N, NARGS, OP, BY, RWF)                                                 \
	VFS_CALL(FUNCTION,                                                                        \
		 is_part(FILE(args, N))                                                           \
			 ? 0                                                                      \
			 : file_enters(FILE(args, N), what | WHAT_RWF(RWF), drawn, typed) +       \
				   vfs_at(what, FILE(args, N), args, POSITION(NARGS, BY), typed), \
		 OP, BY, ctx[NARGS], (__s64)ret,                                                  \
		 is_part(FILE(args, N)) ? 0                                                       \
					: (NOTE_POSITION(args, POSITION(NARGS, BY), OP),          \
					   file_returns(FILE(args, N), &o, RWF, typed)))

static __always_inline bool is_part(struct file *file)
{
	return vfs_follows() && operations_find(OUTER_OF(ID_HERE(file)));
}

#define FLAGS_OF(iocb) ESTAT_READ((struct kiocb *)(iocb), ki_flags)

VFS_FILE(vfs_read, 0, 4, __s64, op_read, by_call, 0)
VFS_FILE(vfs_write, 0, 4, __s64, op_write, by_call, 0)
VFS_FILE(vfs_readv, 0, 5, __s64, op_read, by_vector, 0)
VFS_FILE(vfs_writev, 0, 5, __s64, op_write, by_vector, args[4])
VFS_FILE(vfs_iter_read, 0, 4, __s64, op_read, by_iter, 0)
VFS_PART(vfs_iter_write, 0, 4, op_write, by_iter, args[3])
VFS_FILE(vfs_iocb_iter_read, 0, 3, __s64, op_read, by_iocb, FLAGS_OF(args[1]))
VFS_FILE(vfs_iocb_iter_write, 0, 3, __s64, op_write, by_iocb, FLAGS_OF(args[1]))
VFS_FILE(__kernel_read, 0, 4, __s64, op_read, by_kernel, 0)
VFS_FILE(__kernel_write, 0, 4, __s64, op_write, by_kernel, 0)
VFS_FILE(__kernel_write_iter, 0, 3, __s64, op_write, by_kernel, 0)
ESTAT_OPTIONAL(ESTAT_REQUIRED, __kernel_write_iter, __kernel_write);

VFS_PART(do_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(vfs_splice_read, 0, 5, op_read, by_splice, 0)
VFS_PART(do_splice_to, 0, 5, op_read, by_splice, 0)
/* Linux 6.12 has vfs_splice_read, which calls do_splice_read; 6.1 has only do_splice_to. */
ESTAT_OPTIONAL("reads by splice", do_splice_read, vfs_splice_read, do_splice_to);

/* Does this thread copy or clone from or to the file (VFS_COPY)? `here` is ID_HERE of the file. */
static __always_inline bool is_copied(__u64 here)
{
	struct estat_begun *e = vfs_follows() ? operations_find(OUTER_OF(here)) : NULL;

	return e && e->began & COPIES;
}

/* Argument 2 of iter_file_splice_write is the address of the position in the file. */
static __always_inline int splice_enters(struct file *file, __u64 what, __u64 *args,
					 enum drawn drawn, bool typed)
{
	__u64 here = ID_HERE(file);

	if (!is_stored(file, typed) || is_copied(here))
		return 0;
	if (is_followed(drawn, what, estat_id(file)))
		begin(OUTER_OF(here), 0, estat_id(file), what | WHAT_ID(1));
	return vfs_at(what, file, args, 2, typed);
}

static __always_inline int splice_returns(struct file *file, struct operation *o, bool typed)
{
	__u64 here = ID_HERE(file);

	if (!is_stored(file, typed) || is_copied(here) || !take_begun(OUTER_OF(here), o))
		return 0;
	return io_ends(file, o, 0, typed);
}

/*
 * In Linux 5.15 iter_file_splice_write calls vfs_iter_write. So the operation has an id of its own,
 * made by OUTER_OF, from which is_part() knows that the inner call is not to be counted.
 */
VFS_CALL(iter_file_splice_write, splice_enters(FILE(args, 1), what, args, drawn, typed), op_write,
	 by_splice, ctx[5], (__s64)ret,
	 (NOTE_POSITION(args, 2, op_write), splice_returns(FILE(args, 1), &o, typed)))

/*
 * Is this thread, which calls fsync, already in another operation of the file? In some file systems
 * a synchronous write calls fsync. `here` is ID_HERE of the file.
 */
static __always_inline bool is_write(__u64 here)
{
	return vfs_follows() && (operations_find(here) || operations_find(OUTER_OF(here)));
}

static __always_inline int fsync_enters(struct file *file, __u64 what, enum drawn drawn, bool typed)
{
	__u64 here = ID_HERE(file);

	if (!is_followed(drawn, what, estat_id(file)) || !is_stored(file, typed) || is_write(here))
		return 0;
	return begin(FSYNC_OF(here), 0, estat_id(file), what | WHAT_ID(2));
}

static __always_inline int fsync_returns(struct file *file, struct operation *o, bool typed)
{
	__u64 here = ID_HERE(file);

	if (!is_stored(file, typed) || is_write(here) || !take(FSYNC_OF(here), o))
		return 0;
	return file_ends(file, o, typed);
}

#define VFS_FSYNC(FUNCTION, NARGS, BY)                                                    \
	VFS_CALL(FUNCTION, fsync_enters(FILE(args, 0), what, drawn, typed), op_fsync, BY, \
		 ctx[NARGS], (int)ret, fsync_returns(FILE(args, 0), &o, typed))

/*
 * vfs_fsync is probed, too, because some compilers inline vfs_fsync_range into vfs_fsync. Where
 * vfs_fsync calls vfs_fsync_range, only the call of vfs_fsync_range counts.
 */
VFS_FSYNC(vfs_fsync, 2, by_call)
VFS_FSYNC(vfs_fsync_range, 4, by_kernel)

/*
 * The file of a descriptor. The verifier does not know the type of this pointer. fsync(2) and
 * fdatasync(2), whose argument is a descriptor, are probed, too, because some compilers inline
 * vfs_fsync and vfs_fsync_range into fsync(2), into fdatasync(2) (5.15 of qa/lab) or into both.
 */
static __always_inline struct file *file_of(__u32 descriptor)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	struct file **files = BPF_CORE_READ(task, files, fdt, fd), *file = NULL;

	if (descriptor < BPF_CORE_READ(task, files, fdt, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	return file;
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

#define VFS_DESCRIPTOR(NAME, BY)                                                                  \
	VFS_CALL(SYSTEM_CALL(NAME), fsync_enters(file_of(FIRST_OF(args[0])), what, drawn, false), \
		 op_fsync, BY, ctx[1], (int)ret,                                                  \
		 fsync_returns(file_of(FIRST_OF(args[0])), &o, false))

VFS_DESCRIPTOR(fsync, by_vector)
VFS_DESCRIPTOR(fdatasync, by_iter)

#endif /* ESTAT_MODULES_VFS_VFS_H */
