/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the block layer, from allocation to completion. Before the include a module declares
 * a struct request_key and defines
 *
 *	REQUESTS(f)		as NAME_f, where NAME is the module's series
 *	REQUEST_GAUGES		as struct estat_inflight, if the module walks requests
 *	REQUEST_NAME(rq)	to note the names that a key has beside the disk's, if any
 *
 * After the include the module declares the series with struct request_value, and defines
 * request_key_of(rq, disk), which returns the key of a request of a disk.
 *
 * One BPF program counts completions, another one counts requeues, so no counter has two writers.
 */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_H
#define ESTAT_MODULES_BLOCK_REQUEST_H

#include "issue.bpf.h"
#include "sample.bpf.h"

#ifndef REQUEST_GAUGES
#define REQUEST_GAUGES
#endif

#ifndef REQUEST_NAME
#define REQUEST_NAME(rq) ((void)0)
#endif

/* The operation of a request. A module whose key has no member `op` defines REQUEST_OP itself. */
#ifndef REQUEST_OP
#define REQUEST_OP(rq, key) ((key).op)
#endif

struct request_wait {
	struct estat_latency;
	REQUEST_GAUGES;
};

/*
 * In backend_io, beside the lines with their buckets of latency and size, most requests touch two
 * cache lines of a slot: one has the key and the sums of the requests, the next has the sums of
 * `queue` and the first three buckets of its histogram, for waits below 1.2 us. Without a scheduler
 * most waits are shorter.
 */
struct request_value {
	struct estat_io_sums;
	struct request_wait queue ESTAT_GROUP(
		1,
		"From the request's allocation (start_time_ns) to its first issue to the driver.\n"
		"Not counted: requests without an allocation time. Of a queue with iostats off\n"
		"these are all requests but flushes (before Linux 6.13 only without an I/O\n"
		"scheduler); of any queue, since Linux 6.8, drivers' own commands");
	struct estat_io_rest;
	REQUEST_GAUGES;
	estat_count_t requeues ESTAT_FIELD(
		17, "Number of times that the driver requeued a request, to be issued again");
	estat_count_t failovers ESTAT_FIELD(
		18, "Number of requests that failed on this NVMe path and went to another path");
};

struct estat_state REQUESTS(state);

static __always_inline struct request_value *REQUESTS(find)(const struct request_key *key);
static __noinline struct request_value *REQUESTS(insert)(const struct request_key *key);
static __always_inline void REQUESTS(count_by_size)(const struct request_key *key, __u64 ns,
						    __u64 bytes);
/* the module's series; only modules that include request_slow.bpf.h define this macro */
#ifdef REQUEST_SERIES
static __always_inline bool REQUESTS(is_slow)(const void *value, __u64 ns);
static __noinline int REQUESTS(record)(struct request *rq, const struct request_key *key,
				       __u64 issued, __u64 now, int error);
#define RECORD_IF_SLOW(v, rq, key, issued, now, error)                  \
	do {                                                            \
		__u64 _now = (now);                                     \
                                                                        \
		if (REQUESTS(is_slow)(v, _now - (issued)))              \
			REQUESTS(record)(rq, key, issued, _now, error); \
	} while (0)
#else
#define RECORD_IF_SLOW(v, rq, key, issued, now, error) ((void)(issued))
#endif
static __always_inline struct request_key request_key_of(struct request *rq, struct gendisk *disk);

static __always_inline struct request_value *value_of(struct request *rq, struct gendisk *disk,
						      const struct request_key *key)
{
	struct request_value *v = REQUESTS(find)(key);

	if (ESTAT_SELDOM(!v)) {
		/* if the table is full, the key gets no slot, so no names are needed */
		if (!REQUESTS(state).full) {
			note_hidden(disk);
			REQUEST_NAME(rq);
		}
		v = REQUESTS(insert)(key);
	}
	return v;
}

/*
 * May the request count? Always, if the module counts no sample. With a sample, the BPF programs at
 * issue, requeue and completion come to the same answer, from the time of the allocation. A request
 * without that time may count; counts() then draws at its completion and at each requeue.
 */
static __always_inline bool may_count(struct request *rq)
{
	__u64 allocated;

	if (estat_module.sample < 2)
		return true;
	allocated = allocation_time(rq, op_of(rq->cmd_flags));
	return !allocated || estat_counts_by(estat_id(rq), allocated);
}

/*
 * Does a request count for which may_count() is true? Call this function once for each event,
 * because for a request without a time of allocation each call draws anew.
 */
static __always_inline bool counts(struct request *rq)
{
	return estat_module.sample < 2 || allocation_time(rq, op_of(rq->cmd_flags)) ||
	       estat_counts();
}

SEC("tp_btf/block_rq_issue")
int REQUESTS(issue)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct request_queue *q = rq->q;

	if (!may_count(rq) || is_in_batch(rq, q) || kernel_stamps_issue(rq, q))
		return 0;
	return stamp_issue(rq);
}

/*
 * The driver requeues a request, for example after a timeout or a path failure. Store the time of
 * the first issue, from which latency runs. A request in state MQ_RQ_IDLE has not been issued, or
 * not again since it was requeued before.
 */
