/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An operation of a file: its kind, what is kept of it while it is under way, and its end. */
#ifndef ESTAT_MODULES_VFS_OPERATION_H
#define ESTAT_MODULES_VFS_OPERATION_H

#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>

#include "aggregate.bpf.h"
#include "frames.bpf.h"
#include "types.bpf.h"

#define S_SYNC         1 /* S_SYNC and the next three are from include/linux/fs.h */
#define SB_SYNCHRONOUS (1UL << 4)
#define IOCB_DIRECT    (1 << 17)
#define IOCB_WRITE     (1 << 18)

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

/*
 * How a read or write is done: buffered, that is, through the page cache, or direct. sync and
 * direct_sync are buffered and direct writes that return when the data is on the disk (O_SYNC,
 * O_DSYNC).
 */
enum how {
	how_none,
	how_buffered,
	how_direct,
	how_sync,
	how_direct_sync,
};

/*
 * Which BPF program sees the end: no two attached ones have both the same `op` and the same `by`.
 * Module vfs has `by` as an axis of its key, so that only one BPF program writes the values of a
 * key.
 */
enum by {
	by_call,
	by_vector,
	by_iter,
	by_iocb,
	by_kernel,
	by_splice,
	by_aio,
	by_uring,        /* io_uring: ended at the return of io_read or io_write */
	by_uring_later,  /* io_uring: ended in io_complete_rw */
	by_uring_polled, /* io_uring: found complete by polling (IORING_SETUP_IOPOLL) */
	by_uring_inside, /* io_uring, only Linux 5.15: ended before io_read or io_write returned */
	by_uring_failed, /* io_uring: the request was abandoned before it was issued again */
};

struct operation {
	enum op op;
	enum how how;
	enum by by;
	__u32 device;
	__u64 fs; /* a number that identifies the file system's type */
	__u64 ns;
	__s64 result; /* bytes, 0, or a negative errno */
	__u64 iocb;   /* of an operation of aio or io_uring, the estat_id() of the kiocb; else 0 */
	/* what vfs_taken() returned; 64 bits, because the struct must have no padding */
	__u64 split;
	__u64 file;   /* address of the struct file; 0: the operation, such as mkdir, has none */
	__u64 dentry; /* address of the dentry, if `file` is 0 */
#ifdef VFS_POSITIONS
	/* address of the position in the file; 0: not known, or in the kiocb `iocb` */
	__u64 position;
#endif
};

/* Do operations of kind `op` have a size? */
static __always_inline bool transfers_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_copy || op == op_clone;
}

/* Has the operation no result yet, because it may be tried again or goes on unseen? */
static __always_inline bool is_unfinished(const struct operation *o)
{
	return o->result == -EAGAIN || o->result == -EIOCBQUEUED;
}

/*
 * Count an operation in v. True: the operation did not fail and has a size, so the caller counts
 * the operation by size, too.
 */
static __always_inline bool count_operation(struct estat_io *v, const struct operation *o)
{
	estat_count_end(v, o->ns, o->result < 0);
	if (!v || o->result < 0 || !transfers_bytes(o->op))
		return false;
	estat_add(v->bytes, o->result);
	estat_count(v->size, estat_size_bucket(o->result));
	return true;
}

/* The module defines vfs_ended(sb, o): operation o in file system sb ended. */
static int vfs_ended(struct super_block *sb, const struct operation *o);

/*
 * A module that defines the macro VFS_BEGUN or VFS_SPLIT defines
 * - vfs_begun(id, what): the current thread begins an operation. The operation can end in another
 *   thread if WHAT_IS(what) is object_iocb.
 * A module that defines VFS_SPLIT also defines
 * - vfs_left(id): the call that began the operation returns; the operation may go on.
 * - vfs_taken(id): the operation ends. The value that vfs_taken() returns becomes o->split of the
 *   operation, for which vfs_ended() may be called next.
 */
