// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io.wait: how long the block layer keeps what it is given before there is a request
 * for it: for io.max, for other limits of a cgroup, for wbt, for a tag. Then it is backend_io's.
 *
 *	submitted -- * --> allocated -- backend_io.queue --> issued -- backend_io --> completed
 *
 * The kernel's own stamp of a bio does not tell. Up to 6.17 submit_bio_noacct_nocheck() makes it
 * of each (bi_issue; block/blk-cgroup.h, blkcg_bio_issue_init), but after blk-throttle has let
 * the bio go; since 6.18 (issue_time_ns) only where io.latency is set (QUEUE_FLAG_BIO_ISSUE_TIME).
 * So bios are stamped here, which costs more than all of backend_io: attached on demand.
 */
#include "disk.bpf.h"
#include "probe.bpf.h"
#include "stamps.bpf.h"

ESTAT_MODULE(backend_io.wait, 13);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;
/* Up to 5.15 there is one that is called for each bio, whether its cgroup has an io.max or not. */
ESTAT_EITHER_OR(__blk_throtl_bio, blk_throtl_bio, "waits for io.max");

ESTAT_SERIES(
	backend_io_wait, 0, struct key, struct estat_latency, 200,
	"From a bio's submission (where its cgroup has an io.max function __blk_throtl_bio,\n"
	"else tracepoint block_bio_queue) to the allocation of its request (tracepoint\n"
	"block_getrq): waits for io.max, io.cost, io.latency, wbt, a frozen queue or a tag.\n"
	"Of bios that are merged to one request the first counts, of one that is split each\n"
	"part, since the whole was submitted. Disks without a queue of requests of their own,\n"
	"as those of LVM, have no wait; the disks below have. Linux 5.15 or newer");
ESTAT_LAYER(backend_io_wait, 505, "bio");

/* The flag of a stamp: io.max was asked about the bio, and it is asked again or queued next. */
#define STAMP_ASKED STAMP_FLAG

/*
 * In place of a nanosecond: a split has left this of a bio, about which io.max can be asked. It is
 * not queued again. A bio that is has the address of one that its stamp has outlasted: there is no
 * tracepoint where a discard is merged (bio_attempt_discard_merge in block/blk-merge.c).
 */
#define STAMP_LEFT  1ULL
#define STAMP_BEGUN (STAMP_TIME & ~STAMP_LEFT)

static __u64 origin;

/* The set of a bio. The verifier lets pointers be subtracted, and nothing else be done to them. */
static __always_inline struct stamps *stamps_for(struct bio *bio, __u64 *whose)
{
	return stamps_by((char *)bio - (char *)&origin, whose);
}

/* The same of a bio whose address is a number to the verifier. */
static __always_inline struct stamps *stamps_at(__u64 bio, __u64 *whose)
{
	void *pointer = &origin;
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &pointer);
	return stamps_by(bio - address, whose);
}

/*
 * Shall io.max hold the bio? It is queued after that. What a split has left of one is asked about
 * again, up to 5.15 also one that is let go.
 */
static __always_inline int limit(const struct estat_call *call, bool typed)
{
	__u64 whose, now, *s;
	struct stamps *set;

	if (typed)
		set = stamps_for((struct bio *)call->arg[0], &whose);
	else
		set = stamps_at(call->arg[0], &whose);
	if (!set)
		return 0;
	s = stamp_of(set, whose);
	if (s && *s & (STAMP_ASKED | STAMP_LEFT))
		return 0;
	now = bpf_ktime_get_ns();
	if (!s)
		s = oldest_stamp(set, now);
	*s = whose | STAMP_ASKED | (now & STAMP_BEGUN);
	return 0;
}

ESTAT_ENTRY(backend_io_wait_limit, __blk_throtl_bio, 1)
{
	return limit(call, typed);
}

ESTAT_ENTRY(backend_io_wait_limit_old, blk_throtl_bio, 1)
{
	return limit(call, typed);
}

/* Once a bio, though it is submitted again for a disk below, or as what a split has left of it. */
SEC("tp_btf/block_bio_queue")
int backend_io_wait_begin(__u64 *ctx)
{
	__u64 whose, now, *s;
	struct stamps *set;

	set = stamps_for((struct bio *)ctx[0], &whose);
	if (!set)
		return 0;
	s = stamp_of(set, whose);
	if (s && *s & STAMP_ASKED) {
		*s &= ~STAMP_ASKED;
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (!s)
		s = oldest_stamp(set, now);
	*s = whose | (now & STAMP_BEGUN);
	return 0;
}

/* The bio's stamp, which is free then; 0 if it has none. */
static __always_inline __u64 take(struct bio *bio)
{
	__u64 whose, stamp = 0, *s;
	struct stamps *set = stamps_for(bio, &whose);

	s = set ? stamp_of(set, whose) : NULL;
	if (s) {
		stamp = *s & ~STAMP_LEFT;
		*s = 0;
	}
	return stamp;
}

/* The first part of a bio is a new one, chained to it. */
SEC("tp_btf/block_split")
int backend_io_wait_split(__u64 *ctx)
{
	struct bio *part = (struct bio *)ctx[0];
	__u64 whose, whole, begun = 0, now = bpf_ktime_get_ns(), *s;
	struct stamps *set;

	set = stamps_at((__u64)BPF_CORE_READ(part, bi_private), &whole);
	s = set ? stamp_of(set, whole) : NULL;
	if (s) {
		begun = *s;
		*s |= STAMP_LEFT;
	}
	if (!begun) {
		take(part); /* what another one at its address has left */
		return 0;
	}
	set = stamps_for(part, &whose);
	if (set)
		*stamp_entry(set, whose, now) = whose | (begun & STAMP_BEGUN);
	return 0;
}

/*
 * A bio has ended that was in no request, as those of md and device mapper are not: its stamp may
 * be one that is kept, and another bio will be at this address.
 */
SEC("tp_btf/block_bio_complete")
int backend_io_wait_no_request(__u64 *ctx)
{
	take((struct bio *)ctx[1]);
	return 0;
}

/* A bio that a request takes in has none of its own. */
SEC("tp_btf/block_bio_backmerge")
int backend_io_wait_backmerge(__u64 *ctx)
{
	take((struct bio *)ctx[0]);
	return 0;
}

SEC("tp_btf/block_bio_frontmerge")
int backend_io_wait_frontmerge(__u64 *ctx)
{
	take((struct bio *)ctx[0]);
	return 0;
}

SEC("tp_btf/block_getrq")
int backend_io_wait_end(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 now = bpf_ktime_get_ns(), stamp = take(bio);
	struct key key = key_by(bio->bi_bdev->bd_disk, bio_op(bio));
	struct estat_latency *v;

	if (!stamp) {
		/* submitted before the probes were there */
		__sync_fetch_and_add(&backend_io_wait_state.missed, 1);
		return 0;
	}
	v = backend_io_wait_find(&key);
	if (!v) {
		note_hidden(bio->bi_bdev->bd_disk);
		v = backend_io_wait_insert(&key);
	}
	if (v)
		estat_count_latency(v, now - stamp_time(stamp, now));
	return 0;
}
