// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zvol: I/O of ZFS volumes (zvols), by pool and volume. One operation is one bio or, with
 * blk-mq, one request:
 *
 *	zvol_submit_bio, zvol_mq_queue_rq -- queue.* -->
 *	  a taskq's thread: zvol_read_task, zvol_write_task or zvol_discard_task -- * --> return
 *	    the task calls zvol_read: dataset_kstats_update_read_kstats ... the bio ends
 *	  the thread, after the return: trace_zfs_taskq_ent__finish
 *
 * Compilers change or inline zvol_read, zvol_write and zvol_discard, so their callers are probed:
 * the tasks or, where ZFS uses no tasks (parameter zvol_request_sync of the kernel module,
 * property volthreading=off), zvol_submit_bio and zvol_mq_queue_rq. `*` stands for the metrics
 * estat.zvol.*, the time in the caller; `queue.*` stands for estat.zvol.queue.*. When a caller
 * returns, the bio and the volume may be freed, so all data about them is copied at the entry.
 */
#include "block/bio_walk.bpf.h"
#include "block/tell.bpf.h"
#include "return.bpf.h"
#include "thread_walk.bpf.h"
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

/* Does the operation wait for the intent log? */
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

struct queue {
	struct estat_latency;
	struct estat_inflight;
};

struct value {
	struct estat_io;
	struct estat_inflight;
	struct queue queue ESTAT_GROUP(
		1,
		"From the entry of zvol_submit_bio or, with blk-mq, of zvol_mq_queue_rq, to the\n"
		"entry of the task in a taskq's thread. An operation waits while all threads of\n"
		"the operation's taskq are busy (zvol_threads, zvol_num_taskqs), or while the\n"
		"volume is suspended, such as for a rollback. Counts only operations that\n"
		"succeed, and only where ZFS uses tasks");
};

ESTAT_SERIES(
	zvol, 0, struct key, struct value, 1024,
	"From the entry of zvol_read_task, zvol_write_task or zvol_discard_task, in a taskq's\n"
	"thread, to the return of the task or, if the module is attached by kprobes, to the entry\n"
	"of trace_zfs_taskq_ent__finish, which the thread calls next; zvol.queue has the wait for\n"
	"the thread. With zvol_request_sync=1 or volthreading=off ZFS uses no tasks: then the\n"
	"latency is from the entry of zvol_submit_bio or, with blk-mq, zvol_mq_queue_rq to the\n"
	"return. The same holds for flushes with blk-mq up to OpenZFS 2.2.8 and 2.3.4, which end\n"
	"at once. An operation is sync if the operation waits for the intent log: flushes, and\n"
	"writes and discards that have FUA or a flush before them or whose volume has\n"
	"sync=always. With sync=disabled no operation is sync. A read or write that moved fewer\n"
	"bytes than asked for has failed; failures of discards, flushes and commits are not seen.\n"
	"A read or write that ZFS refuses at once, such as a write to a read-only volume, does\n"
	"not count. The volume's objset kstat has the same reads and writes. A slow operation has\n"
	"an event record, with the stages queue and task; the record's latency is the time of the\n"
	"stage task alone. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(queue, 215, "vfs iscsi.backend");
ESTAT_LAYER(zvol, 220, "vfs iscsi.backend");
/* The original estat, written with BCC, shows no sync or async for reads. */
ESTAT_LAYOUT(zvol, "rows {op}, {sync!op=read}");

/* OpenZFS 2.1 has no blk-mq, and so no zvol_mq_queue_rq. */
ESTAT_OPTIONAL("", zvol_mq_queue_rq);
ESTAT_OPTIONAL(ESTAT_REQUIRED, zvol_os_free, zvol_free);
ESTAT_OPTIONAL(ESTAT_REQUIRED, zvol_os_rename_minor, zvol_rename_minor);

ESTAT_ADDRESS(zvol_request_sync);

/* An operation under way. */
struct io {
	struct key key;
	__u64 entered; /* when the task, or the submission without a task, began; 0: none */
	/* ns that the operation waited for a taskq's thread; -1: no wait, or not known */
	__s64 queued;
	__u64 bytes; /* bytes asked for */
	/*
	 * address of the volume's kstat; 0: ZFS has counted the operation in the kstat, or a read
	 * or write that ZFS has refused, and so does not count, has ended
	 */
	__u64 kstat;
	__u64 moved; /* bytes that ZFS has counted in the kstat */
};

/*
 * The operations that a thread does: one in a task, and one in a submission. There can be both at
 * once, because a task can submit to another volume, if a pool stands on that volume.
 */
struct thread {
	struct io task, submission;
};

ESTAT_PER_THREAD(threads, struct thread);
ESTAT_LEFT(threads, struct thread, task.entered);

#include "zvol_slow.bpf.h"

/*
 * `queued` has the operations that wait for a task. The id is the address of the bio or, with
 * blk-mq, of the request: then the entry has the flag IS_REQUEST. An operation that ZFS refuses
 * keeps its entry until another operation gets the entry.
 */
#define IS_REQUEST ESTAT_FLAG_1
ESTAT_INFLIGHT(queued, SETS, 4096);

/*
 * A volume's id, from the hash of the volume's name and the id of the volume's kstat; a snapshot's
 * id is the hash alone. A renamed volume gets a new id.
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

/*
 * Does the operation wait for the log? The rule is that of zvol_write and zvol_discard; reads never
 * wait.
 */
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

/*
 * Fill *io, except ->entered and ->queued, from `bio` or `rq`, of which one is NULL. A write of no
 * bytes is a flush.
 */
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
	ESTAT_GET_NAMED(zvol, &io->key, name(&io->key, zv));
	return 0;
}

