/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's block layer, with only the members that modules read. CO-RE finds the real
 * offsets at load. NAME___flavor is the type NAME of other kernel versions. "declared in FILE"
 * holds for all types up to the next such comment.
 */
#ifndef ESTAT_MODULES_BLOCK_TYPES_H
#define ESTAT_MODULES_BLOCK_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};

/*
 * declared in include/linux/xarray.h; if an entry is above 4096 and its two lowest bits are binary
 * 10, the entry is a node's address + 2
 */
struct xarray {
	void *xa_head; /* NULL, the only entry, which has index 0, or the top node's address + 2 */
};

struct xa_node {
	__u8 shift;
	/* entries, by (index >> shift) % 64; with CONFIG_BASE_SMALL 16 entries, by % 16 */
	void *slots[64];
};

/* declared in include/linux/device.h */
struct device {
	__u32 devt;
};

/* declared in include/linux/blk_types.h */
struct block_device {
	struct gendisk *bd_disk;
	struct device bd_device; /* since 5.11 */
};

/* declared in include/linux/blkdev.h, in 5.15 include/linux/genhd.h */
struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
	struct block_device *part0; /* the whole disk */
	struct request_queue *queue;
	struct backing_dev_info *bdi; /* since 5.15 */
	__u64 diskseq;                /* a number that no other disk had since boot; since 5.15 */
};

/* declared in block/blk-stat.c; `accounting` was the flag `enable_accounting` before 5.17 */
struct blk_queue_stats {
	struct list_head callbacks;
	int accounting;
};

struct blk_queue_stats___bool {
	_Bool enable_accounting;
};

/* declared in include/linux/blkdev.h */
struct request_queue {
	void *queuedata;                     /* data of the queue's driver */
	struct elevator_queue *elevator;     /* NULL: no I/O scheduler */
	struct blk_mq_hw_ctx **queue_hw_ctx; /* before 5.18, and again since 7.0 */
	/* since 5.18 and before 7.0; the entries are blk_mq_hw_ctx */
	struct xarray hctx_table;
	unsigned long queue_flags;
	struct blk_queue_stats *stats;
	struct gendisk *disk; /* since 5.15 */
	struct blk_mq_tag_set *tag_set;
	struct list_head tag_set_list;
};

/* declared in include/linux/blk-mq.h */
struct blk_mq_tag_set {
	unsigned int nr_hw_queues;
	struct blk_mq_tags **tags; /* by hardware queue */
	struct list_head tag_list; /* the request queues that use the set */
};

/* declared in include/linux/sbitmap.h */
struct sbitmap_word {
	/* a set bit: the tag is taken or, if `cleared` has the bit, too, was given back */
	unsigned long word;
	/* bits of `word` whose tags were given back, but that are not cleared in `word` yet */
	unsigned long cleared;
};

struct sbitmap {
	unsigned int shift; /* a word has 1 << shift bits */
	unsigned int map_nr;
	struct sbitmap_word *map;
};

struct sbitmap_queue {
	struct sbitmap sb;
};

/* declared in include/linux/blk-mq.h, in 5.15 block/blk-mq-tag.h */
struct blk_mq_tags {
	unsigned int nr_reserved_tags; /* tags 0 to nr_reserved_tags - 1 are not in bitmap_tags */
	struct sbitmap_queue bitmap_tags;
	struct request **rqs; /* by tag: the request that got the tag last; it may have ended */
	/*
	 * by tag: the request that always has this tag; a scheduler's tags have requests of their
	 * own
	 */
	struct request **static_rqs;
};

struct blk_mq_tags___pointer {
	struct sbitmap_queue *bitmap_tags; /* before 5.16 */
};

/* declared in include/linux/blk-mq.h */
struct blk_mq_hw_ctx {
	struct blk_mq_tags *sched_tags; /* the I/O scheduler's tags */
	unsigned int queue_num; /* number of the hardware queue in its request queue, from 0 */
};

/* declared in include/linux/blk-mq.h, in 5.15 include/linux/blkdev.h */
enum mq_rq_state {
	MQ_RQ_IDLE, /* not issued to the driver */
	MQ_RQ_IN_FLIGHT,
};

/* declared in include/linux/types.h, as atomic_t */
struct atomic {
	int counter;
};

/* declared in block/blk-mq.h */
struct blk_mq_ctx {
	unsigned int cpu;
};

