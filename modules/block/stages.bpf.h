/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the records of slow bios, requests and commands have in common. */
#ifndef ESTAT_MODULES_BLOCK_STAGES_H
#define ESTAT_MODULES_BLOCK_STAGES_H

#include "cgroup_path.bpf.h"
#include "disk.bpf.h"
#include "slow.bpf.h"
#include "stamps.bpf.h"
#include "tell.bpf.h"

/*
 * A record of a command begins with BLOCK_SLOW, a record of a bio or request with BLOCK_SLOW_IO,
 * which adds the error.
 */
#define BLOCK_SLOW                            \
	ESTAT_SLOW_OPERATION;                 \
	estat_count_t sector ESTAT_PARAMETER( \
		4, "The first sector on the disk, in units of 512 bytes; 0 also if there is none")
#define BLOCK_SLOW_IO                                                                              \
	BLOCK_SLOW;                                                                                \
	int error ESTAT_PARAMETER(                                                                 \
		5, "The block layer's status; up to Linux 5.15 an errno, except of a bio without " \
		   "a request; 0: no error")

/* The record of a request or a command also has this member. */
#define BLOCK_CPU __u32 cpu ESTAT_PARAMETER(6, "The CPU on which the request was allocated")

/*
 * Each record has a cgroup but no process, because the kernel does not keep which process submitted
 * a bio.
 */
#define BLOCK_CHARGED                                                                              \
	char cgroup[ESTAT_PATH_LEN] ESTAT_PARAMETER(                                               \
		9,                                                                                 \
		"The cgroup that the block layer charges for the bio or for the first bio of the " \
		"request; no process is known")

/* Fill in the member `cgroup`, for the bio at address `bio`. */
#define BLOCK_CHARGE(e, bio) estat_cgroup_path((struct estat_path *)(e)->cgroup, charged_node(bio))

/*
 * The first stages of a record: a command's record has the one stage of BLOCK_STAGES, a bio's or
 * request's record the three stages of BLOCK_STAGES_IO.
 */
#define BLOCK_STAGES                                                                            \
	estat_nsec_t stage_submit ESTAT_PARAMETER(                                              \
		20, "From the submission of the bio, or of the request's first bio, to the "    \
		    "allocation of the request; 0 if not known. With io.cost, of a request or " \
		    "command, only how long the allocation took")
#define BLOCK_STAGES_IO                                                                           \
	BLOCK_STAGES;                                                                             \
	estat_nsec_t stage_queue ESTAT_PARAMETER(                                                 \
		21, "Of a request, from the allocation to the first issue; 0 if the "             \
		    "allocation's time is not known. Of a bio, from the end of stage_submit to "  \
		    "the kernel's stamp of the last issue, which is too early in a batch (since " \
		    "Linux 6.9); 0 without a stamp");                                             \
	estat_nsec_t stage_device ESTAT_PARAMETER(22,                                             \
						  "From the end of stage_queue to the completion")

/*
 * The bits of bio_issue.value (up to Linux 6.17) that are the low bits of the bio's time of
 * submission; the other bits are the bio's size and a flag.
 */
#define ISSUE_MASK ((1ULL << 51) - 1)

/*
 * When the request's first bio was submitted; 0: not known. Up to Linux 6.17 a kernel with
 * CONFIG_BLK_CGROUP stores this time in each bio. While io.cost is on for the disk, the kernel
 * stores in each request when the allocation of the request began. For such a request the function
 * returns that time, which is later than the submission. `allocated`: when the allocation ended.
 */
static __always_inline __attribute__((unused)) __u64 submission_time(struct request *rq,
								     __u64 allocated)
{
	struct bio___issue *bio = (struct bio___issue *)BPF_CORE_READ(rq, bio);
	__u64 time = 0;

	if (bpf_core_field_exists(rq->alloc_time_ns))
		time = BPF_CORE_READ(rq, alloc_time_ns);
	if (!time && bio && bpf_core_field_exists(bio->bi_issue))
		time = (allocated & ~ISSUE_MASK) |
		       (BPF_CORE_READ(bio, bi_issue.value) & ISSUE_MASK);
	return time <= allocated && allocated - time < 1ULL << 40 ? time : 0;
}

/*
 * The first sector of a request; 0 if the request has none, such as a flush or a driver's own
 * command.
 */
static __always_inline __attribute__((unused)) __u64 sector_of(struct request *rq)
{
	__u64 sector = BPF_CORE_READ(rq, __sector);

	return sector == -1ULL ? 0 : sector;
}

#endif /* ESTAT_MODULES_BLOCK_STAGES_H */
