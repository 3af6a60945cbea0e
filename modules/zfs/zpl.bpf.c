// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zpl: reads and writes of files on ZFS, by pool and by dataset. One operation is one call of
 * zfs_read or zfs_write, by a process, the NFS server or a loop device. I/O of mapped files' pages
 * calls neither. Both functions call rrm_exit last, to leave the dataset (ZFS_EXIT in OpenZFS 2.1,
 * later zfs_exit).
 */
#include <linux/fcntl.h>

#include "dataset.bpf.h"
#include "thread_walk.bpf.h"

ESTAT_MODULE(zpl, 4);
ESTAT_NEEDS_ZFS;

enum op {
	op_read,
	op_write,
};

/* Does the call wait for the intent log? */
enum sync {
	sync_async,
	sync_sync,
};

struct key {
	estat_name_t pool;
	estat_name_t dataset;
	enum op op;
	enum sync sync;
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_SERIES(dataset, 0, struct key, struct value, 1024,
	     "The same operations as estat.zpl, by the dataset. The dataset's objset kstat counts\n"
	     "these operations and, in addition, pages of mapped files, failed reads and the I/O\n"
	     "of zfs rewrite");

/*
 * Only zpl_read_done counts reads, and only zpl_write_done counts writes. If the module is attached
 * by kprobes, zpl_leave counts both, and no other BPF program counts.
 */
ESTAT_ONE_WRITER(dataset);

ESTAT_VIEW(
	zpl, 1, dataset, "pool op sync",
	"From the entry of zfs_read or zfs_write to the return or, if the module is attached\n"
	"by kprobes, to the entry of rrm_exit, which both functions call last. A call is sync\n"
	"if the call waits for the intent log: writes with O_SYNC or O_DSYNC, unless the\n"
	"dataset has sync=disabled, and all calls if the dataset has sync=always. Bytes are\n"
	"the bytes moved, not the bytes asked for. A read at the end of a file, which moves\n"
	"nothing, does not count. A call that fails counts only in errors. Kprobes do not see\n"
	"errors: with kprobes a read counts as failed if it moves fewer bytes than were asked\n"
	"for, although the file has more, and a write if it moves nothing. Not counted: pages of\n"
	"mapped files (zfs_getpage, zfs_putpage) and cloned blocks (zfs_clone_range). A slow\n"
	"call has an event record, with who did it, the file's inode and where in the file the\n"
	"call began, but without stages. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(zpl, 210, "vfs iscsi.backend");
ESTAT_LAYOUT(zpl, "rows zfs_{op} {sync}");

#include "zpl_slow.bpf.h"

/*
 * Does the call wait for the intent log? The rule is that of zfs_read and zfs_write; Linux has no
 * FRSYNC.
 */
static __always_inline enum sync sync_of(struct zfsvfs *zfsvfs, enum op op, __u64 ioflag)
{
	zfs_sync_type_t property = BPF_CORE_READ(zfsvfs, z_os, os_sync);

	if (property == ZFS_SYNC_ALWAYS)
		return sync_sync;
	if (op == op_write && ioflag & (O_SYNC | O_DSYNC) && property != ZFS_SYNC_DISABLED)
		return sync_sync;
	return sync_async;
}

static __always_inline struct key key_of(struct zfsvfs *zfsvfs, enum op op, __u64 ioflag)
{
	return (struct key){
		.pool = pool_id(BPF_CORE_READ(zfsvfs, z_os, os_spa), false),
		.dataset = dataset_id(zfsvfs),
		.op = op,
		.sync = sync_of(zfsvfs, op, ioflag),
	};
}

static __always_inline void name(const struct key *key, struct zfsvfs *zfsvfs)
{
	name_pool(key->pool, BPF_CORE_READ(zfsvfs, z_os, os_spa));
	estat_name_dataset(key->dataset, (__u64)zfsvfs);
}

/* A thread's call of zfs_read or zfs_write. */
struct thread {
	/* call.began: 0 outside of zfs_read and zfs_write; call.noted: the bytes asked for */
	struct estat_call call;
	enum op op;
	__u64 offset; /* where in the file the call begins; set only by kprobes */
	__u64 size;   /* the file's size at the entry; set only by kprobes */
};

ESTAT_PER_THREAD(threads, struct thread);
ESTAT_LEFT(threads, struct thread, call.began);

/* Is the thread in a call that began after the start of the probes' last attachment? */
static __always_inline bool is_under_way(const struct thread *t)
{
	return t && estat_since_attach(t->call.began);
}

static __always_inline int begins(const struct estat_call *call, enum op op, bool typed)
{
	struct znode *zp = (struct znode *)call->arg[0];
	struct zfs_uio *uio = (struct zfs_uio *)call->arg[1];
	__u64 bytes = ESTAT_READ(uio, uio_resid);
	struct thread *t;

	if (op == op_write && !bytes) /* zfs_write of 0 bytes returns at once */
		return 0;
	t = threads_make();
	if (!t)
		return 0;
	threads_count_left(t);
	t->call = *call;
	t->call.noted = bytes;
	t->op = op;
	if (!typed) {
		t->offset = BPF_CORE_READ(uio, uio_loffset);
		t->size = BPF_CORE_READ(zp, z_size);
	}
	t->call.began = bpf_ktime_get_ns();
	return 0;
}

/*
 * Guess from the bytes moved whether a call failed, where the return value is not known. A read
 * failed if it moved fewer bytes than were asked for and ended before the end of the file; if the
 * file's size changed during the read, the smaller size counts. A write failed if it moved nothing.
 * Since OpenZFS 2.4 a write also fails if the pool is suspended during the write's commit
 * (failmode=continue): this failure is not detected, because the bytes were moved before.
 */
static __always_inline bool falls_short(const struct thread *t, struct znode *zp, __u64 bytes)
{
	__u64 size = BPF_CORE_READ(zp, z_size);

	if (t->op == op_write)
		return !bytes;
	if (size > t->size)
		size = t->size;
	return bytes < t->call.noted && t->offset + bytes < size;
}

/* zfs_read or zfs_write ends. `call` has the arguments and, only if `typed`, the return value. */
static __always_inline int ends(struct thread *t, const struct estat_call *call, bool typed)
{
	struct znode *zp = (struct znode *)call->arg[0];
	struct zfs_uio *uio = (struct zfs_uio *)call->arg[1];
	struct super_block *sb = ESTAT_READ(zp, z_inode.i_sb);
	/*
	 * not ESTAT_READ: since Linux 6.17 the verifier takes a void pointer that is read directly
	 * for a pointer, and refuses it as an argument that is a number
	 */
	struct zfsvfs *zfsvfs = BPF_CORE_READ(sb, s_fs_info);
	__u64 ns = bpf_ktime_get_ns() - t->call.began;
	__u64 bytes = t->call.noted - ESTAT_READ(uio, uio_resid);
	int error = typed ? (int)call->ret : falls_short(t, zp, bytes);
	struct value *v;
	struct key key;

	t->call.began = 0;
	if (!error && (!bytes || BPF_CORE_READ(zfsvfs, z_replay)))
		return 0;
	key = key_of(zfsvfs, t->op, call->arg[2]);
	v = ESTAT_GET_NAMED(dataset, &key, name(&key, zfsvfs));
	if (!v)
		return 0;
	dataset_count_io((struct estat_io *)v, &key, ns, bytes, error);
	if (dataset_is_slow(v, ns)) {
		struct ended end = {
			.ns = ns,
			.bytes = error ? 0 : bytes,
			.offset = ESTAT_READ(uio, uio_loffset) - bytes,
			.error = error,
			.inode = BPF_CORE_READ(zp, z_id),
		};

		zpl_record(&key, &end);
	}
	return 0;
}

static __always_inline int returns(const struct estat_call *call)
{
	struct thread *t = threads_kept();

	return is_under_way(t) ? ends(t, call, true) : 0;
}

ESTAT_RUN(ESTAT_ENTRY(zpl_read, zfs_read, 3), begins(call, op_read, typed));
ESTAT_RUN(ESTAT_ENTRY(zpl_write, zfs_write, 3), begins(call, op_write, typed));
ESTAT_RUN(ESTAT_EXIT(zpl_read_done, zfs_read, 3), returns(call));
ESTAT_RUN(ESTAT_EXIT(zpl_write_done, zfs_write, 3), returns(call));

/*
 * rrm_exit's second argument is the name of the function that leaves the dataset (FTAG,
 * include/sys/zfs_refcount.h).
 */
ESTAT_INSTEAD(rrm_exit, zfs_read, zfs_write);
ESTAT_ENTRY(zpl_leave, rrm_exit, 2)
{
	struct estat_call kept;
	struct thread *t;
	char tag[10] = {};

	bpf_probe_read_kernel(tag, sizeof(tag), (const void *)call->arg[1]);
	if (!estat_same(tag, "zfs_read", 9, 1) && !estat_same(tag, "zfs_write", 10, 1))
		return 0;
	t = threads_kept();
	/*
	 * the call began before the attachment, the kernel missed the kprobe of the call's entry,
	 * or a look-up in task storage failed
	 */
	if (!is_under_way(t))
		return 0;
	kept = t->call;
	return ends(t, &kept, false);
}

ESTAT_FOUND(dataset, struct key)

static __always_inline int found(const struct thread *t, __u64 walk)
{
	struct znode *zp = (struct znode *)t->call.arg[0];
	struct zfsvfs *zfsvfs;
	struct key key;
	int flags;

	if (!is_under_way(t) || !estat_is_in(t->call.began))
		return 0;
	zfsvfs = BPF_CORE_READ(zp, z_inode.i_sb, s_fs_info);
	key = key_of(zfsvfs, t->op, t->call.arg[2]);
	if (!dataset_find(&key))
		name(&key, zfsvfs);
	flags = dataset_found(&key, t->call.began, walk);
	estat_tell_thread();
	return flags;
}

ESTAT_TELLS;
ESTAT_WALK_THREADS(threads, struct thread, found);

ESTAT_ENTRY(zpl_unmount, zfs_umount, 1)
{
	struct super_block *sb = (struct super_block *)call->arg[0];

	estat_name_gone(dataset_id(BPF_CORE_READ(sb, s_fs_info)));
	return 0;
}
