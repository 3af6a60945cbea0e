/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow operations of volumes, for the module zvol. */
#ifndef ESTAT_MODULES_ZFS_ZVOL_SLOW_H
#define ESTAT_MODULES_ZFS_ZVOL_SLOW_H

#include "slow.bpf.h"

struct slow {
	ESTAT_SLOW_OPERATION;
	__u32 error ESTAT_PARAMETER(5,
				    "1: fewer bytes were moved than asked for; 0: no error seen");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the operation ended");
	estat_nsec_t stage_queue ESTAT_PARAMETER(
		20, "The wait for a thread, as estat.zvol.queue.latency; 0 also if not known");
	estat_nsec_t stage_task ESTAT_PARAMETER(
		21, "Time in the task, or in the submission where ZFS uses no tasks");
	estat_name_t pool ESTAT_PARAMETER(40, "The pool");
	estat_name_t volume ESTAT_PARAMETER(41, "The volume");
	enum op op ESTAT_PARAMETER(42, "The operation");
	enum sync sync ESTAT_PARAMETER(43, "sync: the operation waits for the intent log");
};

ESTAT_SLOW(zvol, struct key, struct slow,
	   "One record for each operation whose latency is above the threshold, see\n"
	   "estat.module.slow");

static __noinline int zvol_record(const struct io *io, const struct key *key, __u64 ns,
				  __u64 failed)
{
	struct slow *e = zvol_begin_slow(key);

	if (!e)
		return 0;
	e->latency = e->stage_task = ns;
	e->stage_queue = io->queued > 0 ? io->queued : 0;
	e->time = ns + e->stage_queue;
	e->bytes = io->bytes;
	e->error = failed;
	e->cpu = bpf_get_smp_processor_id();
	e->pool = key->pool;
	e->volume = key->volume;
	e->op = key->op;
	e->sync = key->sync;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_ZVOL_SLOW_H */
