/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bios from submission to end. A module declares a struct bio_key with a member `__u64 how`, and
 * with ESTAT_TABLE a table `bios` of that key. Then the module includes this file and defines:
 *
 *	bio_key_of(bio, key)	fill in the key of a bio that is being submitted
 *	bio_name(bio)		note names for the key of a bio; bio is an address
 *	bio_record(key, e)	if BIO_SLOW is defined: record a slow bio
 *
 * The block layer splits a bio that is too large for its queue: the first part is a new bio, and
 * the rest, which is the original bio, is submitted again. So each original bio has a count of
 * parts that have not ended.
 */
#ifndef ESTAT_MODULES_BLOCK_BIO_H
#define ESTAT_MODULES_BLOCK_BIO_H

#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "sample.bpf.h"

static __always_inline bool is_not_drawn(__u64 id);
static __always_inline __u64 bio_end_time(void);

#include "bio_end.bpf.h"

/* A bio under way, in one cache line. */
struct bio_begun {
	__u64 id;    /* the bio's address */
	__u64 began; /* time of submission */
	struct bio_key key;
	__u32 bytes; /* size at submission; at the end bi_size is 0 */
	__u32 parts; /* parts that have not ended; 0: the bio itself is a part of another bio */
	/* of a part of a bio: id of the bio that was split; of any other bio: its first sector */
	__u64 whole;
	__u64 failed; /* status or errno of the bio or of a failed part; 0: no error */
} __attribute__((aligned(64)));

ESTAT_INFLIGHT(submitted, TABLE, struct bio_begun, 32768, bio_home);

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key);
static __always_inline void bio_name(__u64 bio);

/*
 * If the module counts a sample, only bios that are drawn (sample.bpf.h), and their parts, have an
 * entry in `submitted`. drawn[i] is at least the number of entries of bios whose addresses have i
 * in bits 7 to 18. drawn[i] can be more, because an entry that was replaced stays counted. If
 * drawn[i] is 0, a bio with i in these bits has no entry and needs no lookup.
 */
#define DRAWN_BITS 12
__u32 drawn[1 << DRAWN_BITS];

static __always_inline __u32 *drawn_at(__u64 id)
{
	return &drawn[estat_masked(id >> 7, (1 << DRAWN_BITS) - 1)];
}

static __always_inline bool is_not_drawn(__u64 id)
{
	return estat_module.sample > 1 && !*drawn_at(id);
}

static __always_inline struct bio_begun *bio_find(__u64 id)
{
	return is_not_drawn(id) ? NULL : submitted_find(id);
}

static __always_inline struct bio_begun *bio_begin(__u64 id)
{
	struct bio_begun *b = submitted_begin(id);

	if (b && estat_module.sample > 1)
		__sync_fetch_and_add(drawn_at(id), 1);
	return b;
}

static __always_inline bool bio_free(struct bio_begun *b, __u64 id)
{
	if (!submitted_free(b, id))
		return false;
	if (estat_module.sample > 1)
		__sync_fetch_and_add(drawn_at(id), -1);
	return true;
}

static __noinline int bio_find_and_free(__u64 id)
{
	struct bio_begun *b = submitted_find(id);

	if (b)
		bio_free(b, id);
	return 0;
}

/*
 * If the module counts a sample, each new bio, even if it does not count, frees the entry that an
 * older bio left at the same address. Else the end of the new bio would count as the older bio's.
 */
static __always_inline void bio_forget(__u64 id)
{
	if (estat_module.sample > 1 && !is_not_drawn(id))
		bio_find_and_free(id);
}

/* The time to give to bio_end(). 0: bio_end() reads the clock itself, if the bio counts. */
static __always_inline __u64 bio_end_time(void)
{
	return estat_module.sample > 1 ? 0 : bpf_ktime_get_ns();
}

/*
 * The tracepoint fires once for a bio: it does not fire again when a lower disk gets the bio, nor
 * for the rest of a split bio.
 *
 * The address can have an entry of an older bio, if the kernel has skipped the BPF program at that
 * bio's end (aggregate.bpf.h). The new bio gets the entry. The older bio must not count as missed
 * here, because the skipped run has counted. If the kernel skips this BPF program, too, the new
 * bio's end counts as the older bio's.
 */
SEC("tp_btf/block_bio_queue")
int bio_queue(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 id = estat_id(bio);
	struct bio_begun *b;

	bio_forget(id);
	b = estat_counts() ? bio_begin(id) : NULL;
	if (!b)
		return 0;
	bio_key_of(bio, &b->key);
	b->bytes = bio->bi_iter.bi_size;
	b->whole = bio->bi_iter.bi_sector;
	b->parts = 1;
	b->failed = 0;
	b->began = bpf_ktime_get_ns();
	return 0;
}

