/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends of bios, and where a TABLE of inflight.bpf.h has a bio's entry. A module defines
 * bio_end().
 * Before the module includes this file, it declares or defines
 *
 *	is_not_drawn(id)	does the bio at this address need no call of bio_end()?
 *	bio_end_time()		the time for bio_end(), or 0 if bio_end() does not need it
 *
 * A bio without a request ends in bio_endio(), with the tracepoint block_bio_complete, after all
 * bios that were chained to it. A bio in a request ends when the request completes the bio's bytes:
 * blk_update_request() and blk_complete_request() suppress block_bio_complete. The bytes that
 * block_rq_complete reports tell which bios of the request ended.
 */
#ifndef ESTAT_MODULES_BLOCK_BIO_END_H
#define ESTAT_MODULES_BLOCK_BIO_END_H

#include "block/types.bpf.h"
#include "inflight.bpf.h"

/*
 * How a bio ended: without a request, or in one. Each kind of end is seen by a BPF program of its
 * own.
 */
enum { HOW_BIO, HOW_REQUEST };

/*
 * A bio or a part of a bio has ended. `request`: the address of the bio's request, or 0; `now`: the
 * result of bio_end_time(). The function is not static, so that the verifier checks the function
 * once, and not for each bio of a request.
 */
__noinline int bio_end(__u64 id, __u64 failed, __u64 request, __u64 now);

ESTAT_ENUMERATOR(__RQF_FLUSH_SEQ);

/*
 * The first entry of a TABLE (inflight.bpf.h) to try for a bio. Bios under way are often in the
 * same pages of one slab. Bios in a page have adjacent entries, so few pages of the table are
 * touched. A bio has at least 128 bytes, so a page of 4096 bytes has at most 32 bios.
 */
static __always_inline __u64 bio_home(__u64 id)
{
	__u32 page = (id >> 12) * 0x9e3779b97f4a7c15 >> 40;

	return (page << 5) + (id >> 7 & 31);
}

/*
 * NVMe multipath also fires this tracepoint for the first bio of a path's request, with the head's
 * queue and before the bio has its status (nvme_trace_bio_complete() in drivers/nvme/host/nvme.h).
 * Such a bio is in a request, so ignore it here.
 */
SEC("tp_btf/block_bio_complete")
int bio_complete(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];

	if (ctx[0] != (__u64)bio->bi_bdev->bd_disk->queue)
		return 0;
	bio_end(estat_id(bio), bio->bi_status, 0, bio_end_time());
	return 0;
}

/*
 * Does block/blk-flush.c handle the request? If so, the completion of the request's data does not
 * end the bio. A later completion of 0 bytes ends the bio, after blk-flush.c has restored the
 * request. __RQF_FLUSH_SEQ is an enumerator of include/linux/blk-mq.h since Linux 6.11 and in RHEL
 * 9.6's 5.14; older kernels have the macro RQF_FLUSH_SEQ, bit 4.
 */
static __always_inline bool is_flush_sequence(struct request *rq)
{
	__u32 bit = estat_enumerator___RQF_FLUSH_SEQ;

	return rq->rq_flags & 1U << (bit == ESTAT_NO_ENUMERATOR ? 4 : bit & 31);
}

/* Bios of a request after the first BIO_MAX_IN_REQUEST are not counted. */
#define BIO_MAX_IN_REQUEST 1024

SEC("tp_btf/block_rq_complete")
int bio_request_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], left = ctx[2];
	struct bio *bio = rq->bio;
	__u64 now;

	if (!bio || (is_not_drawn(estat_id(bio)) && !bio->bi_next) || is_flush_sequence(rq))
		return 0;
	now = bio_end_time();
	for (int i = 0; i < BIO_MAX_IN_REQUEST; i++) {
		__u32 bytes = bio->bi_iter.bi_size;

		if (bytes > left)
			return 0;
		bio_end(estat_id(bio), error | bio->bi_status, estat_id(rq), now);
		left -= bytes;
		bio = bio->bi_next;
		if (!left || !bio)
			return 0;
	}
	estat_count_missed();
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_BIO_END_H */
