/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all requests that drivers have, for the gauges of backend_io: of each disk, each
 * hardware queue and each tag. The times are the requests' own stamps, so the walk also finds what
 * began before the module was attached. All is read without locks, by bpf_probe_read_kernel(): what
 * is freed meanwhile reads as anything, and the checks in count_tag() pass it over.
 */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_WALK_H
#define ESTAT_MODULES_BLOCK_REQUEST_WALK_H

#include "request.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/fs.h */
struct super_block {
	struct list_head s_list; /* all super_blocks */
	unsigned long s_magic;
	struct list_head s_inodes;
};

struct inode {
	struct super_block *i_sb;
	struct list_head i_sb_list;
};

/* block/bdev.c, before 5.16 fs/block_dev.c */
struct bdev_inode {
	struct inode vfs_inode;
};

/* include/linux/mount.h */
struct vfsmount {
	struct super_block *mnt_sb;
};

struct path {
	struct vfsmount *mnt;
};

/* include/linux/fs_struct.h */
struct fs_struct {
	struct path root;
};

#pragma clang attribute pop

#define BDEVFS_MAGIC     0x62646576 /* include/uapi/linux/magic.h */
#define MAX_SUPER_BLOCKS 65536 /* after so many the search ends: the list has changed meanwhile */
#define MAX_DISKLESS     64    /* queues of a host's tapes and enclosures before its first disk */

/* blockdev_superblock, whose inodes are all block devices; 0: not looked for yet */
__u64 devices;

/*
 * Where the walk is. Runs of estat_walk follow one another, so no other walk changes it. Not
 * static, because clang would take it apart and the kernel would refuse its type.
 */
struct {
	__u64 super_block, super_blocks; /* before `devices` is known: how many were looked at */
	__u64 link;                      /* i_sb_list of the inode of the block device */
	__u64 set;                       /* the disk's blk_mq_tag_set; 0: none, or done */
	__u64 tags;                      /* the blk_mq_tags of hardware queue `queue` */
	__u64 requests;                  /* their array of pointers, by tag */
	__u32 queue;
	__u32 tag, ntags;
} at;

ESTAT_FOUND(backend_io, struct request_key)

/*
 * Look whether the next super_block is that of the block devices. All super_blocks are in a list,
 * whose head is in none: what is read there has another magic.
 */
static __always_inline int find_devices(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct super_block *sb = (struct super_block *)at.super_block;

	sb = sb ? (void *)BPF_CORE_READ(sb, s_list.next) -
			     bpf_core_field_offset(struct super_block, s_list)
		: BPF_CORE_READ(task, fs, root.mnt, mnt_sb);
	at.super_block = (__u64)sb;
	if (BPF_CORE_READ(sb, s_magic) == BDEVFS_MAGIC) {
		devices = (__u64)sb;
		at.link = devices + bpf_core_field_offset(struct super_block, s_inodes);
	}
	return ++at.super_blocks < MAX_SUPER_BLOCKS ? 0 : ESTAT_WALK_END | ESTAT_WALK_PARTIAL;
}

static __always_inline struct gendisk *disk_at(struct request_queue *q)
{
	return BPF_CORE_READ(q, disk);
}

/*
 * Disks of a SCSI host share a tag set. Is the queue the first that has a disk? -1: not known. Not
 * static, so the verifier checks the loop alone.
 */
__noinline int requests_is_first(__u64 set, __u64 queue)
{
	struct blk_mq_tag_set *of = (struct blk_mq_tag_set *)set;
	struct list_head *link = BPF_CORE_READ(of, tag_list.next);

	for (__u32 i = 0; i < MAX_DISKLESS; i++) {
		struct request_queue *q =
			(void *)link - bpf_core_field_offset(struct request_queue, tag_set_list);

		if ((__u64)q == queue || disk_at(q))
			return (__u64)q == queue;
		link = BPF_CORE_READ(link, next);
	}
	return -1;
}

