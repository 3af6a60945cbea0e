/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow bios. */
#ifndef ESTAT_MODULES_BLOCK_BIO_SLOW_H
#define ESTAT_MODULES_BLOCK_BIO_SLOW_H

#include "stages.bpf.h"
#include "stamps.bpf.h"

struct slow {
	BLOCK_SLOW_IO;
	BLOCK_CHARGED;
	BLOCK_STAGES_IO;
	estat_nsec_t stage_below ESTAT_PARAMETER(
		23, "Of a bio that ends without a request: all its time, in the driver and below");
	estat_dev_t disk ESTAT_PARAMETER(40, "The disk");
	enum op op ESTAT_PARAMETER(41, "The operation");
};

ESTAT_SLOW(bios, struct bio_key, struct slow,
	   "One record for each bio whose latency is above the threshold, see estat.module.slow");

/*
 * Not static, so the verifier checks the function once, and not on each path that leads to a call.
 */
__noinline int bio_record(const struct bio_key *key, const struct bio_ended *end)
{
	__u64 began, allocated = 0, issued = 0;
	struct request *rq;
	struct slow *e;

	e = end ? bios_begin_slow(key) : NULL;
	if (!e)
		return 0;
	began = end->now - end->ns;
	rq = end->rq;
	if (rq && !has_old_stamp(key->op, BPF_CORE_READ(rq, rq_flags)))
		allocated = BPF_CORE_READ(rq, start_time_ns);
	if (allocated < began) /* the request has no stamp, or is older than the bio */
		allocated = began;
	if (rq)
		issued = BPF_CORE_READ(rq, io_start_time_ns);
	if (issued < allocated || issued > end->now)
		issued = allocated;
	e->latency = e->time = end->ns;
	e->bytes = end->bytes;
	e->sector = end->sector;
	e->error = end->failed;
	e->stage_submit = rq ? allocated - began : 0;
	e->stage_queue = rq ? issued - allocated : 0;
	e->stage_device = rq ? end->now - issued : 0;
	e->stage_below = rq ? 0 : end->ns;
	e->disk = key->disk;
	e->op = key->op;
	BLOCK_CHARGE(e, end->bio);
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_BIO_SLOW_H */
