/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of bios and requests through the block layer:
 *
 *	__blk_throtl_bio	io.max may hold a bio: the bio's span begins, if none has begun
 *	block_bio_queue		a bio is submitted to a device: a span begins, if none has begun
 *	block_bio_remap		a bio goes to a device below, or from a partition to its disk
 *	block_split		a bio is split
 *	block_rq_insert		the bio's request goes to the I/O scheduler or, without a scheduler,
 *				to a queue of blk-mq
 *	block_rq_issue		the request goes to the driver
 *	scsi_dispatch_cmd_start	the SCSI host's driver gets the request's command
 *	scsi_dispatch_cmd_done, nvme_complete_rq	the command has its result
 *	block_rq_complete	the bio's part of the request ends
 *	block_bio_complete	a bio without a request ends
 *
 * block_bio_remap has the sector on the device above as an argument. This sector joins a bio to the
 * bio above, such as a bio of a disk to a bio of dm-0. Both bios can be the same struct.
 */
#ifndef ESTAT_MODULES_TRACE_BLOCK_H
#define ESTAT_MODULES_TRACE_BLOCK_H

#include "block/throttle_types.bpf.h"
#include "block/types.bpf.h"
#include "cache.bpf.h"
#include "span.bpf.h"

/* Without io.max in the kernel no bio is held, so the module lacks nothing. */
ESTAT_OPTIONAL("", __blk_throtl_bio, blk_throtl_bio);
/* SCSI and NVMe disks need their kernel modules, so without these the module lacks nothing. */
ESTAT_OPTIONAL("", __traceiter_scsi_dispatch_cmd_start);
ESTAT_OPTIONAL("", __traceiter_scsi_dispatch_cmd_done);
ESTAT_OPTIONAL("", __traceiter_nvme_complete_rq);

/* stamp() notes times only for the first BIOS bios of a request. */
#define BIOS 256

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct request___place {
	__u64 __sector;
	__u32 __data_len;
};

/* declared in block/blk-throttle.c, in Linux 5.15 */
struct throtl_grp___old {
	_Bool has_rules[2]; /* has the cgroup, or one above, an io.max for reads, for writes? */
};
#pragma clang attribute pop

ESTAT_ADDRESS(blkcg_policy_throtl);

static __always_inline __u32 device_of_request(struct request *rq)
{
	if (bpf_core_field_exists(rq->q->disk))
		return device_of_disk(BPF_CORE_READ(rq, q, disk));
	return device_of_disk(BPF_CORE_READ((struct request___rq_disk *)rq, rq_disk));
}

/*
 * The bio of span `i` is submitted. The span's parent is a wait for ext4's journal or XFS's log:
 * add the bio's bytes to the wait's `written`. If the bio's first page is of a regular file that is
 * not the operation's, add all of the bytes to `others` of the wait and of the span, too.
 */
__noinline int journal_writes(__u64 i, __u64 bio, __u64 bytes)
{
	struct span *s = span_at(i), *wait = span_at(s->parent);
	struct inode *inode = bytes ? (struct inode *)inode_in(bio) : NULL;

	wait->written += bytes;
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG ||
	    estat_id(inode) == traced_at(s->journey)->address ||
	    estat_id(inode) == span_at(wait->parent)->loop.inode)
		return 0;
	s->others = bytes;
	wait->others += bytes;
	return 0;
}

/* The span of the bio in journey `id`, or NONE. */
FIND_SPAN(bio_in_journey, PROTO(__u64 id, __u64 bio), ARGS(id, bio), s->bio == bio && s->id == id);

/*
 * A bio of a zio is submitted at `now`. Span `above` is of this zio or, if the zio is an aggregate,
 * of a zio in it. Begin a span for the bio, unless the bio has one in the journey already.
 */
__noinline int zio_submits(__u64 above, __u64 id, __u64 now)
{
	struct span *s = span_at(above);
	struct bio *bio = (struct bio *)id;
	int other = span_of_bio(id), i;

	s->disk = device_of_disk(BPF_CORE_READ(bio, bi_bdev, bd_disk));
	i = bio_in_journey(s->id, id) < 0 ? span_claim(above, kind_bio, id) : NONE;
	if (i < 0)
		return 1;
	if (other >= 0)
		span_at(i)->shared = span_at(other)->shared = true;
	bio_begins(i, bio, now);
	return 1;
}

/*
 * The task submits a bio at `now`: begin a span in each journey with the zio that the task gives to
 * the bio's disk or partition, if the zio's bytes there contain `sector`, at which the bio begins
 * there. Returns whether there is such a zio.
 */
EACH_SPAN(zios_submit, PROTO(__u64 task, __u64 sector, __u64 bio, __u64 now),
	  ARGS(task, sector, bio, now),
	  s->issuer == task && sector >= s->sector && sector < s->end ? zio_submits(i, bio, now)
								      : 0);

