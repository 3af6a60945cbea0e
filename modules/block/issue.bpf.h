/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a request was issued to its driver. If the kernel stamps the issues of the queue
 * (QUEUE_FLAG_STATS, such as with wbt), the time is the kernel's stamp, corrected for batches. Else
 * a BPF program of the module stamps the issue.
 * For REQUESTS see request.bpf.h.
 */
#ifndef ESTAT_MODULES_BLOCK_ISSUE_H
#define ESTAT_MODULES_BLOCK_ISSUE_H

#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "stamps.bpf.h"

ESTAT_ENUMERATOR(QUEUE_FLAG_STATS);

/*
 * When requests were issued: requests whose issue the kernel does not stamp, and requests that the
 * driver has requeued. The id is the request's address.
 */
ESTAT_INFLIGHT(issues, SETS, 4096);

/* Flag: the driver has requeued the request, and `began` is the time of the first issue. */
#define FIRST_ISSUE ESTAT_FLAG_1

/*
 * At least the number of entries of `issues` with FIRST_ISSUE. It can be more, because a replaced
 * or stale entry stays counted. While `requeued` is 0, as nearly always, a request with the
 * kernel's stamp needs no lookup.
 */
__u64 requeued;

/*
 * Does blk_mq_start_request set io_start_time_ns of this request? It does if QUEUE_FLAG_STATS is
 * set, that is, while the queue has callbacks or accounting (block/blk-stat.c); the flag is an
 * enumerator since Linux 6.11. Always false for a driver's own command: since Linux 6.8
 * blk_mq_start_request does not stamp it. Before 6.8 such a command can have two stamps, the
 * kernel's and the module's; the kernel's stamp counts.
 */
static __always_inline bool kernel_stamps_issue(struct request *rq, struct request_queue *q)
{
	__u32 bit = estat_enumerator_QUEUE_FLAG_STATS;
	struct blk_queue_stats *stats;

	if (is_drivers_own(rq))
		return false;
	if (bit != ESTAT_NO_ENUMERATOR)
		return q->queue_flags >> (bit & 63) & 1;
	stats = q->stats;
	if (stats->callbacks.next != &stats->callbacks)
		return true;
	if (bpf_core_field_exists(stats->accounting))
		return stats->accounting;
	return ((struct blk_queue_stats___bool *)stats)->enable_accounting;
}

/*
 * Since Linux 6.9 a task with a plug reads the clock once and uses that time until the plug is
 * flushed or the task sleeps or, in newer kernels, is preempted (plug->cur_ktime; blk_time_get_ns()
 * in block/blk.h). So the requests of a plug are a batch: nearly always all have the same
 * io_start_time_ns, the time when the first of them was allocated. To read the clock at each issue
 * would take a third of the module's time. So the module reads the clock at the first request of a
 * batch and at each eighth request after the first. At the other issues the module adds `pace`, the
 * mean time between the issues of eight earlier requests. The io_start_time_ns of a request that is
 * in no batch is right.
 */
#define CLOCK_EVERY 8
#define UNKNOWN     (CLOCK_EVERY + 1)
/*
 * If this many nanoseconds or more passed between two readings of the clock, the CPU probably ran
 * other code, too, so the pace is not updated.
 */
#define MAX_PACED_GAP (1 << 19)

/* The batch of requests that a CPU issues. */
struct batch {
	__u64 stamp;  /* io_start_time_ns of all requests of the batch */
	__u64 queue;  /* address of the queue of the batch's latest request */
	__u64 left;   /* number of the batch's requests that are not issued yet */
	__u64 issued; /* when the latest request was issued */
	__u64 read;   /* when the clock was last read */
	/*
	 * requests issued from `read` on, with the one issued at `read`; UNKNOWN: the clock was not
	 * yet read for this batch
	 */
	__u64 n;
	__u64 pace; /* mean nanoseconds from the issue of a request to that of the next */
};

ESTAT_ARRAY_MAP(batches, PERCPU_ARRAY, struct batch, 1);

/* The newest stamp of all batches of all CPUs. A request with a later stamp is in no batch. */
__u64 last_batch;

/*
 * By how many nanoseconds the stamps (io_start_time_ns) of batched requests are too early. The
 * index of an entry comes from the hardware queue and the tag, so the requests of a batch share
 * cache lines. Upper 32 bits of an entry: a hash of the request's address and stamp. Lower 32
 * bits: nanoseconds to add to the stamp. The stamp is used as it is if another request has
 * overwritten the entry, or if the driver requeued the request to a queue with a scheduler, where a
 * request loses its tag (__blk_mq_requeue_request() in block/blk-mq.c).
 */
#define EARLY_BITS 14
__u64 early[1 << EARLY_BITS];

static __always_inline __u64 *early_entry(struct request *rq, const void *q, const void *hw)
{
	__u64 queue = ((char *)hw - (char *)q) * 0x9e3779b97f4a7c15;
	__u64 entry = (queue >> (64 - EARLY_BITS)) + rq->tag;

	return &early[estat_masked(entry, (1 << EARLY_BITS) - 1)];
}

static __always_inline __u32 early_owner(struct request *rq, const void *q, __u64 stamp)
{
	return ((char *)rq - (char *)q) >> 6 ^ stamp;
}

static __always_inline struct batch *this_batch(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&batches, &only);
}

