// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zil: where synchronous writes wait for ZFS's intent log (ZIL), by pool and stage. The series
 * pool counts log blocks, skips and stalls.
 *
 *	write_sync, fsync -> commit -+-> allocation: put the waiting records into log
 *	                             |   blocks, one thread of a dataset at a time
 *	                             +-> io_wait: until the log block is on disk
 *
 * Compilers inline most of zil.c into zil_commit_impl. How far a commit has come shows in
 * calls of zil_itx_assign and of functions of other files:
 *
 *	zil_itx_assign		the thread puts its commit record into the log's queue
 *	dmu_tx_commit		next the thread takes zl_issuer_lock or waits for this lock
 *	spa_freeze_txg		zil_get_commit_list: the thread begins to write the log
 *	__cv_wait, cv_timedwait_hires	zil_commit_waiter: the thread waits for the log block
 *	__cv_destroy		zil_free_commit_waiter: the commit has ended
 *
 * The returns of zil_commit and zil_commit_impl cannot serve as a commit's end. zil_suspend commits
 * without zil_commit. zil_commit_impl is static since OpenZFS 2.4, so compilers may inline it.
 */

#define ESTAT_RARE

#include "return.bpf.h"
#include "thread_walk.bpf.h"
#include "zfs.bpf.h"

ESTAT_MODULE(zil, 7);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE("/proc/spl/kstat/zfs/zil", "^zil_commit_count ");

enum stage {
	stage_write_sync,
	stage_write_async,
	stage_fsync,
	stage_commit,
	stage_allocation,
	stage_io_wait,
};

struct key {
	estat_name_t pool;
	enum stage stage;
};

struct value {
	struct estat_latency;
	struct estat_inflight;
};

struct pool_key {
	estat_name_t pool;
};

struct pool_value {
	estat_count_t
		block_allocations ESTAT_FIELD(17, "Number of log blocks allocated (zio_alloc_zil)");
	estat_count_t
		block_failures ESTAT_FIELD(18, "Number of log blocks that could not be allocated");
	estat_count_t waiter_skips ESTAT_FIELD(
		19, "Number of commits that had no log block to wait for: no record was left to\n"
		    "write, the records' txg was synced first, or no log block could be allocated");
	estat_count_t writer_stalls ESTAT_FIELD(
		20, "Number of times that all commits of a dataset had to wait for a txg,\n"
		    "because no log block could be allocated (zil_commit_writer_stall)");
};

ESTAT_SERIES(
	zil, 0, struct key, struct value, 192,
	"Writes, fsyncs and commits of the intent log, by stage. write_sync: a zfs_write that\n"
	"commits, because of O_SYNC, O_DSYNC or sync=always; write_async: a zfs_write that does\n"
	"not commit. Both are measured from the entry of zfs_write to its accounting\n"
	"(dataset_kstats_update_write_kstats), so failed writes do not count. fsync: from the\n"
	"entry of zfs_fsync to the end of the commit. commit: from the entry of zil_commit (since\n"
	"OpenZFS 2.4 zil_commit_flags) to the end of the commit. allocation: the commit's thread\n"
	"puts records into log blocks and issues log blocks, from the entry of\n"
	"zil_get_commit_list until the thread waits for the commit's log block; does not count if\n"
	"another thread puts the commit's record into a log block.\n"
	"io_wait: the wait in zil_commit_waiter, and the wait for a txg if the log block failed.\n"
	"fsync and commit do not count if sync=disabled, because nothing commits then, nor while\n"
	"the log is suspended. A commit and its fsync are under way only after the commit has put\n"
	"its record into the log's queue; write_sync and write_async are never under way.\n"
	"OpenZFS 2.1 to 2.4");
ESTAT_LAYOUT(zil, "rows {stage?write_sync=zfs_write sync|write_async=zfs_write async|"
		  "fsync=zfs_fsync|commit=zil_commit|io_wait=io wait}; nested; every 60 s");

