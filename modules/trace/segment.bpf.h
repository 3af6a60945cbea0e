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

static __always_inline struct bio_vec *segment_of(struct bio___pages *bio, __u32 i)
{
	struct bio_vec *v = BPF_CORE_READ(bio, bi_io_vec);

	return (void *)v +
	       (i + BPF_CORE_READ(bio, bi_iter.bi_idx)) * bpf_core_type_size(struct bio_vec);
}

/* The byte of the file at which a segment begins, if the segment's page is a page of a file. */
static __always_inline __u64 byte_in_file(struct bio_vec *v)
{
	struct page *page = BPF_CORE_READ(v, bv_page);
	struct folio *folio = head_of(page);
	__u64 pages = ((__u64)page - (__u64)folio) / bpf_core_type_size(struct page);

	return (index_of(folio, false) + pages) * PAGE_SIZE + BPF_CORE_READ(v, bv_offset);
}

/* The address of the inode to which the bio's first page belongs; 0: there is none. */
__noinline __u64 inode_in(__u64 bio)
{
	struct bio_vec *v = segment_of((struct bio___pages *)bio, 0);
	struct folio *folio = head_of(BPF_CORE_READ(v, bv_page));
	struct address_space *mapping = file_mapping_of(folio, false);

	return mapping ? estat_id(BPF_CORE_READ(mapping, host)) : 0;
}

#endif /* ESTAT_MODULES_TRACE_SEGMENT_H */
