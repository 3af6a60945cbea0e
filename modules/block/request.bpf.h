/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the block layer, from their allocation to their completion. A module that counts
 * them declares a struct request_key, and says by REQUESTS(f), which is NAME_f, which series NAME
 * has them; includes this file; declares that series, of struct request_value; and defines
 *
 *	request_key_of(rq)	where a request belongs
 *	request_name(rq)	what the agent must know to name a key that is new
 *
 * Completions are counted by one program; requeues, which nothing else is, by another.
 *
 * Both stamps are the request's own where its queue keeps them, which it does with wbt or
 * statistics on, and where they are true. Else the issue is stamped here.
 */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_H
#define ESTAT_MODULES_BLOCK_REQUEST_H

#include "disk.bpf.h"
#include "stamps.bpf.h"

struct request_value {
	struct estat_io;
	estat_count_t requeues ESTAT_FIELD(
		17, "Number of times that the driver gave one back, to be issued again");
	estat_count_t failovers ESTAT_FIELD(
		18, "Number of times that one failed on this path of NVMe, and went to another");
	struct estat_latency queue ESTAT_GROUP(
		1, "From the request's allocation (start_time_ns) to its issue to the driver.\n"
		   "Requests without an allocation time do not count here: those of a queue with\n"
		   "iostats off (before Linux 6.13 only if wbt and the scheduler are off, too)");
};

struct estat_state REQUESTS(state);

static __always_inline struct request_value *REQUESTS(find)(const struct request_key *key);
static __noinline struct request_value *REQUESTS(insert)(const struct request_key *key);
static __always_inline void REQUESTS(count_by_size)(const struct request_key *key, __u64 ns,
						    __u64 bytes);
static __always_inline struct request_key request_key_of(struct request *rq);
static __always_inline void request_name(struct request *rq);

/* Provided by libbpf from the running kernel's version. */
extern int LINUX_KERNEL_VERSION __kconfig;

ESTAT_ENUMERATOR(__RQF_IO_STAT);

/*
 * When requests were issued, where their own stamp does not tell. The flag of a stamp: it is of
 * its first issue, and it has been issued again since.
 */
#define STAMP_FIRST STAMP_FLAG

/* How many stamps are of requests that the driver has given back; nearly always none. */
__u64 given_back;

/* The counters of a request's disk and operation, or NULL. */
static __always_inline struct request_value *value_of(struct request *rq,
						      const struct request_key *key)
{
	struct request_value *v = REQUESTS(find)(key);

	if (!v) {
		if (!REQUESTS(state).full) { /* else it counts among others, who need no name */
			note_hidden(disk_of(rq));
			request_name(rq);
		}
		v = REQUESTS(insert)(key);
	}
	return v;
}

/* Addresses are counted from that of this. */
static __u64 origin;

/*
 * The set of a request. The verifier lets pointers be subtracted, and nothing else be done with
 * them. What a request's address is from its queue's is no number of its own: where many disks
 * have one host's tags that of another one's request can be the same.
 */
static __always_inline struct stamps *stamps_for(struct request *rq, __u64 *whose)
{
	return stamps_by((char *)rq - (char *)&origin, whose);
}

/* include/linux/blk-mq.h: the macro RQF_IO_STAT, bit 13, before Linux 6.11. */
static __always_inline __u32 counted_flag(void)
{
	__u32 bit = estat_enumerator___RQF_IO_STAT;

	return 1U << (bit == ESTAT_NO_ENUMERATOR ? 13 : bit & 31);
}

/*
 * When the request was allocated, or 0 if its queue does not keep that. Since
 * 6.13 the stamp of an earlier request stays there where iostats is off; a
 * flush is stamped each time.
 */
static __always_inline __u64 allocation_time(struct request *rq, enum op op)
{
	if (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 13, 0) && op != op_flush &&
	    !(rq->rq_flags & counted_flag()))
		return 0;
	return rq->start_time_ns;
}

/*
 * Since Linux 6.9 a task that has a plug takes the time that it read first for all that it does
 * until the plug is flushed, or the task has slept (plug->cur_ktime; blk_time_get_ns() in
 * block/blk.h). So the requests of a batch are stamped as issued when the first was made. A clock
 * at each issue would cost a third of all that is done here: it is read at the first of a batch and
 * at each eighth then, and between them their pace tells. One that is alone is issued at once.
 */
#define CLOCK_EVERY 8
#define LONGEST_GAP (1 << 19) /* a longer one is no pace: something else ran */

#define UNKNOWN     (CLOCK_EVERY + 1)