static __always_inline void vfs_begun(__u64 id, __u64 what);
static __always_inline void vfs_left(__u64 id);
static __always_inline bool vfs_taken(__u64 id);

#if !defined(VFS_BEGUN) && !defined(VFS_SPLIT)
static __always_inline void vfs_begun(__u64 id, __u64 what)
{
}
#endif

#ifndef VFS_SPLIT
static __always_inline void vfs_left(__u64 id)
{
}

static __always_inline bool vfs_taken(__u64 id)
{
	return false;
}
#endif

/* Is an operation that begins to be followed? */
enum drawn {
	drawn_out, /* no, and nothing else is to be done, so nobody needs to look at the file */
	drawn_not, /* only if vfs_joins() says so */
	drawn_in,  /* yes, if the file is_stored() */
};

/*
 * A module that follows a few operations defines VFS_DRAWN and
 * - vfs_draws(what): whether the operation that begins is drawn. This is asked first, and of calls
 *   for files of any kind, because the answer mostly is drawn_out.
 * - vfs_joins(what, object): whether the operation is followed although it is not drawn, because it
 *   is part of another that is followed; for `object` see enum object
 * - vfs_follows(): whether any operation is followed now
 * - vfs_at(what, file, args, position, typed): a synchronous operation on the file has begun,
 *   followed or not, unless vfs_draws() said drawn_out. args[] are the arguments of the probed
 *   function; `position` is the parameter `argument` of position_of(). Returns 0.
 * - vfs_at_aio(what, args), vfs_at_uring(what, id): as vfs_at(), for aio and for io_uring
 * - vfs_again(id): the current thread goes on with an operation of io_uring after vfs_left(id)
 */
static __always_inline enum drawn vfs_draws(__u64 what);
static __always_inline bool vfs_joins(__u64 what, __u64 object);
static __always_inline bool vfs_follows(void);
static __always_inline int vfs_at(__u64 what, struct file *file, __u64 *args, int position,
				  bool typed);
static __always_inline int vfs_at_aio(__u64 what, __u64 *args);
static __always_inline int vfs_at_uring(__u64 what, __u64 id);
static __always_inline void vfs_again(__u64 id);

#ifndef VFS_DRAWN
static __always_inline enum drawn vfs_draws(__u64 what)
{
	return drawn_in;
}

static __always_inline bool vfs_joins(__u64 what, __u64 object)
{
	return false;
}

static __always_inline bool vfs_follows(void)
{
	return true;
}

static __always_inline int vfs_at(__u64 what, struct file *file, __u64 *args, int position,
				  bool typed)
{
	return 0;
}

static __always_inline int vfs_at_aio(__u64 what, __u64 *args)
{
	return 0;
}

static __always_inline int vfs_at_uring(__u64 what, __u64 id)
{
	return 0;
}

static __always_inline void vfs_again(__u64 id)
{
}
#endif

enum bpf_func_id___argument {
	BPF_FUNC_get_func_arg___argument,
};

/*
 * A probed function's argument that is a pointer to an integer. Before Linux 5.17 the result is 0
 * at fentry and fexit, where the verifier does not let a BPF program read such an argument.
 */
static __always_inline __u64 vfs_pointer(__u64 *args, int argument, bool typed)
{
	__u64 pointer = 0;

	if (!typed)
		return args[argument];
	if (bpf_core_enum_value_exists(enum bpf_func_id___argument,
				       BPF_FUNC_get_func_arg___argument))
		bpf_get_func_arg(args, argument, &pointer);
	return pointer;
}

/*
 * The address of the position in the file of a read or write: argument number `argument` of the
 * probed function or, if `argument` is -1, an address in the kiocb that is argument 1. Arguments
 * count from 0. Result 0: see vfs_pointer().
 */
static __always_inline __u64 position_of(__u64 *args, int argument, bool typed)
{
	if (argument < 0)
		return estat_id(&((struct kiocb *)args[1])->ki_pos);
	return vfs_pointer(args, argument, typed);
}