/*
 * A bio is split. The first part is a new bio that is chained to the original bio. If the part's
 * address has an entry already, an older bio ended unseen. Since Linux 5.18 device mapper has a
 * split of its own (drivers/md/dm.c, dm_split_and_process_bio): it fires this tracepoint for the
 * rest, which is the original bio. Ignore the rest: it begins at new_sector, and a first part does
 * not.
 */
SEC("tp_btf/block_split")
int bio_split(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__u64 whole = (__u64)BPF_CORE_READ(bio, bi_private);
	struct bio_begun *b;

	if ((__u32)ctx[1] == (__u32)bio->bi_iter.bi_sector) /* new_sector has 32 bits */
		return 0;
	bio_forget(estat_id(bio));
	b = bio_find(whole);
	if (!b || !b->parts)
		return 0;
	__sync_fetch_and_add(&b->parts, 1);
	b = bio_begin(estat_id(bio));
	if (!b)
		return 0;
	b->parts = 0;
	b->whole = whole;
	b->began = bpf_ktime_get_ns();
	return 0;
}

static __always_inline struct estat_io *bio_value_of(const struct bio_key *key, __u64 id)
{
	struct estat_io *v = (struct estat_io *)bios_find(key);

	if (v)
		return v;
	/* if the table is full, the key gets no slot, so no name is needed */
	if (!bios_state.full)
		bio_name(id);
	return (struct estat_io *)bios_insert(key);
}

/*
 * The status of a bio with REQ_NOWAIT, such as a bio of io_uring, that fails because it would have
 * to wait, such as for a tag, or be split. The number is that of include/linux/blk_types.h in Linux
 * 5.15 to 7.3. The bio does not count, because its submitter submits the I/O again.
 */
#define BLK_STS_AGAIN 12

/* A bio that has ended. */
struct bio_ended {
	__u64 ns; /* the latency */
	__u64 now;
	__u64 bytes;
	__u64 sector;
	__u64 failed;
	__u64 bio;          /* the bio's address */
	struct request *rq; /* the bio's request; NULL: none */
};

#ifdef BIO_SLOW
static __always_inline bool bios_is_slow(const void *value, __u64 ns);
__noinline int bio_record(const struct bio_key *key, const struct bio_ended *e);
#else
#define bios_is_slow(v, ns) false
#define bio_record(key, e)  0
#endif

/* A slow bio has ended: free *b, count the bio in *v, and record it. */
static __noinline __attribute__((unused)) int bio_ends_slow(struct bio_begun *b, struct estat_io *v,
							    const struct bio_key *key,
							    const struct bio_ended *e)
{
	if (!bio_free(b, e->bio))
		return 0;
	bios_count_io(v, key, e->ns, e->bytes, e->failed);
	return bio_record(key, e);
}

__noinline int bio_end(__u64 id, __u64 failed, __u64 request, __u64 now)
{
	__u64 whole = id, ns, bytes;
	struct bio_begun *b;
	struct estat_io *v;
	struct bio_key key;

	b = bio_find(id);
	if (b && !b->parts) {
		whole = b->whole;
		bio_free(b, id);
		b = submitted_find(whole);
	}
	if (!b)
		return 0;
	if (failed)
		b->failed = failed;
	/*
	 * if no other part is left, no other CPU changes b->parts, so no atomic operation is needed
	 */
	if (b->parts > 1 && __sync_fetch_and_add(&b->parts, -1) > 1)
		return 0;
	key = b->key;
	key.how = request ? HOW_REQUEST : HOW_BIO;
	if (estat_module.sample > 1)
		now = bpf_ktime_get_ns();
	/*
	 * *b is read after the look-up of the value, so that nothing of *b has to be kept on the
	 * stack over the calls
	 */
	if (ESTAT_SELDOM(b->failed == BLK_STS_AGAIN))
		return bio_find_and_free(whole);
	v = bio_value_of(&key, id);
	if (ESTAT_SELDOM(!v))
		return bio_find_and_free(whole);
	ns = now - b->began;
	if ((__s64)ns < 0)
		ns = 0;
	if (bios_is_slow(v, ns)) {
		struct bio_ended e = {
			ns, now, b->bytes, b->whole, b->failed, whole, (struct request *)request
		};

		return bio_ends_slow(b, v, &key, &e);
	}
	bytes = b->bytes;
	failed = b->failed;
	if (bio_free(b, whole))
		bios_count_io(v, &key, ns, bytes, failed);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_BIO_H */
