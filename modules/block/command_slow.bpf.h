/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the records of slow commands of SCSI and NVMe have in common. */
#ifndef ESTAT_MODULES_BLOCK_COMMAND_SLOW_H
#define ESTAT_MODULES_BLOCK_COMMAND_SLOW_H

#include "stages.bpf.h"

/* The record of each slow command begins with these members. */
#define COMMAND_SLOW   \
	BLOCK_SLOW;    \
	BLOCK_CPU;     \
	BLOCK_CHARGED; \
	BLOCK_STAGES

struct command_slow {
	COMMAND_SLOW;
};

/* When a command began and ended, and when its request was allocated and issued. */
struct command_times {
	__u64 began;
	__u64 ended;
	/*
	 * the request's stamp of its allocation; `began` if the stamp is missing, is of an earlier
	 * use of the request's memory, or is later than `began`
	 */
	__u64 allocated;
	/* the kernel's stamp of the last issue; 0: there is none, or it is a batch's: too early */
	__u64 issued;
};

/*
 * Fill in *e for a command of the request `rq`. The caller has set `began` and `ended` of *t; this
 * function sets `allocated` and `issued`.
 */
static __noinline int command_slow(struct command_slow *e, struct request *rq, __u64 bytes,
				   struct command_times *t)
{
	__u64 allocated = 0, submitted;

	if (!has_old_stamp(op_of(BPF_CORE_READ(rq, cmd_flags)), BPF_CORE_READ(rq, rq_flags)))
		allocated = BPF_CORE_READ(rq, start_time_ns);
	if (!allocated || allocated > t->began)
		allocated = t->began;
	submitted = submission_time(rq, allocated) ?: allocated;
	t->allocated = allocated;
	t->issued = BPF_CORE_READ(rq, io_start_time_ns);
	/*
	 * in a batch (issue.bpf.h) io_start_time_ns is the time of the allocation; by how much that
	 * is too early, only modules that see each issue know
	 */
	if (t->issued == BPF_CORE_READ(rq, start_time_ns))
		t->issued = 0;
	e->latency = t->ended - t->began;
	e->time = t->ended - submitted;
	e->bytes = bytes;
	e->sector = sector_of(rq);
	e->cpu = BPF_CORE_READ(rq, mq_ctx, cpu);
	e->stage_submit = allocated - submitted;
	BLOCK_CHARGE(e, (__u64)BPF_CORE_READ(rq, bio));
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_COMMAND_SLOW_H */