/* The span of a wait for XFS's log, if the sector is in that log; else NONE. */
FIND_SPAN(span_of_log, PROTO(__u32 device, __u64 sector), ARGS(device, sector),
	  s->log_end > sector && sector >= s->log_begin && s->log_device == device);

/*
 * Where a submitted bio begins in the partition or disk to which it was submitted. Of a bio with
 * data, blk_partition_remap() has made bi_sector the sector of the whole disk.
 */
static __always_inline __u64 sector_in_partition(struct bio *bio)
{
	struct block_device___begin *device = (void *)BPF_CORE_READ(bio, bi_bdev);

	return bio->bi_iter.bi_sector -
	       (bio->bi_iter.bi_size ? BPF_CORE_READ(device, bd_start_sect) : 0);
}

/*
 * The span that is to be the parent of a bio that this thread submits, or NONE. If the thread works
 * on a zvol's bio, and the new bio is not that of a followed zio, the new bio has no parent.
 */
static __always_inline int span_above(struct bio *bio)
{
	__u64 sector = bio->bi_iter.bi_sector;
	int i = NONE;

	if (logging && bio->bi_iter.bi_size)
		i = span_of_log(device_of_disk(BPF_CORE_READ(bio, bi_bdev, bd_disk)), sector);
	if (i < 0)
		i = span_of_task(bpf_get_current_task());
	return is_of_volume(i) ? NONE : i;
}

/*
 * A bio is submitted at `now`: begin its spans. `now` is 0 if nobody has read the clock yet. All
 * spans of the bio begin at the same time, however long this function looks for their parents.
 */
static __noinline int bio_submitted(struct bio *bio, __u64 now)
{
	int loop = NONE, i, above;

	if (looping) {
		now = now ?: bpf_ktime_get_ns();
		loop = loop_above(bio);
	}
	/* a bio of direct I/O below a loop device has the pages of the loop device's bio */
	if (watched && loop < 0)
		now = cache_submits(bio, now);
	if (!active)
		return 0;
	now = now ?: bpf_ktime_get_ns();
	i = span_of_bio(estat_id(bio));
	if (i < 0 || span_at(i)->began) {
		if (loop < 0 && zios_submit(bpf_get_current_task(), sector_in_partition(bio),
					    estat_id(bio), now))
			return 0;
		above = loop < 0 ? span_above(bio) : loop;
		i = above < 0 ? NONE : span_claim(above, kind_bio, estat_id(bio));
	}
	if (i < 0)
		return 0;
	bio_begins(i, bio, now);
	if (span_at(span_at(i)->parent)->kind == kind_journal)
		journal_writes(i, estat_id(bio), bio->bi_iter.bi_size);
	return 0;
}

/*
 * io.max looks at a bio whose spans have just begun. The bio counts as held until limited() notes
 * what io.max does with the bio.
 */
EACH_SPAN(limit_begins, PROTO(__u64 bio), ARGS(bio),
	  s->bio == bio && s->began ? (s->queued = false, s->held = true, 0) : 0);

enum limit { limit_looks, limit_passes, limit_queues };

/*
 * If span *s is of the bio, and io.max has seen the bio, and block_bio_queue has not: note in the
 * span that io.max does not hold the bio, or when io.max let the bio go, and return 1; else return
 * 0. `does` is an enum limit.
 */
static __always_inline int span_limited(struct span *s, __u64 bio, __u64 does, __u64 now)
{
	if (s->bio != bio || !s->began || s->queued)
		return 0;
	if (does == limit_passes && !s->released)
		s->held = false;
	else if (!s->released)
		s->released = now;
	s->queued = does == limit_queues;
	return 1;
}

/*
 * Do what span_limited() says in each span of a bio. Returns 0 if the bio has no span for which
 * span_limited() returns 1. Up to Linux 5.15 io.max looks twice at a bio that it holds: the second
 * time it lets the bio go.
 */
EACH_SPAN(limited, PROTO(__u64 bio, __u64 does, __u64 now), ARGS(bio, does, now),
	  span_limited(s, bio, does, now));

SEC("tp_btf/block_bio_queue")
int trace_bio_queue(__u64 *ctx)
{
	__u64 now = active ? bpf_ktime_get_ns() : 0;

	if (!alive || (now && limited(estat_id((void *)ctx[0]), limit_queues, now)))
		return 0;
	return bio_submitted((struct bio *)ctx[0], now);
}

