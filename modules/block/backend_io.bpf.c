// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io: what the disks do. One I/O is one request of the block layer's
 * multi-queue (blk-mq) path, by disk and operation.
 *
 *	allocated -- queue.* --> issued to the driver -- * --> completed
 *
 * See modules/block/request.bpf.h.
 */
#include "disk.bpf.h"

ESTAT_MODULE(backend_io, 1);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");

struct request_key {
	estat_dev_t disk;
	enum op op;
};

#define REQUESTS(f) backend_io_##f
#include "request.bpf.h"

ESTAT_ONE_WRITER(backend_io);
ESTAT_SERIES(
	backend_io, 0, struct request_key, struct request_value, 200,
	"From the request's first issue to the driver (tracepoint block_rq_issue, or its\n"
	"io_start_time_ns, which is the same) to its completion (tracepoint\n"
	"block_rq_complete), with all that is in between if the driver gives it back: for a\n"
	"time-out, an error, or because the device has no room (requeues).\n"
	"An operation counts when its last byte has completed, bytes as they\n"
	"complete; a request that completes with an error counts only in errors.\n"
	"Since Linux 6.9 the requests of a batch share an io_start_time_ns, which is when the\n"
	"batch began: their issue is timed here, by the clock at the first of those that are\n"
	"issued together and at each eighth then, by their pace in between.\n"
	"Of native NVMe multipath each path is a disk, as nvme0c0n1. What fails on one of\n"
	"them and goes to another counts there; where it failed it is no error, but in\n"
	"failovers, unless it is a flush. The disk above the paths, nvme0n1, has no\n"
	"requests of its own, and is not here.\n"
	"Requests on blk-mq queues only, so not those of md and most of device mapper. What\n"
	"stands on other disks (dm-multipath, a loop device) counts, and they do, too: total\n"
	"has such an operation twice. Linux 5.15 to 7.3");
ESTAT_LAYER(queue, 510, "bio");
ESTAT_LAYER(backend_io, 520, "bio");
ESTAT_SHOWN(backend_io, "rows {op}");

static __always_inline struct request_key request_key_of(struct request *rq)
{
	struct key key = key_of_request(rq);

	return (struct request_key){ .disk = key.disk, .op = key.op };
}

static __always_inline void request_name(struct request *rq)
{
}
