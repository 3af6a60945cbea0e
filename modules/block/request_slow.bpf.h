/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow requests. A module includes this file after it has declared its series. */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_SLOW_H
#define ESTAT_MODULES_BLOCK_REQUEST_SLOW_H

#include "slow.bpf.h"

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_count_t sector ESTAT_PARAMETER(4, "The first sector of 512 bytes");
	int error ESTAT_PARAMETER(
		5, "The block layer's status; up to Linux 5.15 an errno; 0: no error");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the request was allocated");
	estat_nsec_t stage_submit ESTAT_PARAMETER(
		20, "From the submission of a bio to the allocation, if the kernel stamps it");
	estat_nsec_t stage_queue ESTAT_PARAMETER(21, "From the allocation to the first issue");
	estat_nsec_t stage_device ESTAT_PARAMETER(22, "From the first issue to the completion");
	estat_dev_t disk ESTAT_PARAMETER(40, "The disk");
	enum op op ESTAT_PARAMETER(41, "The operation");
};

ESTAT_SLOW(
	REQUEST_SERIES, struct request_key, struct slow,
	"One record for each request whose latency is above the threshold, see estat.module.slow");

/* Before Linux 6.17 the low 51 bits have the time; the other bits are flags (enum bio_issue). */
#define ISSUE_MASK ((1ULL << 51) - 1)

/*
 * When the request's first bio was submitted; 0: not known. The kernel notes it for iocost in the
 * request, and up to Linux 6.16 in each bio of a host with blk-cgroup.
 */
static __always_inline __u64 submission_time(struct request *rq, __u64 allocated)
{
	struct bio___issue *bio = (struct bio___issue *)rq->bio;
	__u64 time = 0;

	if (bpf_core_field_exists(rq->alloc_time_ns))
		time = rq->alloc_time_ns;
	if (!time && bio && bpf_core_field_exists(bio->bi_issue))
		time = (allocated & ~ISSUE_MASK) | (bio->bi_issue.value & ISSUE_MASK);
	return time <= allocated && allocated - time < 1ULL << 40 ? time : 0;
}

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
	e->sector = rq->__sector;
	e->error = error;
	e->cpu = rq->mq_ctx->cpu;
	e->stage_submit = allocated - submitted;
	e->stage_queue = issued - allocated;
	e->stage_device = now - issued;
	e->disk = key->disk;
	e->op = key->op;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_REQUEST_SLOW_H */
