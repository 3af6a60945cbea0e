/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of bios and requests through the block layer:
 *
 *	block_bio_queue		a bio is submitted to a device: a span begins
 *	block_bio_remap		a bio goes to a device below; of a partition: to the whole disk
 *	block_split		a bio is split
 *	block_rq_insert		the bio's request goes to the I/O scheduler
 *	block_rq_issue		the request goes to the driver
 *	block_rq_complete	the bio's part of the request ends
 *	block_bio_complete	a bio without a request ends
 *
 * A bio below another one, such as a bio of a disk below dm-0, has the sector of the bio above in
 * block_bio_remap. That bio can be another struct, or the same.
 */
#ifndef ESTAT_MODULES_TRACE_BLOCK_H
#define ESTAT_MODULES_TRACE_BLOCK_H

#include "block/types.bpf.h"
#include "cache.bpf.h"
#include "journey.bpf.h"

/* Bios of a request that are looked at. */
#define BIOS 256

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct request___place {
	__u64 __sector;
	__u32 __data_len;
};
#pragma clang attribute pop

static __always_inline __u32 device_of_request(struct request *rq)
{
	if (bpf_core_field_exists(rq->q->disk))
		return device_of_disk(rq->q->disk);
	return device_of_disk(((struct request___rq_disk *)rq)->rq_disk);
}

SEC("tp_btf/block_bio_queue")
int trace_bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	int i, above;

	if (!alive)
		return 0;
	if (watched)
		cache_submits(bio);
	i = span_of_bio(estat_id(bio));
	if (i < 0 || span_at(i)->began) {
		above = span_of_task(bpf_get_current_task());
		i = above < 0 ? NONE : span_claim(above, kind_bio, estat_id(bio));
	}
	if (i >= 0)
		bio_begins(i, bio);
	return 0;
}

/* The arguments are the bio, the device above or the partition, and the sector there. */
SEC("tp_btf/block_bio_remap")
int trace_bio_remap(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	int i, above;

	if (!alive)
		return 0;
	above = span_at_sector(ctx[1], ctx[2]);
	i = span_of_bio(estat_id(bio));
	if (above < 0) { /* from a partition to the disk, or not followed */
		if (i >= 0 && span_at(i)->began) {
			span_at(i)->device = device_of_disk(bio->bi_bdev->bd_disk);
			span_at(i)->end += bio->bi_iter.bi_sector - span_at(i)->sector;
			span_at(i)->sector = bio->bi_iter.bi_sector;
		}
		return 0;
	}
	if (i >= 0 && !span_at(i)->began) /* is remapped again before it is submitted */
		return 0;
	i = span_claim(above, kind_bio, estat_id(bio));
	if (i >= 0 && span_at(above)->bio == estat_id(bio)) /* it will not be queued again */
		bio_begins(i, bio);
	return 0;
}

/*
 * A bio is split: the first part is a new bio, and the rest is the original one. Since Linux 5.18
 * device mapper fires this tracepoint for the rest; see bio_split() in block/bio.bpf.h.
 */
SEC("tp_btf/block_split")
int trace_bio_split(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u32 rest = ctx[1];
	struct span *s;
	int i, part;

	if (!alive || rest == (__u32)bio->bi_iter.bi_sector)
		return 0;
	i = span_of_bio((__u64)BPF_CORE_READ(bio, bi_private));
	if (i < 0 || !span_at(i)->began)
		return 0;
	s = span_at(i);
	part = span_claim(s->parent, kind_bio, estat_id(bio));
	if (part < 0)
		return 0;
	span_begins(part, s->device, bio->bi_iter.bi_sector, bio->bi_iter.bi_size);
	span_at(part)->began = s->began;
	s->sector = span_at(part)->end;
	s->split = span_at(part)->split = true;
	return 0;
}

/* Is a bio under way on these sectors of a device? */
__noinline int spans_within(__u32 device, __u64 sector, __u64 end)
{
	for (__u32 i = JOURNEYS; i < SPANS && i < spans_high; i++)
		if (spans[i].device == device && spans[i].id && spans[i].sector >= sector &&
		    spans[i].sector <= end)
			return 1;
	return 0;
}

/* A request of `bytes` with this bio is inserted or, if `issued` is 1, issued. */
__noinline int bio_stamp(__u64 bio, __u64 issued, __u64 bytes, __u64 now)
{
	for (__u32 i = JOURNEYS; i < SPANS && i < spans_high; i++) {
		struct span *s = &spans[i];

		if (s->bio != bio || !s->id || s->issued)
			continue;
		if (issued) {
			s->issued = now;
			s->foreign = bytes - ((s->end - s->sector) << 9);
		} else if (!s->inserted) {
			s->inserted = now;
		}
	}
	return 0;
}

static __always_inline int stamp(struct request *rq, __u64 issued)
{
	struct request___place *place = (struct request___place *)rq;
	__u64 sector = place->__sector, bytes = place->__data_len, now;
	struct bio *bio = rq->bio;

	if (!spans_within(device_of_request(rq), sector, sector + (bytes >> 9)))
		return 0;
	now = bpf_ktime_get_ns();
	for (int i = 0; i < BIOS && bio; i++) {
		bio_stamp(estat_id(bio), issued, bytes, now);
		bio = bio->bi_next;
	}
	return 0;
}

SEC("tp_btf/block_rq_insert")
int trace_request_insert(__u64 *ctx)
{
	return alive ? stamp((struct request *)ctx[0], 0) : 0;
}

SEC("tp_btf/block_rq_issue")
int trace_request_issue(__u64 *ctx)
{
	return alive ? stamp((struct request *)ctx[0], 1) : 0;
}

/*
 * For block/bio_end.bpf.h: a bio ends. With it end its spans: one for each journey that has data in
 * the bio, and one for each device that passed the same struct bio on.
 */
__noinline int bio_end(__u64 id, __u64 failed, __u64 how, __u64 now)
{
	ESTAT_KEEP_BRANCH(how); /* the verifier wants each argument to be set */
	for (int depth = 0; alive && depth < 8; depth++) {
		int i = span_of_bio(id);

		if (i < 0)
			break;
		span_at(i)->failed = failed;
		span_ends(i, now);
		cache_settles(span_at(i)->journey, now);
	}
	return 0;
}

static __always_inline bool is_not_drawn(__u64 id)
{
	return !alive;
}

static __always_inline __u64 bio_end_time(void)
{
	return bpf_ktime_get_ns();
}

#include "block/bio_end.bpf.h"

#endif /* ESTAT_MODULES_TRACE_BLOCK_H */