static __always_inline int task_begins(const struct estat_call *call, enum op op)
{
	struct zv_request_task *task = (struct zv_request_task *)call->arg[0];
	struct bio *bio = BPF_CORE_READ(task, zvr.bio);
	struct thread *t = threads_make();
	struct request *rq = NULL;

	if (!t)
		return 0;
	threads_count_left(t);
	if (bpf_core_field_exists(task->zvr.rq))
		rq = BPF_CORE_READ(task, zvr.rq);
	t->task.entered = bpf_ktime_get_ns();
	t->task.queued = queued_end((__u64)bio | (__u64)rq, t->task.entered);
	return begins(&t->task, BPF_CORE_READ(task, zvr.zv), bio, rq, op);
}

/* Does the submitting thread do the I/O itself, without a task? */
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
	return op & 1 ? op_write : op_read; /* as op_is_write() in include/linux/blk_types.h */
}

/*
 * The submission of a bio or a request begins. If ZFS uses tasks, the operation gets an entry in
 * `queued`. If ZFS uses no tasks, and for each flush with blk-mq, the thread keeps the operation as
 * its submission. Since OpenZFS 2.2.9 and 2.3.5 such a flush gets a task. Older versions take the
 * flush for a read of no bytes and complete the request at once (zvol_request_impl). Returns 1 if
 * ZFS uses no tasks, the request's address if the request is a flush that may get a task, else 0.
 */
static __always_inline __u64 submission_begins(struct zvol_state *zv, struct bio *bio,
					       struct request *rq, __u32 flags)
{
	bool threadless = is_threadless(zv);
	enum op op = op_of(flags);
	struct thread *t;

	if (!threadless)
		queued_begin(estat_id(bio ? (void *)bio : rq),
			     bpf_ktime_get_ns() | (bio ? 0 : IS_REQUEST));
	if (!threadless && !(rq && op == op_flush))
		return 0;
	t = threads_make();
	if (!t)
		return 0;
	t->submission.queued = -1;
	t->submission.entered = threadless ? bpf_ktime_get_ns() : 0;
	begins(&t->submission, zv, bio, rq, op);
	return threadless ? 1 : (__u64)rq;
}