/* declared in include/linux/blk-mq.h, in 5.15 include/linux/blkdev.h */
struct request {
	struct request_queue *q;
	struct blk_mq_ctx *mq_ctx; /* tells which CPU allocated the request */
	struct blk_mq_hw_ctx *mq_hctx;
	__u32 cmd_flags; /* the low 8 bits are the operation */
	__u32 rq_flags;
	int tag; /* tag of the tag set; -1: none, as while an I/O scheduler has the request */
	int internal_tag;       /* tag of the I/O scheduler; -1: none */
	__u32 __data_len;       /* bytes not yet completed */
	__u64 __sector;         /* sector of the first byte not yet completed */
	struct bio *bio;        /* the first bio that is not completed */
	__u64 alloc_time_ns;    /* when the allocation began; 0: not stamped */
	__u64 start_time_ns;    /* when the request was allocated; see has_old_stamp() */
	__u64 io_start_time_ns; /* the kernel's stamp of the issue (issue.bpf.h); 0: not stamped */
	__u16 stats_sectors;    /* sectors at issue, if the queue keeps statistics */
	enum mq_rq_state state;
	struct atomic ref;    /* 0: free; a refcount_t before 5.17 */
	unsigned int timeout; /* jiffies */
};

/* declared in include/linux/blkdev.h, in 7.3 include/linux/blk_plug.h */
struct blk_plug {
	/* the time that all requests of the plug get; 0: not taken yet; since Linux 6.9 */
	__u64 cur_ktime;
};

/* declared in include/linux/sched.h */
struct task_struct {
	struct blk_plug *plug;
	struct fs_struct *fs;
};

/* declared in include/linux/blk-mq.h */
struct blk_mq_queue_data {
	struct request *rq;
};

/* in 5.15 declared in include/linux/blkdev.h */
struct request___rq_disk {
	struct gendisk *rq_disk; /* before 5.17 */
};

/* declared in include/linux/bvec.h */
struct bvec_iter {
	__u64 bi_sector;
	__u32 bi_size; /* bytes not yet completed */
};

/* declared in include/linux/blk_types.h */
struct bio {
	struct bio *bi_next;          /* the next bio of the request */
	struct block_device *bi_bdev; /* since 5.12 */
	__u32 bi_opf;                 /* the low 8 bits are the operation */
	__u16 bi_flags;               /* bits such as BIO_TRACE_COMPLETION */
	__u8 bi_status;               /* 0: no error */
	struct bvec_iter bi_iter;
	void *bi_private; /* data of the bio's owner */
	/* what the block layer keeps for the bio's cgroup on the bio's disk */
	struct blkcg_gq *bi_blkg;
};

/* up to Linux 6.17 */
struct bio_issue {
	__u64 value;
};

struct bio___issue {
	struct bio_issue bi_issue;
};

enum req_flag_bits {
	/* these are not the kernel's numbers: bpf_core_enum_value() gives those */
	__REQ_SYNC,
	__REQ_META,
	__REQ_FUA,
	__REQ_PREFLUSH,
	__REQ_RAHEAD,
	__REQ_ATOMIC, /* since 6.11 */
};

/* declared in include/linux/blk_types.h; before Linux 6.0 its name is `enum req_opf` */
enum req_op {
	REQ_OP_READ = 0,
	REQ_OP_WRITE = 1,
	REQ_OP_FLUSH = 2,
	REQ_OP_DISCARD = 3,
	REQ_OP_SECURE_ERASE = 5,
	REQ_OP_WRITE_ZEROES = 9,
	REQ_OP_DRV_IN = 34,
	REQ_OP_DRV_OUT = 35,
	/* the numbers from here on differ between kernels: compare with REQ_OP_IS() */
	REQ_OP_ZONE_APPEND,
	REQ_OP_ZONE_OPEN,
	REQ_OP_ZONE_CLOSE,
	REQ_OP_ZONE_FINISH,
	REQ_OP_ZONE_RESET,
	REQ_OP_ZONE_RESET_ALL,
};

enum req_opf {
	REQ_OP_ZONE_APPEND___opf,
	REQ_OP_ZONE_OPEN___opf,
	REQ_OP_ZONE_CLOSE___opf,
	REQ_OP_ZONE_FINISH___opf,
	REQ_OP_ZONE_RESET___opf,
	REQ_OP_ZONE_RESET_ALL___opf,
};

#pragma clang attribute pop

/* Is `raw` the running kernel's number of operation NAME? */
#define REQ_OP_IS(raw, NAME)                                                 \
	(bpf_core_enum_value_exists(enum req_op, NAME)                       \
		 ? (raw) == bpf_core_enum_value(enum req_op, NAME)           \
		 : bpf_core_enum_value_exists(enum req_opf, NAME##___opf) && \
			   (raw) == bpf_core_enum_value(enum req_opf, NAME##___opf))

#endif /* ESTAT_MODULES_BLOCK_TYPES_H */
