/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bios from their submission to their end. A module that counts them declares a struct bio_key,
 * of which a member is __u64 how, and an ESTAT_TABLE(bios, ...) of it, then includes this file,
 * and defines
 *
 *	bio_key_of(bio, key)	where a bio belongs, which has just been submitted
 *	bio_name(key, bio)	what the agent must know to name a key that is new
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
#ifndef ESTAT_BIO_H
#define ESTAT_BIO_H

#include "disk.h"

/* How a bio has ended; each of two programs sees one. */
enum {
	HOW_BIO,
	HOW_REQUEST,
};

/* A bio under way. */
struct bio_begun {
	__u64 ns;
	struct bio_key key;
	__u32 bytes; /* at its end they have been used up */
	__u32 parts; /* that have not ended; 0: it is a part itself */
	__u64 whole; /* of which bio */
	__u64 failed;
};

/*
 * Bios that may be under way at once: each has one of the eight places of a set. Which of them
 * is whose is in one cache line, apart from the rest.
 */
#define BIO_SETS   4096
#define BIO_PLACES 8

struct bio_set {
	__u64 whose[BIO_PLACES];
	struct bio_begun begun[BIO_PLACES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BIO_SETS);
	__type(key, __u32);
	__type(value, struct bio_set);
} bio_sets SEC(".maps");

/* Addresses are counted from that of this. */
static __u64 origin;

/* Provided by libbpf from the running kernel's version. */
extern int LINUX_KERNEL_VERSION __kconfig;

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key);
static __always_inline void bio_name(const struct bio_key *key, __u64 bio);

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

static __always_inline struct bio_set *bio_set_of(__u64 id)
{
	__u32 set = id * 0x9e3779b97f4a7c15 >> 40 & (BIO_SETS - 1);

	return bpf_map_lookup_elem(&bio_sets, &set);
}

static __always_inline enum op bio_op(struct bio *bio)
{
	enum op op = op_of(bio->bi_opf);

	return op == op_write && !bio->bi_iter.bi_size ? op_flush : op;
}

/* The place of a bio in its set; NULL if it has none: its submission was not seen. */
static __always_inline struct bio_begun *bio_find(struct bio_set *set, __u64 id, __u64 **whose)
{
#pragma unroll
	for (int i = 0; i < BIO_PLACES; i++)
		if (set->whose[i] == id) {
			*whose = &set->whose[i];
			return &set->begun[i];
		}
	return NULL;
}

/*
 * All places of the set are taken: the oldest bio's, or that of one whose end was not seen. It
 * will not be measured.
 */
static __noinline struct bio_begun *bio_evict(struct bio_set *set, __u64 id)
{
	__u64 *whose = &set->whose[0], old;
	struct bio_begun *b;

	if (!set)
		return NULL;
	b = &set->begun[0];
#pragma unroll
	for (int i = 1; i < BIO_PLACES; i++)
		if (set->begun[i].ns < b->ns) {
			b = &set->begun[i];
			whose = &set->whose[i];
		}
	old = *whose;
	__sync_fetch_and_add(&bios_state.missed, 1);
	return __sync_val_compare_and_swap(whose, old, id) == old ? b : NULL;
}

/* A place for a bio that begins now. Other CPUs may look for one in the same set. */
static __always_inline struct bio_begun *bio_place(__u64 id)
{
	struct bio_set *set = bio_set_of(id);
	struct bio_begun *b;
	__u64 *whose;

	if (!set)
		return NULL;
	/* one that was at this address, and whose end was not seen */
	b = bio_find(set, id, &whose);
	if (b)
		return b;
#pragma unroll
	for (int i = 0; i < BIO_PLACES; i++)
		if (!set->whose[i] && !__sync_val_compare_and_swap(&set->whose[i], 0, id))
			return &set->begun[i];
	return bio_evict(set, id);
}

