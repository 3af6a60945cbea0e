/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bios from their submission to their end. A module that counts them declares a struct bio_key,
 * of which a member is __u64 how, and an ESTAT_TABLE(bios, ...) of it, then includes this file,
 * and defines
 *
 *	bio_key_of(bio, key)	where a bio belongs, which has just been submitted
 *	bio_name(bio)		what the agent must know to name the key of a bio, an address
 *
 * A bio ends in one of two ways. What a driver has done without a request ends by bio_endio(),
 * with the tracepoint block_bio_complete, once all parts of it have ended that were chained to
 * it. What has become a part of a request ends with that: blk_update_request() and
 * blk_complete_request() (block/blk-mq.c) keep bio_endio() from saying so again. There
 * block_rq_complete tells how many bytes have ended, and so which bios.
 *
 * A bio that is too large for its queue is split: its rest is submitted again, and ends as if it
 * was the whole. So a bio knows how many of its parts are under way, itself among them.
 */
#ifndef ESTAT_MODULES_BLOCK_BIO_H
#define ESTAT_MODULES_BLOCK_BIO_H

#include "disk.bpf.h"

/* How a bio has ended; each of two programs sees one. */
enum {
	HOW_BIO,
	HOW_REQUEST,
};

/* A bio under way: all that is said of it is in one cache line. */
struct bio_begun {
	__u64 id; /* 0: nobody's place */
	__u64 ns;
	struct bio_key key;
	__u32 bytes;  /* at its end they have been used up */
	__u32 parts;  /* that have not ended; 0: it is a part itself */
	__u64 whole;  /* of which bio */
	__u64 failed; /* 0: not yet; else its status, or that of a part */
} __attribute__((aligned(64)));

/* So many may be under way at once; each has the first of so many places that was free. */
#define BIO_PLACES 32768
#define BIO_TRIES  32

/* In a variable a place is found by an addition, in a map of its own by a look-up. */
struct bio_begun bio_places[BIO_PLACES];

/* Addresses are counted from that of this. */
static __u64 origin;

ESTAT_ENUMERATOR(__RQF_FLUSH_SEQ);

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key);
static __always_inline void bio_name(__u64 bio);

/* Which bio. The verifier lets pointers be subtracted, and nothing else be done with them. */
static __always_inline __u64 bio_id(struct bio *bio)
{
	return (char *)bio - (char *)&origin;
}

/* What is added to an id to have the bio's address. */
static __always_inline __u64 bio_base(void)
{
	void *pointer = &origin;
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &pointer);
	return address;
}

/*
 * The place that is tried for it that many tries after the first. Those of a page are side by
 * side: bios that are under way at once are often of the same slab, and few of this map's pages
 * are touched then. A bio takes 128 bytes and more.
 */
static __always_inline struct bio_begun *bio_place(__u64 id, __u32 tries)
{
	__u32 page = (id >> 12) * 0x9e3779b97f4a7c15 >> 40;
	__u64 place = (page << 5) + (id >> 7 & 31) + tries;

	return &bio_places[estat_masked(place, BIO_PLACES - 1)];
}

/* Is it that bio's? If the probes have gone and come since one at this address began it is not. */
static __always_inline bool bio_has(const struct bio_begun *b, __u64 id)
{
	return b->id == id && b->ns >= estat_attached;
}

static __noinline struct bio_begun *bio_seek(__u64 id)
{
	for (int i = 1; i < BIO_TRIES; i++) {
		struct bio_begun *b = bio_place(id, i);

		if (bio_has(b, id))
			return b;
	}
	return NULL;
}

/* A bio under way; NULL if its submission was not seen. */
static __always_inline struct bio_begun *bio_find(__u64 id)
{
	struct bio_begun *b = bio_place(id, 0);

	return bio_has(b, id) ? b : bio_seek(id);
}

/* Is the place free, or that of one that was at this address, and whose end was not seen? */
static __always_inline bool bio_takes(struct bio_begun *b, __u64 id)
{
	/* other CPUs may want it, too */
	return b->id == id || (!b->id && !__sync_val_compare_and_swap(&b->id, 0, id));
}

/*
 * If no place is free it is taken from who has it for the longest: a bio that will not be
 * measured, or one whose end was not seen.
 */
static __noinline struct bio_begun *bio_squeeze(__u64 id)
{
	struct bio_begun *b, *oldest = bio_place(id, 0);
	bool awaited;
	__u64 old;

	for (int i = 1; i < BIO_TRIES; i++) {
		b = bio_place(id, i);
		if (bio_takes(b, id))
			return b;
		if (b->ns < oldest->ns)
			oldest = b;
	}
	awaited = oldest->ns >= estat_attached;
	old = oldest->id;
	if (__sync_val_compare_and_swap(&oldest->id, old, id) != old)
		oldest = NULL;
	if (!oldest || (old && awaited))
		__sync_fetch_and_add(&bios_state.missed, 1);
	return oldest;
}

/* A place for a bio that begins now. */
static __always_inline struct bio_begun *bio_begin(__u64 id)
{
	struct bio_begun *b = bio_place(id, 0);

	return bio_takes(b, id) ? b : bio_squeeze(id);
}