/* What a CPU issues. */
struct batch {
	__u64 stamp;  /* of its requests */
	__u64 queue;  /* of the last one */
	__u64 left;   /* how many are to come */
	__u64 issued; /* when the last one was */
	__u64 read;   /* when the clock was read */
	__u64 n;      /* how many were issued since; or UNKNOWN: it has not been */
	__u64 pace;   /* from one to the next */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct batch);
} batches SEC(".maps");

/* The stamp of the last batch that any CPU has issued: a request of a later time is in none. */
__u64 last_batch;

/*
 * By how much their stamps are early, by hardware queue and tag, so that those of a batch are in
 * few cache lines: 32 bits of the request and of the stamp, which tell whose it is, and 32 of
 * nanoseconds. One that another one's has overwritten has its stamp. So has one that the driver has
 * given back where there is a scheduler: it has no tag by then (__blk_mq_requeue_request() in
 * block/blk-mq.c).
 */
#define EARLY_BITS 14
__u64 early[1 << EARLY_BITS];

static __always_inline __u64 *early_of(struct request *rq)
{
	__u64 queue = ((char *)rq->mq_hctx - (char *)rq->q) * 0x9e3779b97f4a7c15;
	__u64 place = (queue >> (64 - EARLY_BITS)) + rq->tag;

	return &early[estat_masked(place, (1 << EARLY_BITS) - 1)];
}

static __always_inline __u32 whose(struct request *rq, __u64 stamp)
{
	return ((char *)rq - (char *)rq->q) >> 6 ^ stamp;
}

static __always_inline struct batch *this_batch(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&batches, &only);
}

/* The time that the task goes by; 0: it has read none, or the kernel knows no such thing. */
static __always_inline __u64 plug_time(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct blk_plug *plug;

	if (!bpf_core_field_exists(struct blk_plug, cur_ktime))
		return 0;
	plug = task->plug;
	return plug ? plug->cur_ktime : 0;
}

/* The task issues what it has gathered, though it may go on with the same time afterwards. */
SEC("tp_btf/block_unplug")
int REQUESTS(unplug)(__u64 *ctx)
{
	__u32 depth = ctx[1];
	struct batch *b;
	__u64 stamp;

	if (depth < 2)
		return 0;
	stamp = plug_time();
	b = stamp ? this_batch() : NULL;
	if (!b)
		return 0;
	b->stamp = stamp;
	b->left = depth;
	b->n = UNKNOWN;
	estat_max_raise(&last_batch, stamp, true);
	return 0;
}

/* When the request that the kernel is about to stamp so is issued. */
static __always_inline __u64 issue_in(struct batch *b)
{
	__u64 now, gap;
	bool goes_on = b->left;

	if (goes_on)
		b->left--;
	if (goes_on && b->n < CLOCK_EVERY) {
		b->n++;
		return b->issued += b->pace;
	}
	now = bpf_ktime_get_ns();
	gap = now - b->read;
	if (b->n == CLOCK_EVERY && gap < LONGEST_GAP)
		b->pace = gap / CLOCK_EVERY;
	b->read = now;
	b->n = 1;
	return b->issued = now;
}

/*
 * Is it issued as one of a batch, and has been noted? What the kernel does with one request of a
 * queue it does with all that follow.
 */
static __always_inline bool is_in_batch(struct request *rq)
{
	__u64 queue = (__u64)rq->q, allocated = rq->start_time_ns, stamp, by;
	struct batch *b;

	if (allocated > last_batch)
		return false;
	b = this_batch();
	if (!b)
		return false;
	if (allocated != b->stamp || queue != b->queue || is_drivers_own(rq)) {
		stamp = plug_time();
		if (!stamp || !kernel_stamps_issue(rq))
			return false;
		if (stamp != b->stamp)
			b->n = UNKNOWN;
		b->stamp = stamp;
		b->queue = queue;
	}
	by = issue_in(b) - b->stamp;
	if (!(by >> 32))
		*early_of(rq) = (__u64)whose(rq, b->stamp) << 32 | by;
	return true;
}

/* The kernel's stamp of the issue, put right; 0 if it keeps none. */
static __always_inline __u64 kernel_stamp(struct request *rq)
{
	__u64 stamp = rq->io_start_time_ns, by;

	if (stamp > last_batch || !stamp)
		return stamp;
	by = *early_of(rq);
	return by >> 32 == whose(rq, stamp) ? stamp + (__u32)by : stamp;
}

/* Is a stamp of this request, or of one before that had its place and of which no end was seen? */
static __always_inline bool is_of(__u64 stamp, struct request *rq, __u64 now)
{
	return allocation_time(rq, op_of(rq->cmd_flags)) <= stamp_time(stamp, now);
}

