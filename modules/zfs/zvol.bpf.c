// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zvol: reads and writes of ZFS volumes (zvols), by pool and volume. One
 * operation is one bio or, with blk-mq, one request:
 *
 *	zvol_submit_bio, zvol_mq_queue_rq -- queue.* -->
 *	  a taskq's thread: zvol_read_task, zvol_write_task or zvol_discard_task -- * -->
 *	    zvol_read: ... dataset_kstats_update_read_kstats ... the bio ends
 *	  trace_zfs_taskq_ent__finish
 *
 * Compilers change or inline zvol_read and its like, so their callers are
 * probed: the tasks or, where ZFS is told to do without (the module's parameter
 * zvol_request_sync, the property volthreading=off), who would have made them.
 * When those return the bio may be gone, and so may the volume: all that is
 * needed of them is noted at the entry.
 */
#include "return.bpf.h"
#include "stamps.bpf.h"
#include "thread.bpf.h"
#include "zfs.bpf.h"

ESTAT_MODULE(zvol, 5);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE("/sys/block/zd*/stat", "");

enum op {
	op_read,
	op_write,
	op_flush,
	op_discard,
};

/* Does it wait for the intent log? */
enum sync {
	sync_async,
	sync_sync,
};

struct key {
	estat_name_t pool;
	estat_name_t volume;
	enum op op;
	enum sync sync;
};

struct value {
	struct estat_io;
	struct estat_latency queue ESTAT_GROUP(
		1,
		"From the entry of zvol_submit_bio or, with blk-mq, of zvol_mq_queue_rq, to that\n"
		"of the task, by a taskq's thread: the wait for one, when all (zvol_threads) have\n"
		"something to do, or while the volume is suspended, as for a rollback. Only of\n"
		"operations that succeed; where there are no tasks there is no queue");
};

ESTAT_SERIES(
	zvol, 0, struct key, struct value, 1024,
	"From the entry of zvol_read_task, zvol_write_task or zvol_discard_task, by which a\n"
	"taskq's thread calls zvol_read and its like, to its return or, by kprobes, to the\n"
	"entry of trace_zfs_taskq_ent__finish, which follows; the wait for that thread is\n"
	"zvol.queue. With zvol_request_sync=1 or volthreading=off, when there are no such\n"
	"tasks, and a flush that is done with at once, as OpenZFS does up to 2.3.4 with blk-mq:\n"
	"zvol_submit_bio or, with blk-mq, zvol_mq_queue_rq. An operation is sync\n"
	"if it waits for the intent log: writes and discards with FUA or a flush before\n"
	"them, or if the volume has sync=always; and flushes; none if it has sync=disabled.\n"
	"Reads and writes that were not done completely have failed; failures of discards do\n"
	"not show. What is refused at once, as a write to a read-only volume, does not count.\n"
	"The volume's objset kstat has the same reads and writes. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(queue, 215, "vfs iscsi.backend");
ESTAT_LAYER(zvol, 220, "vfs iscsi.backend");
/* As the original, which does not tell reads apart. */
ESTAT_SHOWN(zvol, "rows {op}, {sync!op=read}");

/* The symbol of blk-mq's entry, which OpenZFS 2.1 lacks, for it has no blk-mq. */
ESTAT_OPTIONAL(zvol_mq_queue_rq, "");
ESTAT_EITHER(zvol_os_free, zvol_free);
ESTAT_EITHER(zvol_os_rename_minor, zvol_rename_minor);

/* ZFS's variable */
ESTAT_ADDRESS(zvol_request_sync);

/* An operation under way. */
struct io {
	struct key key;
	__u64 entered; /* when, of a task under way; else 0 */
	__s64 queued;  /* how long it waited for a thread; -1: not at all, or that is not known */
	__u64 bytes;   /* asked for */
	__u64 kstat;   /* where the volume's is; 0 once it has counted this */
	__u64 moved;   /* bytes that it has counted */
};

/* What a thread does. A task can lead to a submission, to a volume below its pool. */
struct thread {
	struct io task, submission;
};

ESTAT_PER_THREAD(threads, struct thread);
ESTAT_LEFT(threads, struct thread, task.entered, zvol_state);

/*
 * Another one for each name and each time that it is made: its kstat's number. A
 * snapshot has no kstat.
 */
static __always_inline __u64 volume_id(struct zvol_state *zv)
{
	struct kstat_s *kstat = BPF_CORE_READ(zv, zv_kstat.dk_kstats);

	return BPF_CORE_READ(zv, zv_hash) ^ (kstat ? BPF_CORE_READ(kstat, ks_kid) : 0);
}

static __always_inline void name(const struct key *key, struct zvol_state *zv)
{
	name_pool(key->pool, BPF_CORE_READ(zv, zv_objset, os_spa));
	estat_name(key->volume, (const char *)__builtin_preserve_access_index(&zv->zv_name));
}

/* As zvol_write and zvol_discard decide; zvol_read does not wait. */
static __always_inline enum sync sync_of(struct zvol_state *zv, enum op op, __u32 flags)
{
	__u32 waits = 1U << bpf_core_enum_value(enum req_flag_bits, __REQ_FUA) |
		      1U << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH);
	zfs_sync_type_t property = BPF_CORE_READ(zv, zv_objset, os_sync);

	if (op == op_read || property == ZFS_SYNC_DISABLED)
		return sync_async;
	return op == op_flush || property == ZFS_SYNC_ALWAYS || flags & waits ? sync_sync
									      : sync_async;
}