/* Once a bio, though it is submitted again for a disk below, or as what a split has left of it. */
SEC("tp_btf/block_bio_queue")
int bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	struct bio_begun *b = bio_begin(bio_id(bio));

	if (!b)
		return 0;
	bio_key_of(bio, &b->key);
	b->bytes = bio->bi_iter.bi_size;
	b->parts = 1;
	b->failed = 0;
	b->ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * The first part of a bio is a new one, chained to it, and the rest begins at another sector: if a
 * place is that of the part's address, the end of another one was not seen. Since Linux 5.18 device
 * mapper tells of the rest, which is the bio itself (drivers/md/dm.c, dm_split_and_process_bio).
 */
SEC("tp_btf/block_split")
int bio_split(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 part = bio_id(bio), whole = (__u64)BPF_CORE_READ(bio, bi_private) - bio_base();
	struct bio_begun *b;

	if ((__u32)ctx[1] == (__u32)bio->bi_iter.bi_sector) /* new_sector has 32 bits */
		return 0;
	b = bio_find(whole);
	if (!b || !b->parts)
		return 0;
	__sync_fetch_and_add(&b->parts, 1);
	b = bio_begin(part);
	if (!b)
		return 0;
	b->ns = bpf_ktime_get_ns();
	b->parts = 0;
	b->whole = whole;
	return 0;
}

/* The counters of a key, of which this is a bio, or NULL. */
static __always_inline struct estat_io *bio_value_of(const struct bio_key *key, __u64 id)
{
	struct estat_io *v = bios_find(key);

	if (v)
		return v;
	if (!bios_state.full) /* else it counts among others, who need no name */
		bio_name(id + bio_base());
	return bios_insert(key);
}

/*
 * Its place is free; false if somebody has squeezed in, and has said so. Who squeezes in between
 * the look and the store loses what it has begun, and has counted one that was missed: that one is
 * it, then. What was read of the place must have been read before the store; only x86 sees to that.
 */
static __always_inline bool bio_leave(struct bio_begun *b, __u64 id)
{
	volatile __u64 *place = &b->id;

	if (*place != id)
		return false;
#ifdef __TARGET_ARCH_x86
	*place = 0;
#else
	__sync_lock_test_and_set(place, 0);
#endif
	return true;
}

/*
 * The status of a bio that was not to wait (REQ_NOWAIT, as io_uring has it), and would have had to,
 * for a tag or because it had to be split: who has submitted it does so once more.
 * include/linux/blk_types.h, the same in 5.15 and 7.3.
 */
#define BLK_STS_AGAIN 12

/*
 * A bio, or a part of one, has ended. It is not static, so that it is verified alone and not once
 * for each bio that a request can have.
 */
__noinline int bio_end(__u64 id, __u64 failed, __u64 how, __u64 now)
{
	__u64 whole = id;
	struct bio_begun *b = bio_find(id);
	struct estat_io *v;
	struct bio_key key;
	__u64 ns, bytes;

	if (b && !b->parts) {
		whole = b->whole;
		bio_leave(b, id);
		b = bio_find(whole);
	}
	if (!b)
		return 0;
	if (failed)
		b->failed = failed;
	/* who is the last needs not say so */
	if (b->parts > 1 && __sync_fetch_and_add(&b->parts, -1) > 1)
		return 0;
	key = b->key;
	key.how = how;
	ns = now > b->ns ? now - b->ns : 0;
	bytes = b->bytes;
	failed = b->failed;
	if (!bio_leave(b, whole) || failed == BLK_STS_AGAIN)
		return 0;
	v = bio_value_of(&key, id);
	if (v)
		bios_count_io(v, &key, ns, bytes, failed);
	return 0;
}

/*
 * NVMe says so, too, of the first bio of a request by a path of its multipath, with the head's
 * queue and before it has set the bio's status (nvme_trace_bio_complete() in
 * drivers/nvme/host/nvme.h): that one has become part of a request.
 */
SEC("tp_btf/block_bio_complete")
int bio_complete(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];

	if (ctx[0] != (__u64)bio->bi_bdev->bd_disk->queue)
		return 0;
	bio_end(bio_id(bio), bio->bi_status, HOW_BIO, bpf_ktime_get_ns());
	return 0;
}

/*
 * Is the request in the hands of the flush machinery (block/blk-flush.c)? Then its bio does not
 * end with its data, but when it has been restored, by a completion of no bytes.
 * include/linux/blk-mq.h: the flag is an enumerator since Linux 6.11 and in RHEL 9.6's 5.14, and
 * the macro RQF_FLUSH_SEQ, bit 4, before.
 */
static __always_inline bool is_flush_sequence(struct request *rq)
{
	__u32 bit = estat_enumerator___RQF_FLUSH_SEQ;

	return rq->rq_flags & 1U << (bit == ESTAT_NO_ENUMERATOR ? 4 : bit & 31);
}

/* How many bios a request has at most that are looked at. */
#define BIO_REQUEST 1024

SEC("tp_btf/block_rq_complete")
int bio_request_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], left = ctx[2];
	struct bio *bio = rq->bio;
	__u64 now;

	if (!bio || is_flush_sequence(rq))
		return 0;
	now = bpf_ktime_get_ns();
	for (int i = 0; i < BIO_REQUEST; i++) {
		__u32 bytes = bio->bi_iter.bi_size;

		if (bytes > left)
			return 0;
		bio_end(bio_id(bio), error | bio->bi_status, HOW_REQUEST, now);
		left -= bytes;
		bio = bio->bi_next;
		if (!left || !bio)
			return 0;
	}
	__sync_fetch_and_add(&bios_state.missed, 1);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_BIO_H */
