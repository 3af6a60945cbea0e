/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a buffered write leaves in the page cache, until it is on the disk. The bytes are known by
 * their file and offset: pages are not marked. A bio of any task that writes pages of a watched
 * inode is looked at, page by page.
 */
#ifndef ESTAT_MODULES_TRACE_CACHE_H
#define ESTAT_MODULES_TRACE_CACHE_H

#include "journey.bpf.h"
#include "vfs/page.bpf.h"

#define SEGMENTS 256 /* of a bio that are looked at */
#define CACHES \
	48 /* journeys with data in the page cache; the others are left for other operations */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct page___head {
	unsigned long compound_head; /* of a tail page: the head's address, plus 1 */
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

struct bvec_iter___index {
	unsigned int bi_idx;
};

struct bio___pages {
	struct bvec_iter___index bi_iter;
	unsigned short bi_vcnt; /* 0: a clone */
	struct bio_vec *bi_io_vec;
};
#pragma clang attribute pop

static __always_inline __u32 device_of_disk(struct gendisk *disk)
{
	return disk ? disk->major << 20 | disk->first_minor : 0;
}

/* The claimed span `i` of a bio begins: the bio is submitted to its disk. */
static __always_inline void bio_begins(int i, struct bio *bio)
{
	span_begins(i, device_of_disk(bio->bi_bdev->bd_disk), bio->bi_iter.bi_sector,
		    bio->bi_iter.bi_size);
}

/* The journey's write goes to the page cache: watch the inode. */
static __always_inline void cache_begins(__u64 journey)
{
	struct journey *j = traced_at(journey);
	int i = watched < CACHES ? span_claim(journey, kind_cache, 0) : NONE;

	if (i < 0)
		return;
	j->cache = i;
	j->left = 0;
	span_begins(i, span_at(journey)->device, 0, 0);
	__sync_fetch_and_add(&watched, 1);
	j->inode = j->address;
}

/* The write has returned: its bytes are known. */
static __always_inline int cache_filled(__u64 journey)
{
	struct journey *j = traced_at(journey);

	__sync_fetch_and_add(&j->left, j->bytes);
	return cache_settles(journey, j->ended);
}

/* The folio of a page. A tail page of the folio has the address of the folio's first page. */
static __always_inline struct folio *head_of(struct page *page)
{
	unsigned long head = 0;

	if (bpf_core_field_exists(((struct page___head *)page)->compound_head))
		head = BPF_CORE_READ((struct page___head *)page, compound_head);
	return (struct folio *)(head & 1 ? head - 1 : (unsigned long)page);
}

static __always_inline struct bio_vec *segment_of(struct bio___pages *bio, __u32 i)
{
	struct bio_vec *v = BPF_CORE_READ(bio, bi_io_vec);

	return (void *)v +
	       (i + BPF_CORE_READ(bio, bi_iter.bi_idx)) * bpf_core_type_size(struct bio_vec);
}

/* The inode whose pages the bio has, by address, if a journey has data there; else 0. */
__noinline __u64 watched_inode(__u64 bio)
{
	struct bio_vec *v = segment_of((struct bio___pages *)bio, 0);
	struct folio *folio = head_of(BPF_CORE_READ(v, bv_page));
	struct address_space *mapping = file_mapping_of(folio, false);
	__u64 inode = mapping ? estat_id(BPF_CORE_READ(mapping, host)) : 0;

	for (int i = 0; i < JOURNEYS; i++)
		if (inode && traced[i].inode == inode)
			return inode;
	return 0;
}

/* How many bytes of the journey's write the bio has. */
__noinline __u64 bytes_of(__u64 bio, __u64 journey)
{
	struct bio___pages *b = (struct bio___pages *)bio;
	struct journey *j = traced_at(journey);
	__u64 from = j->offset, to = j->ended ? from + j->bytes : ~0ULL, sum = 0;
	__u32 n = BPF_CORE_READ(b, bi_vcnt);

	for (__u32 i = 0; i < SEGMENTS && i < n; i++) {
		struct bio_vec *v = segment_of(b, i);
		struct page *page = BPF_CORE_READ(v, bv_page);
		struct folio *folio = head_of(page);
		__u64 pages = ((__u64)page - (__u64)folio) / bpf_core_type_size(struct page);
		__u64 begin =
			(index_of(folio, false) + pages) * PAGE_SIZE + BPF_CORE_READ(v, bv_offset);
		__u64 end = begin + BPF_CORE_READ(v, bv_len);

		begin = begin > from ? begin : from;
		end = end < to ? end : to;
		sum += end > begin ? end - begin : 0;
	}
	return sum;
}

/* A bio that writes pages of the inode is submitted. Begin a span in each journey with such pages.
 */
static __noinline int cache_written(struct bio *bio, __u64 inode)
{
	for (int n = 0; n < JOURNEYS; n++) {
		__u64 bytes;
		int i;

		if (traced[n].inode != inode)
			continue;
		bytes = bytes_of(estat_id(bio), n);
		i = bytes ? span_claim(traced[n].cache, kind_bio, estat_id(bio)) : NONE;
		if (i < 0)
			continue;
		__sync_fetch_and_add(&traced[n].left, -bytes);
		bio_begins(i, bio);
	}
	return 0;
}

/* A bio is submitted: does it write what journeys have left in the page cache? */
static __always_inline void cache_submits(struct bio *bio)
{
	__u64 inode;

	if ((bio->bi_opf & 255) != REQ_OP_WRITE || !((struct bio___pages *)bio)->bi_vcnt)
		return;
	inode = watched_inode(estat_id(bio));
	if (inode)
		cache_written(bio, inode);
}

/* Writeback takes an inode. */
__noinline int cache_picked(__u64 inode)
{
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].inode == inode && !span_at(traced[n].cache)->picked)
			span_at(traced[n].cache)->picked = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/writeback_single_inode_start")
int trace_writeback(__u64 *ctx)
{
	return watched ? cache_picked(estat_id((void *)ctx[0])) : 0;
}

/* Bytes `from` to `to` of a file leave the page cache: a write that lies in them cannot reach the
 * disk. */
__noinline int cache_truncated(__u64 mapping, __u64 from, __u64 to)
{
	__u64 inode = estat_id(BPF_CORE_READ((struct address_space *)mapping, host));

	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].inode == inode && traced[n].ended && traced[n].left > 0 &&
		    from <= (__u64)traced[n].offset && to >= traced[n].offset + traced[n].bytes - 1)
			journey_ends(n, fate_truncated);
	return 0;
}

SEC("fentry/truncate_inode_pages_range")
int trace_truncate(__u64 *ctx)
{
	return watched ? cache_truncated(estat_id((void *)ctx[0]), ctx[1], ctx[2]) : 0;
}

#endif /* ESTAT_MODULES_TRACE_CACHE_H */
