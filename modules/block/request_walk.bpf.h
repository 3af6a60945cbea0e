/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all requests, for the gauges of backend_io and backend_io.queue: it goes through all
 * disks, their hardware queues, and the tags of each queue. The walk reads the kernel's requests
 * and their stamps, and needs no entry of a request, so it also finds requests that began before
 * the module was attached. The walk takes no locks, so memory that is freed meanwhile can hold
 * anything. Therefore requests_look_at() checks what it has read.
 *
 * From allocation to end, a request of a disk with an I/O scheduler has one of the scheduler's
 * tags, and any other request one of the tag set's tags. But the block layer's own request for a
 * flush borrows the tag of a request that waits for the flush (block/blk-flush.c, blk_kick_flush).
 */
#ifndef ESTAT_MODULES_BLOCK_REQUEST_WALK_H
#define ESTAT_MODULES_BLOCK_REQUEST_WALK_H

#include "request.bpf.h"
#include "tell.bpf.h"

ESTAT_TELLS;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/fs.h */
struct super_block {
	struct list_head s_list; /* link in the list of all super_blocks */
	unsigned long s_magic;
	struct list_head s_inodes;
};

struct inode {
	struct super_block *i_sb;
	struct list_head i_sb_list;
};

/* block/bdev.c */
struct bdev_inode {
	struct inode vfs_inode;
};

/* include/linux/mount.h, path.h */
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

#define BDEVFS_MAGIC 0x62646576 /* from include/uapi/linux/magic.h */
/*
 * The search for blockdev_superblock in the kernel's list looks at this many super_blocks at most,
 * because if the list changes meanwhile, the search may never come to blockdev_superblock.
 */
#define MAX_SUPER_BLOCKS 65536
/*
 * The search for a tag set's first queue with a disk looks at this many queues without a disk at
 * most. Tapes and enclosures have queues without a disk.
 */
#define MAX_DISKLESS 64

/* The address of blockdev_superblock, whose inodes are all block devices; 0: not found yet. */
__u64 devices;

/*
 * Where the walk is. Runs of estat_walk never overlap, so they can share this struct. Not static,
 * because clang can replace a static struct by its members, and the kernel would refuse the BTF.
 */
struct {
	/* until `devices` is known: the super_block visited last, and how many were visited */
	__u64 super_block, super_blocks;
	__u64 link; /* address of i_sb_list in the inode of the device where the walk is */
	/* the disk's request_queue; 0: no scheduler, or all of the scheduler's tags were walked */
	__u64 scheduled;
	/* the disk's blk_mq_tag_set; 0: none, walked for another disk, or walked to its end */
	__u64 set;
	__u64 tags;          /* the blk_mq_tags of hardware queue `queue` */
	__u64 requests;      /* static_rqs of `tags` */
	__u64 issued;        /* rqs of `tags`; 0: the tags are the scheduler's */
	__u64 words;         /* struct sbitmap_word[nwords] of `tags` */
	__u64 bits;          /* bit n: the tag `tag` + n is still to be looked at */
	__u64 request_queue; /* the queue of the latest request that the walk has found under way */
	/*
	 * the gendisk of `request_queue`; 0: that queue has no disk, or the walk is at tags that
	 * are neither those of that queue's scheduler nor those of that queue's tag set
	 */
	__u64 disk;
	estat_dev_t disk_number;
	__u32 queue;
	__u32 word, nwords; /* index of the next one of `words`, and how many `words` there are */
	__u32 shift;        /* a word has 1 << shift tags */
	__u32 reserved;     /* how many tags precede the tags in `words` */
	__u32 tag;
} at;

/* A copy of the kernel's request, because one read takes less time than several. */
__u8 request_copy[512] __attribute__((aligned(8)));

#define COPIED_AT(field) (&request_copy[bpf_core_field_offset(struct request, field)])
#define COPIED(field)    (*(volatile typeof(((struct request *)0)->field) *)COPIED_AT(field))

ESTAT_FOUND(backend_io, struct request_key)

