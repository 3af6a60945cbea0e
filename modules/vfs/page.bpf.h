/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folios of the page cache: their number of pages, mapping and device. Linux 5.15 has no folios:
 * there, in this file, a folio is a struct page, or the first struct page of a compound page.
 */
#ifndef ESTAT_MODULES_VFS_PAGE_H
#define ESTAT_MODULES_VFS_PAGE_H

#include <linux/stat.h>

#include "inflight.bpf.h"
#include "mm_types.bpf.h"
#include "probe.bpf.h"

/* log2 of the page size, which the agent sets: pages of arm64 have 4, 16 or 64 KiB. */
const volatile __u8 estat_page_shift = 12;

#define PAGE_SHIFT estat_page_shift
#define PAGE_SIZE  (1U << PAGE_SHIFT)

static __always_inline __u64 page_flags(struct folio *folio, bool typed)
{
	struct folio___plain_flags *plain = (void *)folio;
	struct folio___flags *flags = (void *)folio;
	struct page *page = (struct page *)folio;

	if (!bpf_core_type_exists(struct folio))
		return ESTAT_READ(page, flags);
	if (bpf_core_field_exists(flags->flags.f))
		return ESTAT_READ(flags, flags.f);
	return ESTAT_READ(plain, flags);
}

static __always_inline struct task_struct___mm *current_task(void)
{
	return (struct task_struct___mm *)bpf_get_current_task_btf();
}

static __always_inline __u32 pages_of_large(struct folio *folio, bool typed)
{
	struct folio___old *old = (void *)folio;
	struct page *second = (void *)folio + bpf_core_type_size(struct page);

	if (bpf_core_field_exists(folio->_nr_pages))
		return ESTAT_READ(folio, _nr_pages);
	if (bpf_core_field_exists(old->_folio_nr_pages))
		return ESTAT_READ(old, _folio_nr_pages);
	return BPF_CORE_READ(second, compound_nr);
}

static __always_inline __u32 pages_of(struct folio *folio, bool typed)
{
	if (page_flags(folio, typed) >> bpf_core_enum_value(enum pageflags, PG_head) & 1)
		return pages_of_large(folio, typed);
	return 1;
}

static __always_inline struct address_space *mapping_of(struct folio *folio, bool typed)
{
	struct page *page = (struct page *)folio;

	if (!bpf_core_type_exists(struct folio))
		return ESTAT_READ(page, mapping);
	return ESTAT_READ(folio, mapping);
}

static __always_inline __u64 index_of(struct folio *folio, bool typed)
{
	struct page *page = (struct page *)folio;

	if (!bpf_core_type_exists(struct folio))
		return ESTAT_READ(page, index);
	return ESTAT_READ(folio, index);
}

/*
 * The device of a mapping's pages: of the pages of a block device itself, that block device; else
 * the device of the file system. 0: the file system has no writeback, so its pages do not count.
 */
static __always_inline estat_dev_t device_of(struct address_space *mapping, bool typed)
{
	struct inode *inode = ESTAT_READ(mapping, host);
	struct backing_dev_info *bdi;
	struct super_block *sb;

	if ((ESTAT_READ(inode, i_mode) & S_IFMT) == S_IFBLK)
		return ESTAT_READ(inode, i_rdev);
	sb = ESTAT_READ(inode, i_sb);
	bdi = ESTAT_READ(sb, s_bdi);
	return ESTAT_READ(bdi, capabilities) & BDI_CAP_WRITEBACK ? ESTAT_READ(sb, s_dev) : 0;
}

/* The backing_dev_info of a mapping's `host`, as by inode_to_bdi() (6.12: mm/backing-dev.c). */
static __always_inline struct backing_dev_info *bdi_of(struct inode *inode)
{
	struct bdev_inode *bi;

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFBLK)
		return BPF_CORE_READ(inode, i_sb, s_bdi);
	bi = (void *)inode - bpf_core_field_offset(struct bdev_inode, vfs_inode);
	return BPF_CORE_READ(bi, bdev.bd_disk, bdi);
}

/*
 * The mapping of the file that a folio belongs to. NULL: the folio was removed from its file, or is
 * anonymous memory (which has bits of PAGE_MAPPING_FLAGS, in 6.18 FOLIO_MAPPING_FLAGS, in
 * `mapping`).
 */
static __always_inline struct address_space *file_mapping_of(struct folio *folio, bool typed)
{
	struct address_space *mapping = mapping_of(folio, typed);

	return estat_id(mapping) & 3 ? NULL : mapping;
}

#endif /* ESTAT_MODULES_VFS_PAGE_H */
