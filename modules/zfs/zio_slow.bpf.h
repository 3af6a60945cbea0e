/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow zios, for the module zio. */
#ifndef ESTAT_MODULES_ZFS_ZIO_SLOW_H
#define ESTAT_MODULES_ZFS_ZIO_SLOW_H

#include "slow.bpf.h"
#include "types.bpf.h"

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_bytes_t offset ESTAT_PARAMETER(4,
					     "Where in the disk, partition or file the zio begins");
	__u32 error ESTAT_PARAMETER(5, "The errno; 0: none");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the zio was completed");
	estat_nsec_t stage_queue ESTAT_PARAMETER(20,
						 "Time in the vdev queue: estat.zio_queue.latency");
	estat_nsec_t stage_device ESTAT_PARAMETER(21, "Time in the disk or file");
	estat_name_t pool ESTAT_PARAMETER(40, "The pool");
	estat_name_t vdev ESTAT_PARAMETER(41, "The disk or file");
	enum op op ESTAT_PARAMETER(42, "The operation");
	enum priority priority ESTAT_PARAMETER(43,
					       "The zio's priority: its class in the vdev queue");
};

ESTAT_SLOW(io, struct key, struct slow,
	   "One record for each zio whose latency is above the threshold, see estat.module.slow");

/*
 * Make the event record of a slow zio, unless the key had too many records lately. Not static, so
 * the verifier checks the function once, and not in both BPF programs.
 */
__noinline int zio_record(const struct key *key, __u64 ended, __u64 delay)
{
	struct zio *zio = (struct zio *)ended;
	__u64 delta = BPF_CORE_READ(zio, io_delta);
	struct slow *e = io_begin_slow(key);

	if (!e)
		return 0;
	e->latency = e->stage_device = delay;
	e->stage_queue = delta > delay ? delta - delay : 0;
	e->time = delay + e->stage_queue;
	e->bytes = BPF_CORE_READ(zio, io_size);
	e->offset = BPF_CORE_READ(zio, io_offset);
	e->error = BPF_CORE_READ(zio, io_error);
	e->cpu = bpf_get_smp_processor_id();
	e->pool = key->pool;
	e->vdev = key->vdev;
	e->op = key->op;
	e->priority = key->priority;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_ZIO_SLOW_H */