/* Go to the next block device, and to the tag set of the disk if the device is a whole disk. */
static __always_inline int next_device(void)
{
	struct list_head *last = (struct list_head *)at.link, *link = BPF_CORE_READ(last, next);
	struct inode *inode = (void *)link - bpf_core_field_offset(struct inode, i_sb_list);
	struct block_device *device =
		(void *)inode - bpf_core_field_offset(struct bdev_inode, vfs_inode);
	struct gendisk *disk = BPF_CORE_READ(device, bd_disk);
	struct blk_mq_tag_set *set;
	int first;

	if ((__u64)link == devices + bpf_core_field_offset(struct super_block, s_inodes))
		return ESTAT_WALK_END;
	/* the link of a device that was removed meanwhile leads to itself */
	if (link == last || (__u64)BPF_CORE_READ(inode, i_sb) != devices)
		return ESTAT_WALK_END | ESTAT_WALK_PARTIAL;
	at.link = (__u64)link;
	if (!disk || BPF_CORE_READ(disk, part0) != device)
		return 0;
	set = BPF_CORE_READ(disk, queue, tag_set);
	first = set ? requests_is_first((__u64)set, (__u64)BPF_CORE_READ(disk, queue)) : 0;
	if (first <= 0)
		return first ? ESTAT_WALK_PARTIAL : 0;
	at.set = (__u64)set;
	at.queue = -1;
	at.tag = at.ntags = 0;
	at.tags = 0;
	return 0;
}

/* Go to the next hardware queue. All have the same tags if the driver shares one set of tags. */
static __always_inline void next_queue(void)
{
	struct blk_mq_tag_set *set = (struct blk_mq_tag_set *)at.set;
	struct blk_mq_tags *tags = NULL;

	at.tag = at.ntags = 0;
	if (++at.queue >= BPF_CORE_READ(set, nr_hw_queues)) {
		at.set = 0;
		return;
	}
	bpf_probe_read_kernel(&tags, sizeof(tags), BPF_CORE_READ(set, tags) + at.queue);
	if (!tags || (__u64)tags == at.tags)
		return;
	at.tags = (__u64)tags;
	at.ntags = BPF_CORE_READ(tags, nr_tags);
	at.requests = (__u64)BPF_CORE_READ(tags, rqs);
}

/* When the request was issued; 0: not known. */
static __always_inline __u64 issued_at(struct request *rq)
{
	struct estat_begun *e = issues_find((__u64)rq);
	__u64 began = e ? e->began & ESTAT_BEGAN : 0, stamp = BPF_CORE_READ(rq, io_start_time_ns);
	__u64 allocated = BPF_CORE_READ(rq, start_time_ns);

	if (!(BPF_CORE_READ(rq, rq_flags) & io_stat_flag()))
		allocated = 0; /* may be that of an earlier request, see allocation_time() */
	if (began && began >= allocated)
		return began;
	return stamp ? stamp : allocated;
}

/* Not static, so the verifier checks what is done with each operation only once. */
__noinline int requests_count(__u64 disk, __u32 raw_op, __u64 began, __u64 walk)
{
	struct request_key key = {};

	key.disk = dev_at((struct gendisk *)disk);
	key.op = op_of(raw_op);
	if (!backend_io_find(&key))
		note_hidden((struct gendisk *)disk);
	return backend_io_found(&key, began, walk);
}

/* Count the request that has the tag, if the driver has the request. */
static __always_inline int count_tag(__u32 tag, __u64 walk)
{
	struct request *rq = NULL;
	struct request_queue *q;
	struct gendisk *disk;
	__u64 began;

	bpf_probe_read_kernel(&rq, sizeof(rq), (void *)at.requests + tag * sizeof(rq));
	if (!rq || BPF_CORE_READ(rq, state) != MQ_RQ_IN_FLIGHT ||
	    BPF_CORE_READ(rq, tag) != (int)tag)
		return 0;
	q = BPF_CORE_READ(rq, q);
	disk = disk_at(q);
	if (!disk || (__u64)BPF_CORE_READ(q, tag_set) != at.set)
		return 0;
	began = issued_at(rq);
	return requests_count((__u64)disk, BPF_CORE_READ(rq, cmd_flags), began ? began : walk,
			      walk);
}

/* Look at one device, hardware queue or tag. Not static, so the verifier checks it once. */
__noinline int requests_look(__u64 walk)
{
	if (!devices)
		return find_devices();
	if (!at.set)
		return next_device();
	if (at.tag < at.ntags)
		return count_tag(at.tag++, walk);
	next_queue();
	return 0;
}

SEC("raw_tp")
int estat_walk(__u64 *ctx)
{
	__u64 from = ctx[0], walk = ctx[1];
	int flags = 0;

	if (!from) {
		at.link = devices + bpf_core_field_offset(struct super_block, s_inodes);
		at.set = at.super_block = at.super_blocks = 0;
	}
	for (__u32 i = 0; i < ESTAT_WALK_STEP && !(flags & ESTAT_WALK_END); i++)
		flags |= requests_look(walk);
	return flags;
}

#endif /* ESTAT_MODULES_BLOCK_REQUEST_WALK_H */