static __noinline int ends(struct io *io, __u64 ns)
{
	bool moves = io->key.op == op_read || io->key.op == op_write, failed;
	struct key key = io->key;
	struct value *v;

	if (moves && io->kstat) { /* kstat is not 0: ZFS has refused the operation */
		io->kstat = 0;
		return 0;
	}
	v = zvol_find(&key);
	if (!v)
		return 0;
	failed = moves && io->moved != io->bytes;
	zvol_count_io((struct estat_io *)v, &key, ns, io->bytes, failed);
	if (!failed && io->queued >= 0)
		estat_count_latency((struct estat_latency *)&v->queue, io->queued);
	if (zvol_is_slow(v, ns))
		zvol_record(io, &key, ns, failed);
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
	return estat_since_attach(entered) ? ends(&t->task, bpf_ktime_get_ns() - entered) : 0;
}

/*
 * Has the submission, which ends at `now`, completed the operation? `noted` is what
 * submission_begins() returned: 1, or the address of a flush. A flush is completed if its state is
 * MQ_RQ_IDLE and its entry is still in `queued`: the state of a request that waits for a task is
 * another one, and a task that has begun has taken the entry.
 */
static __always_inline bool is_done(__u64 noted, __u64 now)
{
	struct request *rq = (struct request *)noted;

	return noted == 1 ||
	       (BPF_CORE_READ(rq, state) == MQ_RQ_IDLE && queued_take(noted, now) >= 0);
}

static __always_inline int submission_ends(const struct estat_call *call)
{
	struct thread *t = threads_here();
	__u64 now = bpf_ktime_get_ns();

	if (!t)
		return 0;
	t->submission.entered = 0;
	return is_done(call->noted, now) ? ends(&t->submission, now - call->began) : 0;
}

ESTAT_FOUND(zvol, struct key)

static __always_inline int found(const struct thread *t, __u64 walk)
{
	int flags = 0;

	if (estat_is_in(t->task.entered)) {
		flags = zvol_found(&t->task.key, t->task.entered, walk);
		estat_tell_thread();
	}
	if (estat_is_in(t->submission.entered)) {
		flags |= zvol_found(&t->submission.key, t->submission.entered, walk);
		estat_tell_thread();
	}
	return flags;
}

ESTAT_TELLS;
ESTAT_LOOK_AT_THREADS(threads, struct thread, found);

/*
 * Has the bio or the request not ended yet? The function does not see whether the task has begun.
 * `disk`: the disk of the bio or the request.
 */
static __always_inline bool is_waiting(struct bio *bio, struct request *rq, struct gendisk *disk)
{
	char name[2] = {};

	bpf_probe_read_kernel(name, sizeof(name),
			      __builtin_preserve_access_index(&disk->disk_name));
	/* the operation has ended, and its memory is a bio or request of another disk now */
	if (name[0] != 'z' || name[1] != 'd')
		return false;
	if (rq)
		return BPF_CORE_READ(rq, state) == MQ_RQ_IN_FLIGHT;
	return bio_has_not_ended(bio);
}

ESTAT_FOUND_IN(zvol, queue_found, struct key, v->queue)

/*
 * Count the operation in entry `number` of `queued`, if the operation still waits for a task. Not
 * static, so the verifier checks the function once.
 */
__noinline int queued_look(__u64 number, __u64 walk)
{
	struct estat_begun *e = queued_at(number);
	__u64 id = ESTAT_LOAD(e->id), began = ESTAT_LOAD(e->began);
	struct request *rq = began & IS_REQUEST ? (struct request *)id : NULL;
	struct bio *bio = rq ? NULL : (struct bio *)id;
	struct gendisk *disk;
	struct io io = {};
	int flags;

	if (!id || !estat_end_is_seen(began & ESTAT_BEGAN))
		return 0;
	disk = rq ? BPF_CORE_READ(rq, q, disk) : BPF_CORE_READ(bio, bi_bdev, bd_disk);
	if (!is_waiting(bio, rq, disk))
		return 0;
	begins(&io, BPF_CORE_READ(disk, queue, queuedata), bio, rq,
	       op_of(rq ? BPF_CORE_READ(rq, cmd_flags) : BPF_CORE_READ(bio, bi_opf)));
	if (ESTAT_LOAD(e->id) != id || ESTAT_LOAD(e->began) != began) /* the task has begun */
		return 0;
	flags = zvol_queue_found(&io.key, began & ESTAT_BEGAN, walk);
	if (bio && estat_told())
		tell_bio((__u64)bio, BPF_CORE_READ(bio, bi_iter.bi_size));
	return flags;
}