/* Once a bio, though it is submitted again for a disk below, or as what a split has left of it. */
SEC("tp_btf/block_bio_queue")
int bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	struct bio_begun *b = bio_place(bio_id(bio));

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
 * The first part of a bio is a new one, chained to it. Since Linux 5.18 device mapper says so of
 * the rest, which is the bio itself (drivers/md/dm.c, dm_split_and_process_bio).
 */
SEC("tp_btf/block_split")
int bio_split(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 part = bio_id(bio), whole = (__u64)bio->bi_private - bio_base(), *whose;
	struct bio_set *set = bio_set_of(part);
	struct bio_begun *b;

	if (!set || bio_find(set, part, &whose))
		return 0;
	set = bio_set_of(whole);
	b = set ? bio_find(set, whole, &whose) : NULL;
	if (!b || !b->parts)
		return 0;
	__sync_fetch_and_add(&b->parts, 1);
	b = bio_place(part);
	if (!b)
		return 0;
	b->ns = bpf_ktime_get_ns();
	b->parts = 0;
	b->whole = whole;
	return 0;
}

static __always_inline void bio_count(const struct bio_key *key, const struct bio_begun *b,
				      __u64 now, __u64 id)
{
	struct estat_io *v = bios_find(key);

	if (!v) {
		bio_name(key, id + bio_base());
		v = bios_insert(key);
	}
	if (v)
		bios_count_io(v, key, now > b->ns ? now - b->ns : 0, b->bytes, b->failed);
}

/*
 * A bio, or a part of one, has ended. It is not static, so that it is verified alone and not once
 * for each bio that a request can have.
 */
__noinline int bio_end(__u64 id, __u64 failed, __u64 how)
{
	struct bio_set *set = bio_set_of(id);
	__u64 now = bpf_ktime_get_ns(), *whose = NULL, which = id;
	struct bio_begun *b, ended;

	b = set ? bio_find(set, id, &whose) : NULL;
	if (!b)
		return 0;
	if (!b->parts) {
		which = b->whole;
		__sync_val_compare_and_swap(whose, id, 0);
		set = bio_set_of(which);
		b = set ? bio_find(set, which, &whose) : NULL;
		if (!b)
			return 0;
	}
	if (failed)
		b->failed = 1;
	/* who sees that it is the last needs not say so */
	if (b->parts > 1 && __sync_fetch_and_add(&b->parts, -1) > 1)
		return 0;
	ended = *b;
	if (__sync_val_compare_and_swap(whose, which, 0) != which)
		return 0;
	ended.key.how = how;
	bio_count(&ended.key, &ended, now, id);
	return 0;
}

SEC("tp_btf/block_bio_complete")
int bio_complete(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];

	bio_end(bio_id(bio), bio->bi_status, HOW_BIO);
	return 0;
}

/*
 * Is the request in the hands of the flush machinery (block/blk-flush.c)? Then its bio does not
 * end with its data, but when it has been restored, by a completion of no bytes.
 */
static __always_inline bool is_flush_sequence(struct request *rq)
{
	if (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 12, 0))
		return rq->rq_flags & 1 << 1; /* __RQF_FLUSH_SEQ */
	return rq->rq_flags & 1 << 4;         /* RQF_FLUSH_SEQ */
}

/* How many bios a request has at most that are looked at. */
#define BIO_REQUEST 1024

SEC("tp_btf/block_rq_complete")
int bio_request_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 error = ctx[1], left = ctx[2];
	struct bio *bio = rq->bio;

	if (!bio || is_flush_sequence(rq))
		return 0;
	for (int i = 0; i < BIO_REQUEST; i++) {
		__u32 bytes = bio->bi_iter.bi_size;

		if (bytes > left)
			return 0;
		bio_end(bio_id(bio), error | bio->bi_status, HOW_REQUEST);
		left -= bytes;
		bio = bio->bi_next;
		if (!left || !bio)
			return 0;
	}
	__sync_fetch_and_add(&bios_state.missed, 1);
	return 0;
}

#endif /* ESTAT_BIO_H */