struct operation_note {
	__u64 object; /* an address, see enum object */
	__u64 what;   /* see WHAT */
};

/* Operations under way. The id: see ID_HERE; for a kiocb's operation, estat_id() of the kiocb. */
ESTAT_INFLIGHT(operations, NOTED, 4096, struct operation_note);

/*
 * The ids of the current thread's operations on the object at p, such as a file or dentry. Most
 * operations have the id ID_HERE. Copies, clones and writes by splice, which can call other probed
 * functions for the same file, have the id OUTER_OF(ID_HERE). An fsync has the id
 * FSYNC_OF(ID_HERE), because a synchronous write of the same file can call fsync.
 */
#define ID_HERE(p)     (estat_id((const void *)(p)) + bpf_get_current_task() * 0x9e3779b97f4a7c15)
#define OUTER_OF(here) ((here) + 1)
#define FSYNC_OF(here) ((here) + 2)

/* Flag of an entry whose id is made by OUTER_OF: the operation is a copy or a clone. */
#define COPIES ESTAT_FLAG_1
/* Flag of an entry whose id is that of a kiocb: io_uring may issue the request again. */
#define REISSUED ESTAT_FLAG_1

/*
 * note.what of an entry of `operations` is the sum of WHAT(), WHAT_OBJECT(), WHAT_ID(),
 * WHAT_CALLS() and WHAT_RWF(), each in bits of its own. OP is an enum op. BY is an enum by. An
 * operation of io_uring begins with by_uring, and can end with another enum by. The walks
 * (under_way.bpf.h) read the sum.
 */
#define WHAT(OP, BY)      ((OP) | (BY) << 8)
#define WHAT_OBJECT(KIND) ((KIND) << 16) /* an enum object: what note.object is */
#define WHAT_IS(WHAT)     ((WHAT) >> 16 & 15)
#define WHAT_ID(ADDED)    ((ADDED) << 20)             /* ADDED: the id is ID_HERE + ADDED */
#define WHAT_CALLS(CALLS) (((CALLS)&1023) << 22)      /* calls_here() at the operation's begin */
#define WHAT_RWF(RWF)     ((__u64)(__u32)(RWF) << 32) /* RWF: argument `rwf` of how_of() */

enum object {
	object_file,
	object_dentry,
	object_iocb,   /* the id is the kiocb's; the object is the first thread of the process */
	object_lookup, /* an open's struct open_flags: the file is not known yet */
	object_none,   /* the operation does not count */
};

/*
 * How many calls of this thread that read or write have ended; always 0 if the kernel does not
 * count such calls.
 */
static __always_inline __u64 calls_here(void)
{
	struct task_struct___files *task = (void *)bpf_get_current_task_btf();

	if (!bpf_core_field_exists(task->ioac.syscw))
		return 0;
	return task->ioac.syscr + task->ioac.syscw;
}

/* Is the operation that begins followed, provided that its object is_stored()? */
static __always_inline bool is_followed(enum drawn drawn, __u64 what, __u64 object)
{
	return drawn == drawn_in || vfs_joins(what, object);
}

static __always_inline int begin(__u64 id, __u64 flag, __u64 object, __u64 what)
{
	operations_begin(id, bpf_ktime_get_ns() | flag,
			 (struct operation_note){ object, what | WHAT_CALLS(calls_here()) });
	vfs_begun(id, what);
	return 0;
}

/*
 * An operation ends: set o->ns and o->split. False: `operations` has no entry of the operation, or
 * the module follows no operation now.
 */
static __always_inline bool take(__u64 id, struct operation *o)
{
	__s64 ns = vfs_follows() ? operations_take(id, bpf_ktime_get_ns()) : -1;

	o->ns = ns;
	if (ns >= 0)
		o->split = vfs_taken(id);
	return ns >= 0;
}