/*
 * Look whether the next super_block is that of the block devices. All super_blocks are in a list.
 * The list's head is in no super_block, so what is read as the head's super_block does not have
 * BDEVFS_MAGIC.
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
 * Is the queue the first queue with a disk in the tag set? -1: not known. The disks of a SCSI host
 * share a tag set, so the tag set is walked only for the first disk. Not static, so the verifier
 * checks the loop alone.
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

static __always_inline void first_queue(void)
{
	at.queue = -1;
	at.tags = at.request_queue = 0;
}

/*
 * Go to the next block device. If the device is a whole disk, go to the tags of the disk's
 * scheduler and, if the disk is the first one in its tag set, to those of the tag set.
 */
static __noinline int next_device(void)
{
	struct list_head *last = (struct list_head *)at.link, *link = BPF_CORE_READ(last, next);
	struct inode *inode = (void *)link - bpf_core_field_offset(struct inode, i_sb_list);
	struct block_device *device =
		(void *)inode - bpf_core_field_offset(struct bdev_inode, vfs_inode);
	struct gendisk *disk = BPF_CORE_READ(device, bd_disk);
	struct blk_mq_tag_set *set;
	struct request_queue *q;
	int first;

	if ((__u64)link == devices + bpf_core_field_offset(struct super_block, s_inodes))
		return ESTAT_WALK_END;
	/* the link of a device that was removed during the walk leads to itself */
	if (link == last || (__u64)BPF_CORE_READ(inode, i_sb) != devices)
		return ESTAT_WALK_END | ESTAT_WALK_PARTIAL;
	at.link = (__u64)link;
	if (!disk || BPF_CORE_READ(disk, part0) != device)
		return 0;
	q = BPF_CORE_READ(disk, queue);
	set = BPF_CORE_READ(q, tag_set);
	first = set ? requests_is_first((__u64)set, (__u64)q) : 0;
	at.set = first > 0 ? (__u64)set : 0;
	at.scheduled = BPF_CORE_READ(q, elevator) ? (__u64)q : 0;
	first_queue();
	return first < 0 ? ESTAT_WALK_PARTIAL : 0;
}

static __always_inline struct blk_mq_hw_ctx *hardware_queue(struct request_queue *q, __u32 n)
{
	__u64 size = bpf_core_field_size(((struct xa_node *)0)->slots);
	struct blk_mq_hw_ctx *found = NULL;
	__u64 entry;

	if (!bpf_core_field_exists(q->hctx_table)) {
		bpf_probe_read_kernel(&found, sizeof(found), BPF_CORE_READ(q, queue_hw_ctx) + n);
		return found;
	}
	entry = (__u64)BPF_CORE_READ(q, hctx_table.xa_head);
	for (int level = 0; level < 3 && (entry & 3) == 2; level++) {
		struct xa_node *node = (struct xa_node *)(entry - 2);
		__u64 slot = n >> (BPF_CORE_READ(node, shift) & 31) << 3 & (size - 1);

		slot += (__u64)node + bpf_core_field_offset(struct xa_node, slots);
		bpf_probe_read_kernel(&entry, sizeof(entry), (void *)slot);
	}
	return (struct blk_mq_hw_ctx *)entry;
}

static __always_inline struct sbitmap *tags_in_use(struct blk_mq_tags *tags)
{
	if (bpf_core_field_exists(tags->bitmap_tags))
		return &tags->bitmap_tags.sb;
	return &BPF_CORE_READ((struct blk_mq_tags___pointer *)tags, bitmap_tags)->sb;
}

/*
 * Go to the next hardware queue, first for the scheduler's tags, then for the tag set's tags. If
 * the hardware queues share tags, they all have the same blk_mq_tags since Linux 5.16, so walk
 * these once.
 */