static __always_inline void missed(void)
{
	__sync_fetch_and_add(&zvol_state.missed, 1);
}

/* This thread; NULL if there is no memory for it. */
static __always_inline struct thread *thread(void)
{
	struct thread *t = threads_make();

	if (!t)
		missed();
	return t;
}

/* Either bio or rq is NULL; a write of no bytes is a flush. */
static __noinline int begins(struct io *io, struct zvol_state *zv, struct bio *bio,
			     struct request *rq, enum op op)
{
	__u32 flags = bio ? BPF_CORE_READ(bio, bi_opf) : BPF_CORE_READ(rq, cmd_flags);

	io->bytes = bio ? BPF_CORE_READ(bio, bi_iter.bi_size) : BPF_CORE_READ(rq, __data_len);
	if (op == op_write && !io->bytes)
		op = op_flush;
	io->key = (struct key){
		.pool = pool_id(BPF_CORE_READ(zv, zv_objset, os_spa), false),
		.volume = volume_id(zv),
		.op = op,
		.sync = sync_of(zv, op, flags),
	};
	io->kstat = (__u64)__builtin_preserve_access_index(&zv->zv_kstat);
	io->moved = 0;
	if (!zvol_find(&io->key)) {
		name(&io->key, zv);
		zvol_insert(&io->key);
	}
	return 0;
}

static __always_inline int task_begins(const struct estat_call *call, enum op op)
{
	struct zv_request_task *task = (struct zv_request_task *)call->arg[0];
	struct bio *bio = BPF_CORE_READ(task, zvr.bio);
	struct thread *t = thread();
	struct request *rq = NULL;

	if (!t)
		return 0;
	threads_count_left(t);
	if (bpf_core_field_exists(task->zvr.rq))
		rq = BPF_CORE_READ(task, zvr.rq);
	t->task.entered = bpf_ktime_get_ns();
	t->task.queued = stamp_taken((__u64)bio | (__u64)rq, t->task.entered);
	if (t->task.queued < 0)
		missed();
	return begins(&t->task, BPF_CORE_READ(task, zvr.zv), bio, rq, op);
}

/* Does the thread that submits do it itself? */
static __always_inline bool is_threadless(struct zvol_state *zv)
{
	__u32 always = 0;

	if (estat_address_zvol_request_sync)
		bpf_probe_read_kernel(&always, sizeof(always),
				      (const void *)estat_address_zvol_request_sync);
	return always || (bpf_core_field_exists(zv->zv_threading) &&
			  BPF_CORE_READ(zv, zv_threading) == B_FALSE);
}

static __always_inline enum op op_of(__u32 flags)
{
	__u32 op = flags & 0xff;

	if (op == REQ_OP_FLUSH)
		return op_flush;
	if (op == REQ_OP_DISCARD || op == REQ_OP_SECURE_ERASE)
		return op_discard;
	return op & 1 ? op_write : op_read; /* op_is_write, include/linux/blk_types.h */
}

/*
 * With blk-mq a request for a flush is done by a task since OpenZFS 2.3.5; before, it is taken for
 * a read of no bytes, and so done with at once (zvol_request_impl).
 */
static __always_inline __u64 submission_begins(struct zvol_state *zv, struct bio *bio,
					       struct request *rq, __u32 flags)
{
	bool threadless = is_threadless(zv);
	enum op op = op_of(flags);
	struct thread *t;

	if (!threadless)
		stamp_address((__u64)bio | (__u64)rq, bpf_ktime_get_ns());
	if (!threadless && !(rq && op == op_flush))
		return 0;
	t = thread();
	if (!t)
		return 0;
	t->submission.queued = -1;
	begins(&t->submission, zv, bio, rq, op);
	return threadless ? 1 : (__u64)rq;
}