ESTAT_WALK_BY(estat_threads_begin(),
	      from < queued_entries ? queued_look(from + i, walk) : threads_look(walk));

static __always_inline void note_moved(struct io *io, const struct estat_call *call)
{
	if (io->kstat != call->arg[0])
		return;
	io->kstat = 0;
	io->moved = call->arg[1];
}

/* ZFS adds to a kstat the bytes that were read from or written to a volume or a file. */
static __always_inline int moved(const struct estat_call *call)
{
	struct thread *t = threads_here();

	if (!t)
		return 0;
	note_moved(&t->task, call);
	note_moved(&t->submission, call);
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(zvol_has_read, dataset_kstats_update_read_kstats, 2), moved(call));
ESTAT_RUN(ESTAT_ENTRY(zvol_has_written, dataset_kstats_update_write_kstats, 2), moved(call));
ESTAT_RUN(ESTAT_ENTRY(zvol_reads, zvol_read_task, 1), task_begins(call, op_read));
ESTAT_RUN(ESTAT_ENTRY(zvol_writes, zvol_write_task, 1), task_begins(call, op_write));
ESTAT_RUN(ESTAT_ENTRY(zvol_discards, zvol_discard_task, 1), task_begins(call, op_discard));
ESTAT_RUN(ESTAT_EXIT(zvol_read_done, zvol_read_task, 1), task_ends());
ESTAT_RUN(ESTAT_EXIT(zvol_write_done, zvol_write_task, 1), task_ends());
ESTAT_RUN(ESTAT_EXIT(zvol_discard_done, zvol_discard_task, 1), task_ends());

/* A thread of any taskq has done a task (module/os/linux/spl/spl-taskq.c). */
ESTAT_INSTEAD(trace_zfs_taskq_ent__finish, zvol_read_task, zvol_write_task, zvol_discard_task);
ESTAT_RUN(ESTAT_ENTRY(zvol_task_done, trace_zfs_taskq_ent__finish, 0), task_ends());

static __always_inline __u64 bio_begins(const struct estat_call *call, bool typed)
{
	struct bio *bio = (struct bio *)call->arg[0];
	struct zvol_state *zv = BPF_CORE_READ(bio, bi_bdev, bd_disk, queue, queuedata);

	return submission_begins(zv, bio, NULL, BPF_CORE_READ(bio, bi_opf));
}

ESTAT_RUN(ESTAT_CALL(zvol_submits, zvol_submit_bio, 1, bio_begins), submission_ends(call));

static __always_inline __u64 request_begins(const struct estat_call *call, bool typed)
{
	struct blk_mq_queue_data *bd = (struct blk_mq_queue_data *)call->arg[1];
	struct request *rq = BPF_CORE_READ(bd, rq);
	struct zvol_state *zv = BPF_CORE_READ(rq, q, queuedata);

	return submission_begins(zv, NULL, rq, BPF_CORE_READ(rq, cmd_flags));
}

ESTAT_RUN(ESTAT_CALL(zvol_queues, zvol_mq_queue_rq, 2, request_begins), submission_ends(call));

/* The volume is freed or renamed: have the agent remove the keys with the volume's id. */
static __always_inline int drop_name(const struct estat_call *call)
{
	estat_name_gone(volume_id((struct zvol_state *)call->arg[0]));
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(zvol_freed, zvol_os_free, 1), drop_name(call));
ESTAT_RUN(ESTAT_ENTRY(zvol_freed_before_2_2, zvol_free, 1), drop_name(call));
ESTAT_RUN(ESTAT_ENTRY(zvol_renamed, zvol_os_rename_minor, 1), drop_name(call));
ESTAT_RUN(ESTAT_ENTRY(zvol_renamed_before_2_2, zvol_rename_minor, 1), drop_name(call));