static __noinline int next_queue(void)
{
	struct request_queue *q = (struct request_queue *)at.scheduled;
	struct blk_mq_tag_set *set = q ? BPF_CORE_READ(q, tag_set)
				       : (struct blk_mq_tag_set *)at.set;
	struct blk_mq_tags *tags = NULL;
	struct blk_mq_hw_ctx *hw;
	struct sbitmap *used;

	at.word = at.nwords = 0;
	if (++at.queue >= BPF_CORE_READ(set, nr_hw_queues)) {
		if (!q)
			at.set = 0;
		at.scheduled = 0;
		first_queue();
		return 0;
	}
	if (q) {
		hw = hardware_queue(q, at.queue);
		tags = BPF_CORE_READ(hw, sched_tags);
	} else {
		bpf_probe_read_kernel(&tags, sizeof(tags), BPF_CORE_READ(set, tags) + at.queue);
	}
	if (!tags || (__u64)tags == at.tags)
		return 0;
	used = tags_in_use(tags);
	at.tags = (__u64)tags;
	at.requests = (__u64)BPF_CORE_READ(tags, static_rqs);
	at.issued = q ? 0 : (__u64)BPF_CORE_READ(tags, rqs);
	at.reserved = BPF_CORE_READ(tags, nr_reserved_tags);
	at.shift = BPF_CORE_READ(used, shift);
	at.nwords = BPF_CORE_READ(used, map_nr);
	at.words = (__u64)BPF_CORE_READ(used, map);
	at.tag = 0;
	at.bits = at.reserved < 64 ? (1ULL << (at.reserved & 63)) - 1 : -1ULL;
	return 0;
}

/* Go to the next word of tags. */
static __always_inline void next_word(void)
{
	struct sbitmap_word *word =
		(void *)at.words + at.word * bpf_core_type_size(struct sbitmap_word);

	at.tag = at.reserved + (at.word++ << at.shift);
	at.bits = BPF_CORE_READ(word, word);
	if (at.bits)
		at.bits &= ~BPF_CORE_READ(word, cleared);
}

/* When the request in request_copy was allocated, as allocation_time() returns it. */
static __always_inline __u64 allocated_at(enum op op)
{
	return has_old_stamp(op, COPIED(rq_flags)) ? 0 : COPIED(start_time_ns);
}

/*
 * When the request in request_copy was first issued; 0 if the request was not issued. If the time
 * of the issue is not known, returns `allocated` or, if `allocated` is 0, `walk`, the walk's time.
 * A request is in state MQ_RQ_IDLE before its first issue, and after the driver has requeued it.
 */
static __always_inline __u64 issued_at(__u64 rq, __u64 allocated, __u64 walk)
{
	struct estat_begun *e = issues_find(rq);
	__u64 began = e ? e->began : 0, stamp = COPIED(io_start_time_ns);
	bool idle = COPIED(state) == MQ_RQ_IDLE;

	/* an entry without FIRST_ISSUE is of an older request, whose end was not seen */
	if (idle && !(began & FIRST_ISSUE))
		return stamp;
	began &= ESTAT_BEGAN;
	if (began && began >= allocated)
		return began;
	if (stamp || idle)
		return stamp;
	return allocated ? allocated : walk;
}

/*
 * Set at.request_queue to the queue of the request in request_copy. Set at.disk to the queue's disk
 * if the walk is at that queue's scheduler or tag set, else to 0.
 */
static __noinline int note_queue(void)
{
	struct request_queue *q = COPIED(q);

	at.request_queue = (__u64)q;
	at.disk = (__u64)q == at.scheduled || (__u64)BPF_CORE_READ(q, tag_set) == at.set
			  ? (__u64)disk_at(q)
			  : 0;
	at.disk_number = dev_at((struct gendisk *)at.disk);
	return note_hidden((struct gendisk *)at.disk);
}

/*
 * Count the request in request_copy. queue.latency_sum gets a request's time in the queue only when
 * the request ends, so until then queue.inflight_time has that time. Not static, so the verifier
 * checks the function once.
 */
__noinline int requests_count(__u64 rq, __u64 walk)
{
	struct request_key key = { .disk = at.disk_number, .op = op_of(COPIED(cmd_flags)) };
	__u64 allocated = allocated_at(key.op), issued = issued_at(rq, allocated, walk);
	struct request_value *v = backend_io_gauged(&key);
	__u64 left;

	if (!v)
		return ESTAT_WALK_PARTIAL;
	if (issued)
		estat_found(ESTAT_GAUGES(*v), issued, walk, true, walk);
	if (issued && estat_told())
		tell_bio((__u64)COPIED(bio), COPIED(__data_len));
	left = issued ? issued : walk;
	estat_found(ESTAT_GAUGES(v->queue), allocated ? allocated : left, left, !issued, walk);
	if (estat_told())
		tell_bio((__u64)COPIED(bio), COPIED(__data_len));
	return 0;
}