/*
 * The time that the kernel keeps for the requests of the current task's plug. 0: the task has no
 * plug, the kernel has not taken the time yet, or Linux is older than 6.9.
 */
static __always_inline __u64 plug_time(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct blk_plug *plug;

	if (!bpf_core_field_exists(struct blk_plug, cur_ktime))
		return 0;
	plug = task->plug;
	return plug ? plug->cur_ktime : 0;
}

/*
 * The task begins to issue the requests of its plug. Two or more requests are a new batch, even if
 * they have the stamp of the previous batch.
 */
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

static __always_inline __u64 issue_in(struct batch *b)
{
	__u64 now, gap;
	bool continues = b->left;

	if (continues)
		b->left--;
	/*
	 * a module that counts a sample sees only some requests of a batch, so it reads the clock
	 * at each request that it sees
	 */
	if (continues && b->n < CLOCK_EVERY && estat_module.sample < 2) {
		b->n++;
		return b->issued += b->pace;
	}
	now = bpf_ktime_get_ns();
	gap = now - b->read;
	if (b->n == CLOCK_EVERY && gap < MAX_PACED_GAP)
		b->pace = gap / CLOCK_EVERY;
	b->read = now;
	b->n = 1;
	return b->issued = now;
}

/*
 * If the kernel stamps the issue of the request with the time of a plug, as in a batch, store how
 * many nanoseconds too early that stamp is and return true. The function looks up at each request
 * whether the kernel stamps the issues of the queue. After a yes it does not look that up again
 * while requests of the same queue and stamp follow.
 */
static __noinline bool may_be_in_batch(struct request *rq, struct request_queue *q)
{
	__u64 queue = (__u64)q, allocated = rq->start_time_ns, stamp, by;
	struct batch *b;

	b = this_batch();
	if (!b)
		return false;
	if (allocated != b->stamp || queue != b->queue || is_drivers_own(rq)) {
		stamp = plug_time();
		if (!stamp || !kernel_stamps_issue(rq, q))
			return false;
		if (stamp != b->stamp)
			b->n = UNKNOWN;
		b->stamp = stamp;
		b->queue = queue;
	}
	by = issue_in(b) - b->stamp;
	if (!(by >> 32))
		*early_entry(rq, q, rq->mq_hctx) = (__u64)early_owner(rq, q, b->stamp) << 32 | by;
	return true;
}

static __always_inline bool is_in_batch(struct request *rq, struct request_queue *q)
{
	return rq->start_time_ns <= last_batch && may_be_in_batch(rq, q);
}

/* Returns `stamp`, the io_start_time_ns of a request, corrected if the request was in a batch. */
static __noinline __u64 corrected_stamp(struct request *rq, const void *q, const void *hw,
					__u64 stamp)
{
	__u64 by = *early_entry(rq, q, hw);

	return by >> 32 == early_owner(rq, q, stamp) ? stamp + (__u32)by : stamp;
}

/* The kernel's stamp of the issue, corrected for batches; 0: there is no stamp. */
static __always_inline __u64 kernel_stamp(struct request *rq, const void *q, const void *hw)
{
	__u64 stamp = rq->io_start_time_ns;

	return stamp && stamp <= last_batch ? corrected_stamp(rq, q, hw, stamp) : stamp;
}

/*
 * Is `issued` the time of an issue of this request? If not, `issued` is when an older request at
 * the same address was issued, whose end was not seen. True if the request has no allocation time,
 * which would tell the two apart.
 */
static __always_inline bool belongs_to(__u64 issued, struct request *rq)
{
	return allocation_time(rq, op_of(rq->cmd_flags)) <= (issued & ESTAT_BEGAN);
}

/*
 * Store the time of an issue that the kernel does not stamp. Does nothing if the request was
 * requeued and its entry has the time of the first issue.
 */
static __noinline int stamp_issue(struct request *rq)
{
	struct estat_begun *e = requeued ? issues_find(estat_id(rq)) : NULL;

	if (!e || !(e->began & FIRST_ISSUE) || !belongs_to(e->began, rq))
		issues_begin(estat_id(rq), bpf_ktime_get_ns());
	return 0;
}

/*
 * When a request was first issued; 0: the issue was not seen. `issued`: the kernel's stamp of the
 * issue, or 0. Frees the request's entry. Not static, so the verifier checks the function alone,
 * and not once for each entry of a set together with all code that follows.
 */
__noinline __u64 REQUESTS(first_issue)(__u64 id, __u64 issued, __u64 allocated)
{
	__u64 began = issues_remove(id);

	if (!began)
		return issued;
	if (began & FIRST_ISSUE)
		__sync_fetch_and_add(&requeued, -1);
	else if (issued)
		return issued;
	began &= ESTAT_BEGAN;
	/* a time before the allocation is from an older request's entry */
	return allocated <= began ? began : issued;
}

/*
 * When the request was first issued; 0: the issue was not seen. Frees the request's entry, unless
 * the kernel's stamp alone tells the time. `q` and `hw`: the request's queue and hardware queue.
 */
static __always_inline __u64 issue_time(struct request *rq, const void *q, const void *hw)
{
	__u64 issued = kernel_stamp(rq, q, hw);

	if (issued && !requeued)
		return issued;
	return REQUESTS(first_issue)(estat_id(rq), issued,
				     allocation_time(rq, op_of(rq->cmd_flags)));
}

#endif /* ESTAT_MODULES_BLOCK_ISSUE_H */