ESTAT_VIEW(commit, 2, zil, "pool if stage=commit",
	   "The stage commit of estat.zil: from the entry of zil_commit (since OpenZFS 2.4\n"
	   "zil_commit_flags) to the end of the commit. Synchronous writes and fsync wait for\n"
	   "commits. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(commit, 330, "vfs zpl zvol");

ESTAT_SERIES(
	pool, 1, struct pool_key, struct pool_value, 32,
	"Counts of the intent log's log blocks, skips and stalls, by pool. OpenZFS 2.1 to 2.4");

ESTAT_OPTIONAL("estat.zil.pool.writer_stalls", txg_wait_synced);
/* OpenZFS has zfs_rewrite since 2.3.4. */
ESTAT_OPTIONAL("", zfs_rewrite);
/* OpenZFS has zil_commit_flags since 2.4, where zil_commit and other functions call it. */
ESTAT_OPTIONAL("", zil_commit_flags);
/* OpenZFS has txg_wait_synced_flags since 2.3.3. Since 2.4 zil_commit_flags calls it. */
ESTAT_OPTIONAL("", txg_wait_synced_flags);

enum step {
	step_none,
	step_queued,  /* the thread's commit record is in the log's queue */
	step_blocked, /* the thread waits for zl_issuer_lock while other threads write the log */
	step_writing, /* the thread puts records, its own and other threads', into log blocks */
	step_waiting, /* the thread waits until its log block is on disk */
};

/*
 * The calls that a thread is in. Times are by bpf_ktime_get_ns(); 0: the thread is not in that
 * call. A call that failed can leave its time behind.
 */
struct thread {
	__u64 write;           /* when zfs_write was entered */
	struct zfsvfs *target; /* the dataset of `write` */
	__u64 fsync;           /* when zfs_fsync was entered */
	__u64 file;            /* the file's number, which zfs_fsync passes to zil_commit */
	__u64 commit;          /* when the commit began */
	__u64 flush; /* when zil_lwb_flush_vdevs_done was entered, after a log block's write */
	__u64 since; /* when `step` began, if the step is step_writing or step_waiting */
	struct zilog *zilog; /* the log of `commit` */
	__u64 cv;            /* address of the condition variable in the zil_commit_waiter */
	enum step step;
	__u32 txgs;   /* how many waits of the commit for a txg waits_for_txg() has counted */
	bool commits; /* a commit began since zfs_write was entered */
};

ESTAT_PER_THREAD(threads, struct thread);

/* A commit under way. Its id is the address of the condition variable in its zil_commit_waiter. */
struct waiter {
	__u64 began; /* when the commit began */
	struct zilog *zilog;
};

ESTAT_INFLIGHT(waiters, HASH, __u64, struct waiter, 4096);

/*
 * Does zil_commit commit? If not (sync=disabled, or a read-only pool), zil_commit returns at once.
 */
static __always_inline bool commits(struct zilog *zilog)
{
	return BPF_CORE_READ(zilog, zl_sync) != ZFS_SYNC_DISABLED &&
	       BPF_CORE_READ(zilog, zl_spa, spa_mode) & SPA_MODE_WRITE;
}

static __always_inline struct zfsvfs *dataset_of(struct znode *zp)
{
	return BPF_CORE_READ(zp, z_inode.i_sb, s_fs_info);
}

static __noinline int count_stage(struct zilog *zilog, enum stage stage, __u64 ns)
{
	struct spa *spa = BPF_CORE_READ(zilog, zl_spa);
	struct key key = {};
	struct value *v;

	key.pool = pool_id(spa, false);
	key.stage = stage;
	v = ESTAT_GET_NAMED(zil, &key, name_pool(key.pool, spa));
	estat_count_latency((struct estat_latency *)v, ns);
	return 0;
}

ESTAT_FOUND(zil, struct key)

/* Count a stage under way that a walk has found. */
static __noinline int stage_found(struct zilog *zilog, enum stage stage, __u64 began, __u64 walk)
{
	struct spa *spa = BPF_CORE_READ(zilog, zl_spa);
	struct key key = {};
	int flags;

	key.pool = pool_id(spa, false);
	key.stage = stage;
	if (!zil_find(&key))
		name_pool(key.pool, spa);
	flags = zil_found(&key, began, walk);
	estat_tell_thread();
	return flags;
}

static __always_inline int found(const struct thread *t, __u64 walk)
{
	int flags;

	if (t->step == step_none || !estat_is_in(t->commit))
		return 0;
	flags = stage_found(t->zilog, stage_commit, t->commit, walk);
	if (t->step == step_writing)
		flags |= stage_found(t->zilog, stage_allocation, t->since, walk);
	if (t->step == step_waiting)
		flags |= stage_found(t->zilog, stage_io_wait, t->since, walk);
	if (estat_since_attach(t->fsync))
		flags |= stage_found(t->zilog, stage_fsync, t->fsync, walk);
	return flags;
}

ESTAT_TELLS;
ESTAT_WALK_THREADS(threads, struct thread, found);

static __noinline struct pool_value *pool_of(struct spa *spa)
{
	struct pool_key key = { .pool = pool_id(spa, false) };

	return ESTAT_GET_NAMED(pool, &key, name_pool(key.pool, spa));
}

ESTAT_ENTRY(zil_write_begins, zfs_write, 1)
{
	struct zfsvfs *target = dataset_of((struct znode *)call->arg[0]);
	struct thread *t = threads_make();

	if (!t)
		return 0;
	t->write = bpf_ktime_get_ns();
	t->target = target;
	t->commits = false;
	t->fsync = 0;
	return 0;
}

/* Near its end a successful zfs_write calls the probed function, with the dataset's kstat. */
ESTAT_ENTRY(zil_write_ends, dataset_kstats_update_write_kstats, 1)
{
	struct thread *t = threads_here();
	struct zfsvfs *target = t ? t->target : NULL;

	if (!t || !estat_since_attach(t->write) ||
	    call->arg[0] != (__u64)__builtin_preserve_access_index(&target->z_kstat))
		return 0;
	count_stage(BPF_CORE_READ(target, z_log), t->commits ? stage_write_sync : stage_write_async,
		    bpf_ktime_get_ns() - t->write);
	t->write = 0;
	return 0;
}

/*
 * Forget a zfs_write that has failed. zfs_putpage and zfs_rewrite update the same kstat, and
 * zil_write_ends would take such an update for the end of the failed write.
 */
static __always_inline int drop_write(void)
{
	struct thread *t = threads_here();

	if (t)
		t->write = 0;
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(zil_page_written, zfs_putpage, 1), drop_write());
ESTAT_RUN(ESTAT_ENTRY(zil_rewritten, zfs_rewrite, 1), drop_write());

ESTAT_ENTRY(zil_fsync_begins, zfs_fsync, 1)
{
	struct znode *zp = (struct znode *)call->arg[0];
	struct zfsvfs *target = dataset_of(zp);
	struct thread *t = commits(BPF_CORE_READ(target, z_log)) ? threads_make() : NULL;

	if (!t)
		return 0;
	t->fsync = bpf_ktime_get_ns();
	t->file = ESTAT_READ(zp, z_id);
	t->write = 0;
	return 0;
}

static __always_inline int commit_begins(const struct estat_call *call)
{
	struct thread *t = commits((struct zilog *)call->arg[0]) ? threads_make() : NULL;

	if (!t)
		return 0;
	t->commit = bpf_ktime_get_ns();
	/*
	 * another file's number shows that this commit is not made by zfs_fsync: t->fsync is left
	 * from a zfs_fsync that failed
	 */
	if (t->file != call->arg[1])
		t->fsync = 0;
	t->commits = true;
	t->step = step_none;
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(zil_commit_begins, zil_commit, 2), commit_begins(call));
ESTAT_RUN(ESTAT_ENTRY(zil_commit_flags_begins, zil_commit_flags, 2), commit_begins(call));

ESTAT_ENTRY(zil_record_queued, zil_itx_assign, 2)
{
	struct itx *itx = (struct itx *)call->arg[1];
	struct zil_commit_waiter *waiter;
	struct waiter waits = {};
	struct thread *t;
	__u64 cv;

	if (ESTAT_READ(itx, itx_lr.lrc_txtype) != TX_COMMIT)
		return 0;
	t = threads_make();
	if (!t)
		return 0;
	waiter = ESTAT_READ(itx, itx_private);
	cv = (__u64)__builtin_preserve_access_index(&waiter->zcw_cv);
	t->zilog = (struct zilog *)call->arg[0];
	t->cv = cv;
	t->step = step_queued;
	t->txgs = 0;
	/* the commit's begin is not known, as in zil_suspend, which commits without zil_commit */
	if (!estat_since_attach(t->commit))
		t->commit = bpf_ktime_get_ns();
	waits.began = t->commit;
	waits.zilog = t->zilog;
	waiters_begin(cv, &waits);
	return 0;
}

ESTAT_ENTRY(zil_record_assigned, dmu_tx_commit, 1)
{
	struct thread *t = threads_here();

	if (t && t->step == step_queued)
		t->step = step_blocked;
	return 0;
}

ESTAT_ENTRY(zil_writer_begins, spa_freeze_txg, 1)
{
	struct thread *t = threads_here();

	if (!t || t->step != step_blocked)
		return 0;
	t->step = step_writing;
	t->since = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int wait_begins(struct thread *t, __u64 now)
{
	if (t->step == step_waiting)
		return 0;
	if (t->step == step_writing)
		count_stage(t->zilog, stage_allocation, now - t->since);
	t->step = step_waiting;
	t->since = now;
	return 0;
}

/* This thread's struct thread, if `cv` is the condition variable of its commit; else NULL. */
static __always_inline struct thread *thread_of(__u64 cv)
{
	struct thread *t = threads_here();

	return t && t->step != step_none && t->cv == cv && estat_since_attach(t->commit) ? t : NULL;
}

static __always_inline int waits(__u64 cv)
{
	struct thread *t = thread_of(cv);

	return t ? wait_begins(t, bpf_ktime_get_ns()) : 0;
}

ESTAT_RUN(ESTAT_ENTRY(zil_waits, __cv_wait, 1), waits(call->arg[0]));
ESTAT_RUN(ESTAT_ENTRY(zil_waits_a_while, cv_timedwait_hires, 1), waits(call->arg[0]));

/* The error in a commit's waiter; 0: none. `cv`: the address of the commit's condition variable. */
static __always_inline int error_of(__u64 cv)
{
	struct zil_commit_waiter *waiter =
		(void *)cv - bpf_core_field_offset(struct zil_commit_waiter, zcw_cv);
	struct zil_commit_waiter___2_3 *old = (void *)waiter;

	if (bpf_core_field_exists(waiter->zcw_error))
		return BPF_CORE_READ(waiter, zcw_error);
	return BPF_CORE_READ(old, zcw_zio_error);
}

/* Count each wait of the commit for a txg as a stall, but not the wait after the commit's error. */
static __noinline int count_stalls(struct thread *t)
{
	__u32 stalls = t->txgs - !!error_of(t->cv);
	struct zilog *zilog = t->zilog;
	struct pool_value *v = stalls ? pool_of(BPF_CORE_READ(zilog, zl_spa)) : NULL;

	if (v)
		estat_add(v->writer_stalls, stalls);
	return 0;
}

ESTAT_ENTRY(zil_commit_ends, __cv_destroy, 1)
{
	__u64 cv = call->arg[0], now;
	struct thread *t = thread_of(cv);

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	wait_begins(t, now); /* if the thread has not waited at all, io_wait takes no time */
	count_stage(t->zilog, stage_io_wait, now - t->since);
	count_stage(t->zilog, stage_commit, now - t->commit);
	if (estat_since_attach(t->fsync))
		count_stage(t->zilog, stage_fsync, now - t->fsync);
	if (t->txgs)
		count_stalls(t);
	t->commit = t->fsync = 0;
	t->step = step_none;
	waiters_free(cv);
	return 0;
}

static __always_inline __u64 flush_begins(const struct estat_call *call, bool typed)
{
	struct thread *t = threads_make();

	if (t)
		t->flush = bpf_ktime_get_ns();
	return !!t;
}

ESTAT_CALL(zil_flushed, zil_lwb_flush_vdevs_done, 1, flush_begins)
{
	struct thread *t = threads_here();

	if (t)
		t->flush = 0;
	return 0;
}

/*
 * ZFS has marked a commit as done, and wakes the commit's thread. This counts as a skip, except in
 * two cases. 1. The caller is zil_lwb_flush_vdevs_done, which runs after a log block's write.
 * 2. The commit has an error: of a log block or, since OpenZFS 2.4, from zil_crash() or a stall.
 */
ESTAT_ENTRY(zil_woken, __cv_broadcast, 1)
{
	__u64 cv = call->arg[0];
	struct waiter *found = waiters_find(cv);
	struct zilog *zilog;
	struct pool_value *v;
	struct thread *t;

	if (!found)
		return 0;
	t = threads_here();
	if ((t && estat_since_attach(t->flush)) || error_of(cv))
		return 0;
	zilog = found->zilog;
	v = pool_of(BPF_CORE_READ(zilog, zl_spa));
	if (v)
		estat_add(v->waiter_skips, 1);
	return 0;
}

/*
 * A thread waits for a txg. Only calls with txg 0 in arg[1] count. A thread that has a commit
 * record waits in zil_commit_writer_stall, or in zil_commit_impl after an error of the commit. A
 * thread in zil_commit that has no commit record waits because the log is suspended or, since
 * OpenZFS 2.4, has crashed: then this call of zil_commit counts neither as commit nor as fsync.
 * Since OpenZFS 2.4 zil_commit waits, too, after a commit has failed and has been counted.
 */
static __always_inline int waits_for_txg(const struct estat_call *call)
{
	__u64 txg = call->arg[1];
	struct thread *t = txg ? NULL : threads_here();

	if (!t)
		return 0;
	if (t->step == step_none)
		t->commit = t->fsync = 0;
	else
		t->txgs++;
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(zil_waits_for_txg, txg_wait_synced, 2), waits_for_txg(call));

/*
 * A call without flags is not counted by this probe: if the call is to be counted, the caller is
 * txg_wait_synced, whose probe has counted the wait already.
 */
ESTAT_RUN(ESTAT_ENTRY(zil_waits_for_txg_flags, txg_wait_synced_flags, 3),
	  (__u32)call->arg[2] ? waits_for_txg(call) : 0);

ESTAT_CALL(zil_block_allocated, zio_alloc_zil, 1, estat_every_call)
{
	struct pool_value *v = pool_of((struct spa *)call->arg[0]);

	if (!v)
		return 0;
	if ((int)call->ret)
		estat_add(v->block_failures, 1);
	else
		estat_add(v->block_allocations, 1);
	return 0;
}