/* The index of the lowest set bit. With __builtin_ctzll() clang 14 does not terminate. */
static __always_inline __u32 lowest_bit(__u64 bits)
{
	__u32 bit = 0;

#pragma unroll
	for (__u32 n = 32; n; n >>= 1) {
		if (bits << (64 - n))
			continue;
		bits >>= n;
		bit += n;
	}
	return bit;
}

/*
 * Does the request in request_copy wait to be issued? A request without a bio counts as not
 * waiting, because most such requests are kept by a plug for a later bio. The request of a flush
 * without data does not wait, because it is never issued.
 */
static __always_inline bool is_waiting(void)
{
	return COPIED(state) == MQ_RQ_IDLE && *(volatile int *)COPIED_AT(ref) && COPIED(bio) &&
	       (COPIED(__data_len) || !transfers_bytes(op_of(COPIED(cmd_flags))));
}

/*
 * Has the request in request_copy the tag now? A flush of request-based device mapper has two tags,
 * the scheduler's and the tag set's. So that the flush counts once, it is found only by the tag
 * set's tag.
 */
static __always_inline bool has_tag(__u32 tag)
{
	if (!at.scheduled)
		return COPIED(tag) == (int)tag;
	return COPIED(internal_tag) == (int)tag && (__u64)COPIED(q) == at.scheduled &&
	       (__u8)COPIED(cmd_flags) != REQ_OP_FLUSH;
}

/*
 * Count the request with this tag, if the request is under way. Not static, so the verifier checks
 * the function once.
 */
__noinline int requests_look_at(__u64 rq, __u32 tag, __u64 walk)
{
	__u32 size = bpf_core_type_size(struct request);

	if (size > sizeof(request_copy))
		size = sizeof(request_copy);
	if (bpf_probe_read_kernel(request_copy, size, (void *)rq) || !has_tag(tag) ||
	    (COPIED(state) != MQ_RQ_IN_FLIGHT && !is_waiting()))
		return 0;
	if ((__u64)COPIED(q) != at.request_queue)
		note_queue();
	return at.disk ? requests_count(rq, walk) : 0;
}

static __always_inline struct request *request_of(__u64 requests, __u32 tag)
{
	struct request *rq = NULL;

	bpf_probe_read_kernel(&rq, sizeof(rq), (void *)requests + tag * sizeof(rq));
	return rq;
}

/* Look at the request with the lowest tag in at.bits, and at a flush that borrows the tag. */
static __always_inline int next_tag(__u64 walk)
{
	__u32 tag = at.tag + lowest_bit(at.bits);
	struct request *rq = request_of(at.requests, tag), *issued = NULL;
	int flags = 0;

	at.bits &= at.bits - 1;
	if (at.issued)
		issued = request_of(at.issued, tag);
	if (rq)
		flags = requests_look_at((__u64)rq, tag, walk);
	if (issued && issued != rq && (__u8)BPF_CORE_READ(issued, cmd_flags) == REQ_OP_FLUSH)
		flags |= requests_look_at((__u64)issued, tag, walk);
	return flags;
}

static __always_inline void requests_begin(void)
{
	at.link = devices + bpf_core_field_offset(struct super_block, s_inodes);
	at.set = at.scheduled = at.bits = at.super_block = at.super_blocks = 0;
}

/* One step of the walk. Not static, so the verifier checks the function once. */
__noinline int requests_look(__u64 walk)
{
	if (!devices)
		return find_devices();
	if (!at.set && !at.scheduled)
		return next_device();
	if (at.bits)
		return next_tag(walk);
	if (at.word >= at.nwords)
		return next_queue();
	next_word();
	return 0;
}

ESTAT_WALK_BY(requests_begin(), requests_look(walk));

#endif /* ESTAT_MODULES_BLOCK_REQUEST_WALK_H */
