// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zvol: reads and writes of ZFS volumes (zvols), by pool and volume. One
 * operation is one bio or, with blk-mq, one request:
 *
 *	zvol_submit_bio, zvol_mq_queue_rq
 *	  a taskq's thread: zvol_read_task, zvol_write_task or zvol_discard_task
 *	    zvol_read: ... dataset_kstats_update_read_kstats ... the bio ends
 *
 * Compilers change or inline zvol_read and its like, so their callers are
 * probed: the tasks or, where ZFS is told to do without (the module's parameter
 * zvol_request_sync, the property volthreading=off), who would have made them.
 * When those return the bio may be gone, and so may the volume: all that is
 * needed of them is noted at the entry.
 */
#include "return.h"
#include "thread.h"
#include "zfs.h"

ESTAT_MODULE(zvol, 5);
ESTAT_NEEDS_ZFS;

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

ESTAT_SERIES(
	zvol, 0, struct key, struct estat_io, 1024,
	"From the entry of zvol_read_task, zvol_write_task or zvol_discard_task, by which a\n"
	"taskq's thread calls zvol_read and its like, to its return; the time in the taskq's\n"
	"queue is not in it. With zvol_request_sync=1 or volthreading=off, when there are no\n"
	"such tasks: zvol_submit_bio or, with blk-mq, zvol_mq_queue_rq. An operation is sync\n"
	"if it waits for the intent log: writes and discards with FUA or a flush before\n"
	"them, or if the volume has sync=always; and flushes; none if it has sync=disabled.\n"
	"Reads and writes that were not done completely have failed; failures of discards do\n"
	"not show. What is refused at once, as a write to a read-only volume, does not count.\n"
	"The volume's objset kstat has the same reads and writes. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(zvol, 220);

/* The symbol of blk-mq's entry, which OpenZFS 2.1 lacks, for it has no blk-mq. */
ESTAT_OPTIONAL(zvol_mq_queue_rq, "");
ESTAT_EITHER(zvol_os_free, zvol_free);
ESTAT_EITHER(zvol_os_rename_minor, zvol_rename_minor);

/* ZFS's variable */
ESTAT_ADDRESS(zvol_request_sync);

/* An operation under way. */
struct io {
	struct key key;
	__u64 bytes; /* asked for */
	__u64 kstat; /* where the volume's is; 0 once it has counted this */
	__u64 moved; /* bytes that it has counted */
};

/* What a thread does. A task can lead to a submission, to a volume below its pool. */
struct thread {
	struct io task, submission;
};

ESTAT_PER_THREAD(threads, struct thread);

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

/* This thread; NULL if there is no memory for it. */
static __always_inline struct thread *thread(void)
{
	struct thread *t = threads_make();

	if (!t)
		__sync_fetch_and_add(&zvol_state.missed, 1);
	return t;
}

/* Either bio or rq is NULL; a write of no bytes is a flush. */
static __noinline __u64 begins(struct io *io, struct zvol_state *zv, struct bio *bio,
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
	return 1;
}

static __always_inline __u64 task_begins(const struct estat_call *call, enum op op)
{
	struct zv_request_task *task = (struct zv_request_task *)call->arg[0];
	struct thread *t = thread();
	struct request *rq = NULL;

	if (!t)
		return 0;
	if (bpf_core_field_exists(task->zvr.rq))
		rq = BPF_CORE_READ(task, zvr.rq);
	return begins(&t->task, BPF_CORE_READ(task, zvr.zv), BPF_CORE_READ(task, zvr.bio), rq, op);
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

	if (op == REQ_OP_DISCARD || op == REQ_OP_SECURE_ERASE)
		return op_discard;
	return op & 1 ? op_write : op_read; /* op_is_write, include/linux/blk_types.h */
}

static __always_inline __u64 submission_begins(struct zvol_state *zv, struct bio *bio,
					       struct request *rq, __u32 flags)
{
	struct thread *t = is_threadless(zv) ? thread() : NULL;

	return t ? begins(&t->submission, zv, bio, rq, op_of(flags)) : 0;
}

static __noinline int ends(const struct estat_call *call, struct io *io)
{
	bool moves = io->key.op == op_read || io->key.op == op_write;
	__u64 ns = estat_took(call);
	struct key key = io->key;
	struct estat_io *v;

	if (moves && io->kstat) { /* it was refused */
		io->kstat = 0;
		return 0;
	}
	v = zvol_get(&key);
	if (!v)
		return 0;
	zvol_count_io(v, &key, ns, io->bytes, moves && io->moved != io->bytes);
	return 0;
}

static __always_inline int task_ends(const struct estat_call *call)
{
	struct thread *t = threads_here();

	return t ? ends(call, &t->task) : 0;
}

static __always_inline int submission_ends(const struct estat_call *call)
{
	struct thread *t = threads_here();

	return t ? ends(call, &t->submission) : 0;
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

static __always_inline __u64 read_begins(const struct estat_call *call, bool typed)
{
	return task_begins(call, op_read);
}

ESTAT_CALL(zvol_reads, zvol_read_task, 1, read_begins)
{
	return task_ends(call);
}

static __always_inline __u64 write_begins(const struct estat_call *call, bool typed)
{
	return task_begins(call, op_write);
}

ESTAT_CALL(zvol_writes, zvol_write_task, 1, write_begins)
{
	return task_ends(call);
}

static __always_inline __u64 discard_begins(const struct estat_call *call, bool typed)
{
	return task_begins(call, op_discard);
}

ESTAT_CALL(zvol_discards, zvol_discard_task, 1, discard_begins)
{
	return task_ends(call);
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

ESTAT_ENTRY(zvol_freed_before_2_3, zvol_free, 1)
{
	return gone(call);
}

ESTAT_ENTRY(zvol_renamed, zvol_os_rename_minor, 1)
{
	return gone(call);
}

ESTAT_ENTRY(zvol_renamed_before_2_3, zvol_rename_minor, 1)
{
	return gone(call);
}
