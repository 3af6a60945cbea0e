/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disk of a bio, and the pages in the bio's segments. */
#ifndef ESTAT_MODULES_TRACE_SEGMENT_H
#define ESTAT_MODULES_TRACE_SEGMENT_H

#include "block/types.bpf.h"
#include "vfs/page.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct page___head {
	unsigned long compound_head; /* in a tail page: the head page's address, plus 1 */
};

struct page___info {
	/* in a tail page: the head page's address or the mask that head_of() describes, plus 1 */
	unsigned long compound_info;
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

struct block_device___begin {
	__u64 bd_start_sect; /* the first sector of a partition, on its disk; 0: a whole disk */
};

struct bvec_iter___index {
	unsigned int bi_idx;
};

struct bio___pages {
	struct bvec_iter___index bi_iter;
	unsigned short bi_vcnt; /* 0: a clone, or a bio without data */
	struct bio_vec *bi_io_vec;
};
#pragma clang attribute pop

static __always_inline __u32 device_of_disk(struct gendisk *disk)
{
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

/*
 * The folio of a page. A tail page has the address of the folio's first page or, in compound_info,
 * a mask: the tail page's address & mask is the first page's address. See _compound_head() in
 * include/linux/page-flags.h. A mask, taken as an address, is in the last 4 GiB of the address
 * space, where no struct page is.
 */
static __always_inline struct folio *head_of(struct page *page)
{
	unsigned long head = 0;

	if (bpf_core_field_exists(((struct page___info *)page)->compound_info))
		head = BPF_CORE_READ((struct page___info *)page, compound_info);
	else if (bpf_core_field_exists(((struct page___head *)page)->compound_head))
		head = BPF_CORE_READ((struct page___head *)page, compound_head);
	if (!(head & 1))
		return (struct folio *)page;
	--head;
	return (struct folio *)(head >= -(1UL << 32) ? (unsigned long)page & head : head);
}

struct segment {
	struct page *page;
	struct folio *folio; /* the page's folio */
	__u32 offset;        /* the byte of the page at which the segment begins */
	__u32 bytes;
};

static __always_inline struct segment segment_of(struct bio___pages *bio, __u32 i)
{
	struct bio_vec *v =
		(void *)BPF_CORE_READ(bio, bi_io_vec) +
		(i + BPF_CORE_READ(bio, bi_iter.bi_idx)) * bpf_core_type_size(struct bio_vec);
	struct segment s = { .page = BPF_CORE_READ(v, bv_page) };

	s.folio = head_of(s.page);
	s.offset = BPF_CORE_READ(v, bv_offset);
	s.bytes = BPF_CORE_READ(v, bv_len);
	return s;
}

/* The byte of the file at which a segment begins, if the segment's page is a page of a file. */
static __always_inline __u64 byte_in_file(const struct segment *s)
{
	__u64 pages = ((__u64)s->page - (__u64)s->folio) / bpf_core_type_size(struct page);

	return (index_of(s->folio, false) + pages) * PAGE_SIZE + s->offset;
}

/* The address of the inode to which a segment's page belongs; 0: there is none. */
static __always_inline __u64 inode_of(const struct segment *s)
{
	struct address_space *mapping = file_mapping_of(s->folio, false);

	return mapping ? estat_id(BPF_CORE_READ(mapping, host)) : 0;
}

/* The address of the inode to which the bio's first page belongs; 0: there is none. */
__noinline __u64 inode_in(__u64 bio)
{
	struct segment first = segment_of((struct bio___pages *)bio, 0);

	return inode_of(&first);
}

#endif /* ESTAT_MODULES_TRACE_SEGMENT_H */