static __noinline int ends(struct io *io, __u64 ns)
{
	bool moves = io->key.op == op_read || io->key.op == op_write, failed;
	struct key key = io->key;
	struct value *v;

	if (moves && io->kstat) { /* it was refused */
		io->kstat = 0;
		return 0;
	}
	v = zvol_find(&key);
	if (!v)
		return 0;
	failed = moves && io->moved != io->bytes;
	zvol_count_io((struct estat_io *)v, &key, ns, io->bytes, failed);
	if (!failed && io->queued >= 0)
		estat_count_latency(&v->queue, io->queued);
	return 0;
}

static __always_inline int task_ends(void)
{
	struct thread *t = threads_kept();
	__u64 entered;

	if (!t || !t->task.entered)
		return 0;
	entered = t->task.entered;
	t->task.entered = 0;
	if (entered <= estat_attached)
		return 0;
	return ends(&t->task, bpf_ktime_get_ns() - entered);
}

/* Or has the request that was noted become a task's? Until that begins its stamp is there. */
static __always_inline bool is_done(__u64 noted, __u64 now)
{
	struct request *rq = (struct request *)noted;

	return noted == 1 ||
	       (BPF_CORE_READ(rq, state) == MQ_RQ_IDLE && stamp_taken(noted, now) >= 0);
}

static __always_inline int submission_ends(const struct estat_call *call)
{
	struct thread *t = threads_here();
	__u64 now = bpf_ktime_get_ns();

	return t && is_done(call->noted, now) ? ends(&t->submission, now - call->entered) : 0;
}

static __always_inline void note_moved(struct io *io, const struct estat_call *call)
{
	if (io->kstat != call->arg[0])
		return;
	io->kstat = 0;
	io->moved = call->arg[1];
}

/* Something was read or written, as far as it could be: of a volume or a file. */
static __always_inline int moved(const struct estat_call *call)
{
	struct thread *t = threads_here();

	if (!t)
		return 0;
	note_moved(&t->task, call);
	note_moved(&t->submission, call);
	return 0;
}

ESTAT_ENTRY(zvol_has_read, dataset_kstats_update_read_kstats, 2)
{
	return moved(call);
}

ESTAT_ENTRY(zvol_has_written, dataset_kstats_update_write_kstats, 2)
{
	return moved(call);
}

ESTAT_ENTRY(zvol_reads, zvol_read_task, 1)
{
	return task_begins(call, op_read);
}

ESTAT_ENTRY(zvol_writes, zvol_write_task, 1)
{
	return task_begins(call, op_write);
}

ESTAT_ENTRY(zvol_discards, zvol_discard_task, 1)
{
	return task_begins(call, op_discard);
}

ESTAT_FEXIT(zvol_read_done, zvol_read_task, 1)
{
	return task_ends();
}

ESTAT_FEXIT(zvol_write_done, zvol_write_task, 1)
{
	return task_ends();
}

ESTAT_FEXIT(zvol_discard_done, zvol_discard_task, 1)
{
	return task_ends();
}

/* A taskq's thread has done a task, of whatever kind (module/os/linux/spl/spl-taskq.c). */
ESTAT_INSTEAD(zvol_task_done, trace_zfs_taskq_ent__finish)
{
	return task_ends();
}

static __always_inline __u64 bio_begins(const struct estat_call *call, bool typed)
{
	struct bio *bio = (struct bio *)call->arg[0];
	struct zvol_state *zv = BPF_CORE_READ(bio, bi_bdev, bd_disk, queue, queuedata);

	return submission_begins(zv, bio, NULL, BPF_CORE_READ(bio, bi_opf));
}

ESTAT_CALL(zvol_submits, zvol_submit_bio, 1, bio_begins)
{
	return submission_ends(call);
}

static __always_inline __u64 request_begins(const struct estat_call *call, bool typed)
{
	struct blk_mq_queue_data *bd = (struct blk_mq_queue_data *)call->arg[1];
	struct request *rq = BPF_CORE_READ(bd, rq);
	struct zvol_state *zv = BPF_CORE_READ(rq, q, queuedata);

	return submission_begins(zv, NULL, rq, BPF_CORE_READ(rq, cmd_flags));
}

ESTAT_CALL(zvol_queues, zvol_mq_queue_rq, 2, request_begins)
{
	return submission_ends(call);
}

/* A volume goes, or will have another name. */
static __always_inline int gone(const struct estat_call *call)
{
	estat_name_gone(volume_id((struct zvol_state *)call->arg[0]));
	return 0;
}

ESTAT_ENTRY(zvol_freed, zvol_os_free, 1)
{
	return gone(call);
}

ESTAT_ENTRY(zvol_freed_before_2_2, zvol_free, 1)
{
	return gone(call);
}

ESTAT_ENTRY(zvol_renamed, zvol_os_rename_minor, 1)
{
	return gone(call);
}

ESTAT_ENTRY(zvol_renamed_before_2_2, zvol_rename_minor, 1)
{
	return gone(call);
}
