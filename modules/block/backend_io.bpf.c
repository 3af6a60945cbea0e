// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io: the requests of disks, by disk and operation. One operation is one request of a
 * multi-queue (blk-mq) disk.
 *
 *	allocated -- queue.* --> issued to the driver -- all other metrics --> completed
 *
 * See modules/block/request.bpf.h.
 */
#define ESTAT_NAMES_VALUE struct estat_short_name

#include "disk.bpf.h"

ESTAT_MODULE(backend_io, 1);

struct request_key {
	estat_dev_t disk;
	enum op op;
};

#define REQUESTS(f)    backend_io_##f
#define REQUEST_SERIES backend_io
#define REQUEST_GAUGES struct estat_inflight
#include "request.bpf.h"

/*
 * ESTAT_EVIDENCE stands after request.bpf.h, because between ESTAT_MODULE and the constants of
 * request.bpf.h the 128 bytes of estat_evidence would keep estat_module and these constants from
 * sharing a cache line.
 */
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");

ESTAT_ONE_WRITER(backend_io);
ESTAT_SERIES(
	backend_io, 0, struct request_key, struct request_value, 200,
	"From a request's first issue to the driver (tracepoint block_rq_issue, or the request's\n"
	"io_start_time_ns, which is the same time) to its completion (tracepoint\n"
	"block_rq_complete). If the driver requeues a request, after a timeout, after an error or\n"
	"because the device has no room, the time until it is issued again is included.\n"
	"A request counts in ops when its last byte has completed; bytes count as they complete.\n"
	"A request that completes in parts can count in size with its last part alone.\n"
	"A completion with an error counts only in errors.\n"
	"Since Linux 6.9 the requests of a plug are a batch: all have the same io_start_time_ns,\n"
	"the time when the first was allocated. So the module reads the clock when the first\n"
	"request of a batch is issued and at each eighth request after the first. It estimates\n"
	"when the others are issued, from the pace of earlier ones.\n"
	"With native NVMe multipath each path is a disk, such as nvme0c0n1. A request that fails\n"
	"on one path and goes to another counts on the other path; on the failed path it counts\n"
	"in failovers (if it is not a flush) and not in errors. The disk above the paths,\n"
	"nvme0n1, has no requests and is not here.\n"
	"Not counted: disks without a blk-mq queue (md, most of device mapper). A device on top\n"
	"of other disks (dm-multipath, loop) counts its requests, and these disks count theirs:\n"
	"the metrics estat.backend_io.total have such an operation twice, the command's row total\n"
	"has it once. estat.backend_io.queue.inflight has the requests not issued yet, which a\n"
	"plug, the I/O scheduler or a dispatch list holds. Not counted there: flushes without\n"
	"data, and drivers' own commands without data. Linux 5.15 to 7.3");
ESTAT_LAYER(queue, 510, "bio");
ESTAT_LAYER(backend_io, 520, "bio");
ESTAT_LAYOUT(backend_io, "rows {op}");

static __always_inline struct request_key request_key_of(struct request *rq, struct gendisk *disk)
{
	struct key key = key_by(disk, op_of(rq->cmd_flags));

	return (struct request_key){ .disk = key.disk, .op = key.op };
}

#include "request_slow.bpf.h"
#include "request_walk.bpf.h"