/*
 * An operation has no entry: its begin was not seen, so it counts as missed, except in a module
 * that follows only a few operations.
 */
static __always_inline void count_unseen(void)
{
#ifndef VFS_DRAWN
	estat_count_missed();
#endif
}

/* Does what take() does, and calls count_unseen() if take() returns false. */
static __always_inline bool take_begun(__u64 id, struct operation *o)
{
	if (take(id, o))
		return true;
	count_unseen();
	return false;
}

/*
 * Does a file system store data? Yes if the file system has a block device, or a backing_dev_info
 * with writeback (btrfs, network file systems), or is tmpfs or overlayfs.
 */
static __always_inline bool stores(struct super_block *sb, bool typed)
{
	struct backing_dev_info *bdi;
	__u64 magic;

	if (ESTAT_READ(sb, s_bdev))
		return true;
	bdi = ESTAT_READ(sb, s_bdi);
	magic = ESTAT_READ(sb, s_magic);
	return ESTAT_READ(bdi, capabilities) & BDI_CAP_WRITEBACK || magic == TMPFS_MAGIC ||
	       magic == OVERLAYFS_SUPER_MAGIC;
}

/* What is read of a file's inode. */
struct node {
	struct inode *inode;
	struct super_block *sb; /* of a block device: the file system of its /dev node */
	__u32 type;             /* S_IFREG, S_IFDIR or S_IFBLK */
};

/* Fill in *n. False: the file is neither a regular file nor a directory nor a block device. */
static __always_inline bool read_node(struct file *file, struct node *n, bool typed)
{
	struct inode *inode = ESTAT_READ(file, f_inode);
	__u32 type = ESTAT_READ(inode, i_mode) & S_IFMT;

	if (type != S_IFREG && type != S_IFDIR && type != S_IFBLK)
		return false;
	*n = (struct node){ .inode = inode, .sb = ESTAT_READ(inode, i_sb), .type = type };
	return true;
}

static __always_inline bool node_is_stored(const struct node *n, bool typed)
{
	return n->type == S_IFBLK || stores(n->sb, typed);
}

/* Is a file a block device, or a regular file or directory of a file system that stores data? */
static __always_inline bool is_stored(struct file *file, bool typed)
{
	struct node n;

	return read_node(file, &n, typed) && node_is_stored(&n, typed);
}

/*
 * How a read or write is done. `rwf`: the flags of the call or kiocb. A kiocb can be direct without
 * O_DIRECT: the NFS server of Linux 7.2 can be configured so (fs/nfsd/vfs.c, nfsd_direct_read).
 */
static __always_inline enum how how_of(struct file *file, const struct node *n, enum op op,
				       __u32 rwf, bool typed)
{
	struct inode *inode = n->inode;
	struct super_block *sb = n->sb;
	__u32 flags = ESTAT_READ(file, f_flags);
	bool direct = flags & O_DIRECT || rwf & IOCB_DIRECT;

	if (op == op_write &&
	    (flags & O_DSYNC || rwf & (RWF_DSYNC | RWF_SYNC) ||
	     ESTAT_READ(inode, i_flags) & S_SYNC || ESTAT_READ(sb, s_flags) & SB_SYNCHRONOUS))
		return direct ? how_direct_sync : how_sync;
	return direct ? how_direct : how_buffered;
}

/* Set o->device and o->fs. A block device's file system is bdev, not that of its /dev node. */
static __always_inline struct super_block *find_place(struct file *file, const struct node *n,
						      struct operation *o, bool typed)
{
	struct super_block *sb = n->sb;
	struct inode *inode = n->inode, *host;
	struct address_space *mapping;

	if (n->type == S_IFBLK) {
		mapping = ESTAT_READ(file, f_mapping);
		host = ESTAT_READ(mapping, host);
		sb = ESTAT_READ(host, i_sb);
		o->device = ESTAT_READ(inode, i_rdev);
	} else {
		o->device = ESTAT_READ(sb, s_dev);
	}
	o->fs = estat_id(ESTAT_READ(sb, s_type));
	return sb;
}

