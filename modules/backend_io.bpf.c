// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io: what the disks do. One I/O is one request of the block layer's
 * multi-queue (blk-mq) path, by disk and operation.
 *
 *	allocated -- queue.* --> issued to the driver -- * --> completed
 *
 * Both stamps are the request's own where its queue keeps them, which it does
 * with wbt or statistics on. Else the issue is stamped here, in a start map.
 */
#include "estat.h"
#include "types/block.h"

ESTAT_MODULE(backend_io, 1);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");

/*
 * Named operations are numbered from 256, apart from the kernel's own 8-bit
 * numbers: one that has no name here keeps its number and prints as op_N.
 */
enum op {
	op_read = 256,
	op_write,
	op_flush,
	op_discard,
	op_secure_erase,
	op_write_zeroes,
	op_zone_append,
	op_zone_open,
	op_zone_close,
	op_zone_finish,
	op_zone_reset,
	op_zone_reset_all,
	op_driver_in,
	op_driver_out,
};

struct key {
	estat_dev_t disk;
	enum op op;
};

struct value {
	struct estat_io;
	struct estat_latency queue ESTAT_GROUP(
		1, "From the request's allocation (start_time_ns) to its issue to the driver.\n"
		   "Requests without an allocation time do not count here: those of a queue with\n"
		   "iostats off (before Linux 6.13 only if wbt and the scheduler are off, too)");
};

ESTAT_SERIES(backend_io, 0, struct key, struct value, 200,
	     "From the request's issue to the driver (its io_start_time_ns, or the\n"
	     "tracepoint block_rq_issue) to its completion (tracepoint block_rq_complete).\n"
	     "An operation counts when its last byte has completed, bytes as they\n"
	     "complete; a request that completes with an error counts only in errors.\n"
	     "Since Linux 6.9 requests that are submitted in a batch share the time at which\n"
	     "the batch began as their time of issue.\n"
	     "Requests on blk-mq queues only, Linux 5.15 or newer");
ESTAT_LAYER(queue, 510);
ESTAT_LAYER(backend_io, 520);

/* When a request was issued, for queues that do not keep it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct request *);
	__type(value, __u64);
} start SEC(".maps");

/* Provided by libbpf from the running kernel's version. */
extern int LINUX_KERNEL_VERSION __kconfig;

/* block_rq_issue lost its first argument, the queue, in 5.11. */
static __always_inline struct request *issued_request(__u64 *ctx)
{
	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(5, 11, 0))
		return (struct request *)ctx[1];
	return (struct request *)ctx[0];
}

static __always_inline struct gendisk *disk_of(struct request *rq)
{
	if (bpf_core_field_exists(rq->q->disk))
		return rq->q->disk;
	return ((struct request___rq_disk *)rq)->rq_disk;
}

static __always_inline enum op op_of(__u8 raw)
{
	switch (raw) {
	case REQ_OP_READ:
		return op_read;
	case REQ_OP_WRITE:
		return op_write;
	case REQ_OP_FLUSH:
		return op_flush;
	case REQ_OP_DISCARD:
		return op_discard;
	case REQ_OP_SECURE_ERASE:
		return op_secure_erase;
	case REQ_OP_WRITE_ZEROES:
		return op_write_zeroes;
	case REQ_OP_DRV_IN:
		return op_driver_in;
	case REQ_OP_DRV_OUT:
		return op_driver_out;
	}
	if (REQ_OP_IS(raw, REQ_OP_ZONE_APPEND))
		return op_zone_append;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_OPEN))
		return op_zone_open;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_CLOSE))
		return op_zone_close;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_FINISH))
		return op_zone_finish;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_RESET))
		return op_zone_reset;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_RESET_ALL))
		return op_zone_reset_all;
	return raw;
}

/*
 * Will blk_mq_start_request stamp this request's io_start_time_ns? It does if
 * QUEUE_FLAG_STATS is set, which is so while there are callbacks or accounting
 * (block/blk-stat.c), and never for a driver's own commands.
 */
static __always_inline bool kernel_stamps_issue(struct request *rq)
{
	struct blk_queue_stats *stats = rq->q->stats;
	__u8 raw = rq->cmd_flags;

	if (raw == REQ_OP_DRV_IN || raw == REQ_OP_DRV_OUT)
		return false;
	if (stats->callbacks.next != &stats->callbacks)
		return true;
	if (bpf_core_field_exists(stats->accounting))
		return stats->accounting;
	return ((struct blk_queue_stats___bool *)stats)->enable_accounting;
}

SEC("tp_btf/block_rq_issue")
int backend_io_issue(__u64 *ctx)
{
	struct request *rq = issued_request(ctx);
	__u64 now;

	if (kernel_stamps_issue(rq))
		return 0;
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&start, &rq, &now, BPF_ANY);
	return 0;
}

/* When the request was issued, or 0 if that was not seen. */
static __always_inline __u64 issue_time(struct request *rq)
{
	__u64 *stamp, issued = rq->io_start_time_ns;

	if (issued)
		return issued;
	stamp = bpf_map_lookup_elem(&start, &rq);
	if (!stamp)
		return 0;
	issued = *stamp;
	bpf_map_delete_elem(&start, &rq);
	return issued;
}

/*
 * When the request was allocated, or 0 if its queue does not keep that. Since
 * 6.13 the stamp of an earlier request stays there where iostats is off; a
 * flush is stamped each time.
 */
static __always_inline __u64 allocation_time(struct request *rq, enum op op)
{
	if (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 13, 0) && op != op_flush &&
	    !(rq->rq_flags & 1U << bpf_core_enum_value(enum rqf_flags, __RQF_IO_STAT)))
		return 0;
	return rq->start_time_ns;
}

SEC("tp_btf/block_rq_complete")
int backend_io_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], bytes = ctx[2], left = rq->__data_len, size;
	__u64 now = bpf_ktime_get_ns(), issued, allocated;
	struct key key = { .op = op_of(rq->cmd_flags) };
	struct gendisk *disk = disk_of(rq);
	struct value *v;

	/*
	 * A read or write of no bytes never reached a device: it is what the
	 * flush machinery (block/blk-flush.c) leaves of a request whose data,
	 * if any, has completed before.
	 */
	if (!left && key.op <= op_write && key.op >= op_read)
		return 0;

	if (disk)
		key.disk = disk->major << 20 | disk->first_minor;

	issued = bytes < left ? 0 : issue_time(rq);
	v = backend_io_get(&key);
	if (!v)
		return 0;
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
		__sync_fetch_and_add(&backend_io_state.missed, 1);
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
	backend_io_count_by_size(&key, now - issued, size);

	allocated = allocation_time(rq, key.op);
	if (allocated)
		estat_count_latency(&v->queue, issued > allocated ? issued - allocated : 0);
	return 0;
}