/* io.max looks at a bio. If io.max holds the bio, block_bio_queue fires later in another thread. */
static __noinline int limit_sees(struct bio *bio)
{
	__u64 id = estat_id(bio), now = bpf_ktime_get_ns();
	int i = span_of_bio(id);

	if (i >= 0 && span_at(i)->began)
		return limited(id, limit_looks, now);
	bio_submitted(bio, now);
	return limit_begins(id);
}

SEC("fentry/__blk_throtl_bio")
int trace_limit(__u64 *ctx)
{
	if (alive)
		limit_sees((struct bio *)ctx[0]);
	return 0;
}

/*
 * Linux 5.15 calls blk_throtl_bio() for each bio, and later kernels call __blk_throtl_bio() only
 * for a bio to which an io.max applies: does one apply to the bio? True, too, if that is not known.
 */
static __always_inline bool has_limit(struct bio *bio)
{
	void *policy = (void *)estat_address_blkcg_policy_throtl, *of = BPF_CORE_READ(bio, bi_blkg);
	struct throtl_grp___old *group = NULL;
	bool limits = true;

	if (!policy || !bpf_core_field_exists(group->has_rules))
		return true;
	group = pointer_at(of + bpf_core_field_offset(struct blkcg_gq___throttle, pd),
			   BPF_CORE_READ((struct blkcg_policy *)policy, plid));
	bpf_probe_read_kernel(&limits, sizeof(limits), &group->has_rules[bio->bi_opf & 1]);
	return limits;
}

SEC("fentry/blk_throtl_bio")
int trace_limit_old(__u64 *ctx)
{
	if (alive && has_limit((struct bio *)ctx[0]))
		limit_sees((struct bio *)ctx[0]);
	else if (active) /* io.max can hold the bio by a limit that has since been taken away */
		limited(estat_id((void *)ctx[0]), limit_looks, bpf_ktime_get_ns());
	return 0;
}

SEC("fexit/__blk_throtl_bio")
int trace_limited(__u64 *ctx)
{
	if (active && !(ctx[1] & 1))
		limited(estat_id((void *)ctx[0]), limit_passes, bpf_ktime_get_ns());
	return 0;
}

SEC("fexit/blk_throtl_bio")
int trace_limited_old(__u64 *ctx)
{
	if (active && !(ctx[1] & 1))
		limited(estat_id((void *)ctx[0]), limit_passes, bpf_ktime_get_ns());
	return 0;
}

/* Arguments: the bio; the device above, or the partition; the sector on that device. */
SEC("tp_btf/block_bio_remap")
int trace_bio_remap(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	int i, above;

	if (!active)
		return 0;
	above = span_at_sector(ctx[1], ctx[2]);
	i = span_of_bio(estat_id(bio));
	if (above < 0) { /* the bio goes from a partition to the disk, or is not followed */
		if (i >= 0 && span_at(i)->began) {
			span_at(i)->device = device_of_disk(bio->bi_bdev->bd_disk);
			span_at(i)->end += bio->bi_iter.bi_sector - span_at(i)->sector;
			span_at(i)->sector = bio->bi_iter.bi_sector;
		}
		return 0;
	}
	if (i >= 0 && !span_at(i)->began) /* the bio is remapped again before it is submitted */
		return 0;
	i = span_claim(above, kind_bio, estat_id(bio));
	/* the same struct bio goes to the device below: block_bio_queue does not fire again */
	if (i >= 0 && span_at(above)->bio == estat_id(bio))
		bio_begins(i, bio, bpf_ktime_get_ns());
	return 0;
}

/*
 * The bio of span `i` is split, and bio `id` is its first part: begin a span for this part, if a
 * span is free. Span `i` is of the rest in any case.
 */
__noinline int bio_parts(__u64 i, __u64 id)
{
	struct bio *bio = (struct bio *)id;
	struct span *s = span_at(i);
	__u64 sector = BPF_CORE_READ(bio, bi_iter.bi_sector);
	__u32 bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	int part = span_claim(s->parent, kind_bio, id);

	if (part >= 0) {
		span_begins(part, s->device, sector, bytes);
		span_at(part)->began = s->began;
		span_at(part)->held = s->held;
		span_at(part)->released = s->released;
		span_at(part)->others = s->others ? bytes : 0;
		span_at(part)->split = true;
	}
	if (s->others)
		s->others -= bytes;
	s->sector = sector + (bytes >> 9);
	s->split = true;
	return 0;
}

EACH_SPAN(bios_part, PROTO(__u64 bio, __u32 device, __u64 part), ARGS(bio, device, part),
	  s->bio == bio && s->device == device && s->began ? bio_parts(i, part) : 0);

/*
 * A bio is split: the first part is a new bio, and the rest is the original one, which has a span
 * on its device for each journey with data in the bio. Since Linux 5.18 device mapper fires this
 * tracepoint for the rest; see bio_split() in block/bio.bpf.h.
 */
