/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's types of the page cache and of writeback, with only the members that modules read.
 * CO-RE finds the real offsets at load. NAME___flavor is the type NAME with other members: of other
 * kernel versions, or only those that these modules read. "declared in FILE" holds for all types up
 * to the next such comment.
 */
#ifndef ESTAT_MODULES_VFS_MM_TYPES_H
#define ESTAT_MODULES_VFS_MM_TYPES_H

#include <linux/types.h>

#include "block/types.bpf.h"
#include "cgroup_types.bpf.h"
#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/sched.h */
struct task_struct___mm {
	unsigned int __state;
	struct css_set *cgroups;
	/* how often the task has gone to sleep (voluntary context switches) */
	unsigned long nvcsw;
	struct reclaim_state *reclaim_state; /* not NULL while the task reclaims memory */
};

/* declared in include/linux/compaction.h */
enum compact_result {
	COMPACT_SKIPPED = 1, /* CO-RE replaces the value */
};

/* declared in include/linux/backing-dev-defs.h */
struct bdi_writeback {
	struct backing_dev_info *bdi;
};

enum wb_reason {
	WB_REASON_BACKGROUND,
	WB_REASON_VMSCAN,
	WB_REASON_SYNC,
	WB_REASON_PERIODIC,
	/* the numbers from here on differ between kernels: compare with WB_REASON_IS() */
	WB_REASON_LAPTOP_TIMER, /* in 6.18, not in 7.2 */
	WB_REASON_FS_FREE_SPACE,
	WB_REASON_FORKER_THREAD,
	WB_REASON_FOREIGN_FLUSH,
	WB_REASON_DONTCACHE, /* in 7.2, not in 6.18 */
};

/* declared in fs/fs-writeback.c */
struct wb_writeback_work {
	long nr_pages; /* pages still to be written */
	enum wb_reason reason;
};

/* declared in block/bdev.c; a block device and the inode of its page cache */
struct bdev_inode {
	struct block_device bdev;
	struct inode vfs_inode;
};

/* declared in include/linux/uio.h */
struct iov_iter {
	unsigned long count; /* bytes */
};

/* declared in include/linux/mm_types.h */
struct vm_area_struct {
	struct file *vm_file;
};

/* declared in include/linux/mm.h */
struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};

/*
 * declared in include/linux/mm_types.h; since Linux 5.16; 5.15 has struct page in its place, also
 * in tracepoints
 */
struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages; /* of a large folio: its number of pages; in 6.18, not in 6.12 */
};

/* struct folio of Linux 6.1 and 6.12 */
struct folio___old {
	unsigned int _folio_nr_pages;
};

/* the flags of a page: a struct in Linux 6.18, a number in 6.12 */
typedef struct {
	unsigned long f;
} memdesc_flags_t;

struct folio___flags {
	memdesc_flags_t flags;
};

struct folio___plain_flags {
	unsigned long flags;
};

struct page {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
	/* in the second struct page of a compound page: its number of pages; up to 6.1 */
	unsigned int compound_nr;
};

/* declared in include/linux/page-flags.h */
enum pageflags {
	/* the numbers differ between kernels */
	PG_head,
	PG_writeback,
};

#pragma clang attribute pop

/* Is `raw` the running kernel's number of reason NAME? */
#define WB_REASON_IS(raw, NAME)                              \
	(bpf_core_enum_value_exists(enum wb_reason, NAME) && \
	 (raw) == bpf_core_enum_value(enum wb_reason, NAME))

#endif /* ESTAT_MODULES_VFS_MM_TYPES_H */