SEC("tp_btf/block_rq_requeue")
int REQUESTS(requeue)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct request_queue *q = rq->q;
	const void *hw = rq->mq_hctx;
	struct gendisk *disk = disk_of(rq, q);
	struct request_key key = request_key_of(rq, disk);
	struct request_value *v;
	__u64 issued;

	if (rq->state == MQ_RQ_IDLE || !may_count(rq))
		return 0;
	issued = issue_time(rq, q, hw);
	if (issued) {
		issues_begin(estat_id(rq), issued | FIRST_ISSUE);
		__sync_fetch_and_add(&requeued, 1);
	}
	v = counts(rq) ? value_of(rq, disk, &key) : NULL;
	if (v)
		estat_add(v->requeues, 1);
	return 0;
}

/*
 * Is the operation a read, write, discard, secure erase or write zeroes? If so, a completion of a
 * request with 0 bytes left does not come from a device. Such a completion ends a request whose
 * data completed before (block/blk-flush.c), or whose clone completed (request-based dm-multipath,
 * drivers/md/dm-rq.c).
 */
static __always_inline bool transfers_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_discard || op == op_secure_erase ||
	       op == op_write_zeroes;
}

/*
 * Does NVMe multipath complete a failed request? Multipath takes the bios from the request, to
 * submit the bios to another path, and then completes the request without an error
 * (drivers/nvme/host/multipath.c, nvme_failover_req). So a request of a path, whose disk is hidden,
 * is a failover if the request has no error and no bio. It is none if the request is a flush, which
 * never has a bio, or a driver's own command, which has a bio only if the command has data.
 * The last completion of a write with a flush has a bio, because block/blk-flush.c has restored the
 * bio (blk_flush_restore_request).
 */
static __always_inline bool is_failover(struct request *rq, struct gendisk *disk, enum op op,
					__u32 error)
{
	if (error || op == op_flush || op == op_driver_in || op == op_driver_out)
		return false;
	return disk && is_hidden(disk) && !BPF_CORE_READ(rq, bio);
}

/*
 * Called for a completion with an error, of a part of a request, or of a request with 0 bytes left.
 * Returns true for the success of an operation that transfers no bytes, such as a flush: the caller
 * counts this success. Else returns false, and counts a failure, a failover or a part. A completion
 * that does not come from a device, see transfers_bytes(), does not count, even with an error.
 */
static __noinline bool REQUESTS(succeeds)(struct request *rq, struct request_queue *q,
					  const void *hw, __u32 error, __u32 bytes)
{
	struct gendisk *disk = disk_of(rq, q);
	struct request_key key = request_key_of(rq, disk);
	enum op op = REQUEST_OP(rq, key);
	bool failover = !rq->__data_len && is_failover(rq, disk, op, error);
	struct request_value *v;
	__u64 issued = 0;

	if (!rq->__data_len && transfers_bytes(op) && !failover)
		return false;
	if (!error && !failover && bytes >= rq->__data_len)
		return true;
	if (bytes >= rq->__data_len)
		issued = issue_time(rq, q, hw);
	if (!counts(rq))
		return false;
	v = value_of(rq, disk, &key);
	if (!v)
		return false;
	if (failover)
		estat_add(v->failovers, 1);
	else if (error)
		estat_add(v->errors, 1);
	else
		estat_add(v->bytes, bytes);
	if (error && issued)
		RECORD_IF_SLOW(v, rq, &key, issued, bpf_ktime_get_ns(), error);
	return false;
}

SEC("tp_btf/block_rq_complete")
int REQUESTS(complete)(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], bytes = ctx[2], left = rq->__data_len, size;
	struct request_queue *q;
	const void *hw;
	struct gendisk *disk;
	__u64 now, issued, allocated;
	struct request_key key;
	struct request_value *v;

	if (!may_count(rq))
		return 0;
	/*
	 * read pointers before the branches, because each time that the verifier of Linux 6.18
	 * comes to such a read, it takes a millisecond to look for four names in the kernel's BTF
	 */
	q = rq->q;
	hw = rq->mq_hctx;
	now = bpf_ktime_get_ns();
	if (ESTAT_SELDOM(error || !left || bytes < left) &&
	    !REQUESTS(succeeds)(rq, q, hw, error, bytes))
		return 0;
	issued = issue_time(rq, q, hw);
	if (!counts(rq))
		return 0;
	disk = disk_of(rq, q);
	key = request_key_of(rq, disk);
	v = value_of(rq, disk, &key);
	if (!v)
		return 0;
	if (!issued) {
		/* the issue was not seen, or another request got the entry */
		estat_count_missed();
		return 0;
	}
	estat_add(v->bytes, bytes);
	if (now < issued)
		now = issued;
	estat_count_latency(v, now - issued);
	/*
	 * a request that completed in parts counts with its size at the last issue if the kernel
	 * has stored that size (QUEUE_FLAG_STATS), else with the size of the last part
	 */
	size = rq->stats_sectors << 9;
	if (size < bytes)
		size = bytes;
	estat_count(v->size, estat_size_bucket(size));
	REQUESTS(count_by_size)(&key, now - issued, size);
	allocated = allocation_time(rq, REQUEST_OP(rq, key));
	if (allocated)
		estat_count_latency(&v->queue, issued > allocated ? issued - allocated : 0);
	RECORD_IF_SLOW(v, rq, &key, issued, now, 0);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_REQUEST_H */
