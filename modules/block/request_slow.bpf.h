/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow requests. A module includes this file after it has declared its series. */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_SLOW_H
#define ESTAT_MODULES_BLOCK_REQUEST_SLOW_H

#include "stages.bpf.h"

struct slow {
	BLOCK_SLOW_IO;
	BLOCK_CPU;
	BLOCK_CHARGED;
	BLOCK_STAGES_IO;
	estat_dev_t disk ESTAT_PARAMETER(40, "The disk");
	enum op op ESTAT_PARAMETER(41, "The operation");
};

ESTAT_SLOW(
	REQUEST_SERIES, struct request_key, struct slow,
	"One record for each request whose latency is above the threshold, see estat.module.slow");

static __noinline int REQUESTS(record)(struct request *rq, const struct request_key *key,
				       __u64 issued, __u64 now, int error)
{
	__u64 allocated = allocation_time(rq, key->op), submitted;
	struct slow *e = REQUESTS(begin_slow)(key);

	if (!e)
		return 0;
	if (!allocated || allocated > issued)
		allocated = issued;
	submitted = submission_time(rq, allocated) ?: allocated;
	e->latency = now - issued;
	e->time = now - submitted;
	e->bytes = rq->__data_len;
	e->sector = sector_of(rq);
	e->error = error;
	e->cpu = BPF_CORE_READ(rq, mq_ctx, cpu);
	e->stage_submit = allocated - submitted;
	e->stage_queue = issued - allocated;
	e->stage_device = now - issued;
	e->disk = key->disk;
	e->op = key->op;
	BLOCK_CHARGE(e, (__u64)BPF_CORE_READ(rq, bio));
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_REQUEST_SLOW_H */