static __always_inline int node_ends(struct file *file, const struct node *n, struct operation *o,
				     bool typed)
{
	o->file = estat_id(file);
	return vfs_ended(find_place(file, n, o, typed), o);
}

/* The operation `o` on the file has ended: fill in *o and call vfs_ended(). `rwf`: see how_of(). */
static __always_inline int node_io_ends(struct file *file, const struct node *n,
					struct operation *o, __u32 rwf, bool typed)
{
	if (o->op == op_read || o->op == op_write)
		o->how = how_of(file, n, o->op, rwf, typed);
	return node_ends(file, n, o, typed);
}

/*
 * file_ends() and io_ends() do what node_ends() and node_io_ends() do, and read the inode. For
 * fewer reads a caller can read the inode earlier, and keep it in a struct node. That takes stack,
 * of which not all callers have enough.
 */
static __always_inline int file_ends(struct file *file, struct operation *o, bool typed)
{
	struct node n;

	return read_node(file, &n, typed) ? node_ends(file, &n, o, typed) : 0;
}

static __always_inline int io_ends(struct file *file, struct operation *o, __u32 rwf, bool typed)
{
	struct node n;

	return read_node(file, &n, typed) ? node_io_ends(file, &n, o, rwf, typed) : 0;
}

/*
 * Define a BPF program at the entry of FUNCTION that returns the expression RESULT. Interrupts can
 * call some of the functions for which this macro is used, so the BPF program is at fentry only
 * (see frames.bpf.h).
 */
#define VFS_ENTRY(NAME, FUNCTION, RESULT)     \
	SEC("fentry/" ESTAT_STRING(FUNCTION)) \
	int NAME(__u64 *ctx)                  \
	{                                     \
		return RESULT;                \
	}

/*
 * Define NAME(args, typed), the body of a probe. BEGINS is an expression that begins an operation,
 * and is not evaluated if vfs_draws() says drawn_out. BEGINS can use the variables `what`, whose
 * value is WHAT, and `drawn`.
 */
#define VFS_BEGINS(NAME, WHAT, BEGINS)                                 \
	static __always_inline int NAME(__u64 *args, const bool typed) \
	{                                                              \
		const __u64 what = WHAT;                               \
		const enum drawn drawn = vfs_draws(what);              \
                                                                       \
		return drawn == drawn_out ? 0 : (BEGINS);              \
	}

/*
 * Probe a call of FUNCTION. ENTERS is code that begins an operation with the note `what`, which has
 * OP and BY. RETURNS is code that ends the operation `o`. RESULT is an expression for o.result, in
 * which `ret` is the function's return value. For RETURNED see ESTAT_MULTI_CALL.
 */
#define VFS_CALL(FUNCTION, ENTERS, OP, BY, RETURNED, RESULT, RETURNS) \
	VFS_CALL_OF(FUNCTION, ENTERS, OP, BY, RETURNED, RESULT, RETURNS)
#define VFS_CALL_OF(FUNCTION, ENTERS, OP, BY, RETURNED, RESULT, RETURNS)                     \
	VFS_BEGINS(FUNCTION##_begins, WHAT(OP, BY), ENTERS)                                  \
	static __always_inline int FUNCTION##_ends(__u64 *args, __u64 ret, const bool typed) \
	{                                                                                    \
		struct operation o;                                                          \
                                                                                             \
		if (!vfs_follows())                                                          \
			return 0;                                                            \
		o = (struct operation){ .op = OP, .by = BY, .result = RESULT };              \
		return RETURNS;                                                              \
	}                                                                                    \
	ESTAT_MULTI_CALL(FUNCTION, FUNCTION##_begins, RETURNED, FUNCTION##_ends)

#endif /* ESTAT_MODULES_VFS_OPERATION_H */