SEC("tp_btf/block_split")
int trace_bio_split(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 whole = (__u64)BPF_CORE_READ(bio, bi_private);
	__u32 rest = ctx[1];
	int i;

	if (!active || rest == (__u32)bio->bi_iter.bi_sector)
		return 0;
	i = span_of_bio(whole);
	return i < 0 ? 0 : bios_part(whole, span_at(i)->device, estat_id(bio));
}

/*
 * A span that begins on one of the device's sectors `sector` to `end`, both included, or NONE. At
 * sector 0 it can be a span that has no bio.
 */
FIND_SPAN(span_within, PROTO(__u32 device, __u64 sector, __u64 end), ARGS(device, sector, end),
	  s->device == device && s->sector >= sector && s->sector <= end);

enum step { step_insert, step_issue, step_send, step_result };

/*
 * A request of `bytes`, with the bio and perhaps others, is at point `step` (an enum step) of its
 * way. If span *s is of the bio, note the time in the span: the first time of the insert, the issue
 * and the send, but the latest time of the result. An insert after the issue, and a send or result
 * before the issue, are not noted.
 */
static __always_inline int span_stamp(struct span *s, __u64 bio, __u64 step, __u64 bytes, __u64 now)
{
	if (s->bio != bio || !s->issued != (step <= step_issue))
		return 0;
	if (step == step_issue) {
		s->issued = now;
		s->foreign = bytes - ((s->end - s->sector) << 9);
	} else if (step == step_insert && !s->inserted) {
		s->inserted = now;
	} else if (step == step_send && !s->sent) {
		s->sent = now;
	} else if (step == step_result) {
		s->result = now;
	}
	return 0;
}

EACH_SPAN(spans_stamp, PROTO(__u64 bio, __u64 step, __u64 bytes, __u64 now),
	  ARGS(bio, step, bytes, now), span_stamp(s, bio, step, bytes, now));

/* Not static, so that the verifier checks the function once, not for each bio of a request. */
__noinline int bio_stamp(__u64 bio, __u64 step, __u64 bytes, __u64 now)
{
	return spans_stamp(bio, step, bytes, now);
}

static __noinline int stamp(struct request *rq, enum step step)
{
	struct request___place *place = (struct request___place *)rq;
	__u64 now = bpf_ktime_get_ns();
	__u64 sector = BPF_CORE_READ(place, __sector), bytes = BPF_CORE_READ(place, __data_len);
	struct bio *bio = BPF_CORE_READ(rq, bio);

	if (span_within(device_of_request(rq), sector, sector + (bytes >> 9)) < 0)
		return 0;
	for (int i = 0; i < BIOS && bio; i++) {
		bio_stamp(estat_id(bio), step, bytes, now);
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return 0;
}

SEC("tp_btf/block_rq_insert")
int trace_request_insert(__u64 *ctx)
{
	return active ? stamp((struct request *)ctx[0], step_insert) : 0;
}

SEC("tp_btf/block_rq_issue")
int trace_request_issue(__u64 *ctx)
{
	return active ? stamp((struct request *)ctx[0], step_issue) : 0;
}

/* Call stamp() for the request of a SCSI command. In memory the command follows its request. */
static __always_inline int stamp_command(__u64 command, enum step step)
{
	return active ? stamp((void *)command - bpf_core_type_size(struct request), step) : 0;
}

SEC("tp_btf/scsi_dispatch_cmd_start")
int trace_scsi_start(__u64 *ctx)
{
	return stamp_command(estat_id((void *)ctx[0]), step_send);
}

SEC("tp_btf/scsi_dispatch_cmd_done")
int trace_scsi_done(__u64 *ctx)
{
	return stamp_command(estat_id((void *)ctx[0]), step_result);
}

SEC("tp_btf/nvme_complete_rq")
int trace_nvme_done(__u64 *ctx)
{
	return active ? stamp((struct request *)estat_id((void *)ctx[0]), step_result) : 0;
}

/*
 * For block/bio_end.bpf.h: a bio ends, so end the bio's spans, at most JOURNEYS. A bio has a span
 * for each journey that has data in the bio, and one more for each device that passed the same
 * struct bio on.
 */
__noinline int bio_end(__u64 id, __u64 failed, __u64 request, __u64 now)
{
	/*
	 * the function must use `request`, because callers do not set an argument that the
	 * function does not use, and the verifier refuses calls without that argument
	 */
	ESTAT_KEEP_BRANCH(request);
	for (int depth = 0; active && depth < JOURNEYS; depth++) {
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
	return !active;
}

static __always_inline __u64 bio_end_time(void)
{
	return bpf_ktime_get_ns();
}

#include "block/bio_end.bpf.h"

#endif /* ESTAT_MODULES_TRACE_BLOCK_H */