SEC("tp_btf/block_rq_issue")
int REQUESTS(issue)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct stamps *set;
	__u64 whose, now, *s;

	if (is_in_batch(rq) || kernel_stamps_issue(rq))
		return 0;
	set = stamps_for(rq, &whose);
	if (!set)
		return 0;
	now = bpf_ktime_get_ns();
	s = stamp_of(set, whose);
	if (!s)
		s = oldest_stamp(set, now);
	else if (*s & STAMP_FIRST && is_of(*s, rq, now))
		return 0;
	*s = whose | (now & STAMP_TIME);
	return 0;
}

/* When the request was issued first, or 0 if that was not seen; its stamp is free then. */
static __always_inline __u64 issue_time(struct request *rq, __u64 now)
{
	__u64 whose, stamp, issued = kernel_stamp(rq), *s;
	struct stamps *set;

	if (issued && !given_back)
		return issued;
	set = stamps_for(rq, &whose);
	s = set ? stamp_of(set, whose) : NULL;
	if (!s)
		return issued;
	stamp = *s;
	*s = 0;
	if (stamp & STAMP_FIRST)
		__sync_fetch_and_add(&given_back, -1);
	else if (issued)
		return issued;
	return is_of(stamp, rq, now) ? stamp_time(stamp, now) : issued;
}

/*
 * The driver gives a request back, as after a time-out or where a path has failed, for it to be
 * issued once more: the user waits since its first issue. One that the driver has not begun with
 * has not been issued.
 */
SEC("tp_btf/block_rq_requeue")
int REQUESTS(requeue)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u64 whose, issued, now = bpf_ktime_get_ns(), *s;
	struct request_key key = request_key_of(rq);
	struct stamps *set;
	struct request_value *v;

	if (rq->state == MQ_RQ_IDLE)
		return 0;
	issued = issue_time(rq, now);
	set = stamps_for(rq, &whose);
	if (set && issued) {
		s = oldest_stamp(set, now);
		*s = whose | STAMP_FIRST | (issued & STAMP_TIME);
		__sync_fetch_and_add(&given_back, 1);
	}
	v = value_of(rq, &key);
	if (v)
		estat_add(v->requeues, 1);
	return 0;
}

/*
 * Of these one of no bytes never reached a device: it is what the flush machinery
 * (block/blk-flush.c) leaves of a request whose data, if any, has completed before, or
 * request-based dm-multipath (drivers/md/dm-rq.c) of one whose clone has.
 */
static __always_inline bool moves_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_discard || op == op_secure_erase ||
	       op == op_write_zeroes;
}

/*
 * NVMe's multipath has taken its bios, to submit them anew, and ends it as if all was well
 * (drivers/nvme/host/multipath.c, nvme_failover_req). A flush's rest has a bio
 * (block/blk-flush.c, blk_flush_restore_request); the flush itself and a driver's own commands
 * never have one.
 */
static __always_inline bool is_failover(struct request *rq, enum op op, __u32 error)
{
	struct gendisk *disk = disk_of(rq);

	if (rq->bio || error || op == op_flush || op == op_driver_in || op == op_driver_out)
		return false;
	return disk && is_hidden(disk);
}

SEC("tp_btf/block_rq_complete")
int REQUESTS(complete)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], bytes = ctx[2], left = rq->__data_len, size;
	__u64 now = bpf_ktime_get_ns(), issued, allocated;
	struct request_key key = request_key_of(rq);
	struct request_value *v;

	if (!left && moves_bytes(key.op) && !is_failover(rq, key.op, error))
		return 0;

	issued = bytes < left ? 0 : issue_time(rq, now);
	v = value_of(rq, &key);
	if (!v)
		return 0;
	if (!left && is_failover(rq, key.op, error)) {
		estat_add(v->failovers, 1);
		return 0;
	}
	if (error) {
		estat_add(v->errors, 1);
		return 0;
	}
	if (bytes < left) {
		estat_add(v->bytes, bytes);
		return 0;
	}
	if (!issued) {
		/* issued before the probes were there */
		__sync_fetch_and_add(&REQUESTS(state).missed, 1);
		return 0;
	}
	estat_add(v->bytes, bytes);
	if (now < issued)
		now = issued;
	estat_count_latency(v, now - issued);

	/* What completed in parts is counted at its whole size. */
	size = rq->stats_sectors << 9;
	if (size < bytes)
		size = bytes;
	estat_count(v->size, estat_size_bucket(size));
	REQUESTS(count_by_size)(&key, now - issued, size);

	allocated = allocation_time(rq, key.op);
	if (allocated)
		estat_count_latency(&v->queue, issued > allocated ? issued - allocated : 0);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_REQUEST_H */
