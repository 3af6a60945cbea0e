/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all zios in vdev queues, for the gauges of zio and zio_queue. It visits each pool,
 * and each disk and file of the pool except idle spares. A zio that waits is in the tree or list of
 * its priority; a zio that is issued is in the tree or list of all issued zios. The times are the
 * zios' own stamps, so the walk also finds zios that began before the module was attached.
 */
#ifndef ESTAT_MODULES_ZFS_ZIO_WALK_H
#define ESTAT_MODULES_ZFS_ZIO_WALK_H

#include "pool_walk.bpf.h"
#include "told.bpf.h"

/* The walk's position. Runs of estat_walk never overlap, so they can share the position. */
struct {
	struct tree_walk pools;
	__u64 spa; /* the pool; 0: go to the next pool */
	/* link of `vdev` in spa_leaf_list; at first, the list's head; 0: all are walked */
	__u64 leaf;
	int cache;             /* index of the pool's next cache device */
	__u64 vdev;            /* the disk or file; 0: go to the next disk or file */
	__u32 queue;           /* index of the next tree or list of the vdev */
	struct tree_walk tree; /* position in the tree of zios; in a list of zios, node is 0 */
	__u64 link, head; /* next link in the list of zios (0: none is left), and the list's head */
	__u64 links;      /* at most so many zios are left in the list */
	__u64 zio;        /* the zio that the last move found; 0: no zio */
	bool issued;      /* true: walk zios that are issued; false: zios that wait */
	__u64 raw_ahead;  /* CLOCK_MONOTONIC_RAW minus CLOCK_MONOTONIC, ns */
} at;

static __always_inline void list_begin(struct list_head *head, __u64 links)
{
	at.head = (__u64)head;
	at.link = (__u64)BPF_CORE_READ(head, next);
	at.links = links;
}

/* Begin to walk the issued zios of a vdev. */
static __always_inline void walk_issued(struct vdev_queue *q)
{
	if (bpf_core_field_exists(q->vq_active_tree))
		tree_begin(&at.tree, __builtin_preserve_access_index(&q->vq_active_tree));
	else
		list_begin(__builtin_preserve_access_index(&q->vq_active_list.list_head),
			   BPF_CORE_READ(q, vq_active));
}

/*
 * Are the waiting zios of this priority in a list, and not in a tree? Only for OpenZFS since 2.2,
 * whose rule is in vdev_queue_class_fifo(). In OpenZFS 2.1, which has vqc_queued_tree, all waiting
 * zios are in trees.
 */
static __always_inline bool is_list(__u32 priority)
{
	return ZFS_ENUM_IS(priority, zio_priority, ZIO_PRIORITY_SYNC_READ) ||
	       ZFS_ENUM_IS(priority, zio_priority, ZIO_PRIORITY_SYNC_WRITE) ||
	       ZFS_ENUM_IS(priority, zio_priority, ZIO_PRIORITY_TRIM);
}

/* The address of a member of a priority's class in vdev queue q. */
#define MEMBER_OF_CLASS(q, priority, member)                                   \
	((void *)__builtin_preserve_access_index(&(q)->vq_class[0].member) +   \
	 (priority) * (bpf_core_field_offset(struct vdev_queue, vq_class[1]) - \
		       bpf_core_field_offset(struct vdev_queue, vq_class[0])))

/* Begin to walk the waiting zios of a vdev, of one priority. */
static __always_inline void walk_class(struct vdev_queue *q, __u32 priority)
{
	unsigned long links = 0;

	if (bpf_core_field_exists(q->vq_class[0].vqc_queued_tree)) {
		tree_begin(&at.tree, MEMBER_OF_CLASS(q, priority, vqc_queued_tree));
	} else if (is_list(priority)) {
		bpf_probe_read_kernel(&links, sizeof(links),
				      MEMBER_OF_CLASS(q, priority, vqc_list_numnodes));
		list_begin(MEMBER_OF_CLASS(q, priority, vqc_list.list_head), links);
	} else {
		tree_begin(&at.tree, MEMBER_OF_CLASS(q, priority, vqc_tree));
	}
}

/* Go to the next tree or list of the vdev. */
static __always_inline void next_class(void)
{
	struct vdev *vd = (struct vdev *)at.vdev;
	struct vdev_queue *q = __builtin_preserve_access_index(&vd->vdev_queue);
	__u32 classes = bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_NUM_QUEUEABLE);

	if (at.queue >= (at.issued ? 1 : classes))
		at.vdev = 0;
	else if (at.issued)
		walk_issued(q);
	else
		walk_class(q, at.queue);
	at.queue++;
}

/* Go to the next disk or file of the pool: first those in spa_leaf_list, then cache devices. */
static __always_inline int next_vdev(void)
{
	struct spa *spa = (struct spa *)at.spa;
	struct list_head *link = (struct list_head *)at.leaf;
	struct vdev *vd = NULL;

	at.queue = 0;
	if (link) {
		link = BPF_CORE_READ(link, next);
		at.leaf = (__u64)link;
		if (link == __builtin_preserve_access_index(&spa->spa_leaf_list.list_head))
			at.leaf = 0;
		else
			vd = (void *)link - bpf_core_field_offset(struct vdev, vdev_leaf_node);
	} else if (at.cache < BPF_CORE_READ(spa, spa_l2cache.sav_count)) {
		bpf_probe_read_kernel(&vd, sizeof(vd),
				      BPF_CORE_READ(spa, spa_l2cache.sav_vdevs) + at.cache++);
	} else {
		at.spa = 0;
	}
	at.vdev = (__u64)vd;
	if (!vd || BPF_CORE_READ(vd, vdev_spa) == spa)
		return 0;
	at.spa = at.vdev = 0; /* the vdev was removed during the walk */
	return ESTAT_WALK_PARTIAL;
}

static __always_inline int next_pool(void)
{
	struct spa *spa;

	if (!at.pools.node)
		return ESTAT_WALK_END;
	spa = pools_move(&at.pools);
	if (!spa)
		return 0;
	at.spa = (__u64)spa;
	at.leaf = (__u64)__builtin_preserve_access_index(&spa->spa_leaf_list.list_head);
	at.cache = 0;
	return 0;
}

/* The link of the next zio in the tree or list; 0: this move has found none. */
static __always_inline __u64 next_zio(void)
{
	struct list_head *link = (struct list_head *)at.link;

	if (at.tree.node)
		return tree_move(&at.tree);
	if (at.link == at.head || !at.links--) {
		at.link = 0;
		return 0;
	}
	at.link = (__u64)BPF_CORE_READ(link, next);
	return (__u64)link;
}

/* When the zio was issued or began to wait, by bpf_ktime_get_ns(); 0: not known. */
static __always_inline __u64 zio_began(struct zio *zio)
{
	__u64 queued = BPF_CORE_READ(zio, io_timestamp), began = queued;

	if (at.issued) {
		began = BPF_CORE_READ(zio, io_delay);
		if (began < queued) /* io_delay is not set yet, or is a duration already */
			return 0;
	}
	return began - at.raw_ahead;
}

/*
 * Go on by one move. Sets at.zio to the zio that was found, or 0. Returns flags of the walk. Not
 * static, so the verifier checks the function once.
 */
__noinline int zio_look(void)
{
	struct zio *zio;
	__u64 link;

	at.zio = 0;
	if (!at.tree.node && !at.link) {
		if (!at.vdev)
			return at.spa ? next_vdev() : next_pool();
		next_class();
		return 0;
	}
	link = next_zio();
	zio = (void *)link - bpf_core_field_offset(struct zio, io_queue_node);
	if (!link)
		return 0;
	if ((__u64)BPF_CORE_READ(zio, io_vd) == at.vdev) {
		at.zio = (__u64)zio;
		return 0;
	}
	at.tree.node = at.link = 0; /* the zio has ended during the walk */
	return ESTAT_WALK_PARTIAL;
}

/*
 * When the zio at.zio was issued or began to wait. If that is not known, returns `walk`, the time
 * of the walk, so the zio's age is 0. Not static, so the verifier checks the function once.
 */
__noinline __u64 zio_began_at(__u64 walk)
{
	__u64 began = zio_began((struct zio *)at.zio);

	return began ? began : walk;
}

/*
 * ZIO_WALK(ISSUED, FOUND): define estat_walk, the walk of issued zios or, if not ISSUED, of waiting
 * zios. FOUND(zio, began, walk) counts a zio, and returns flags of the walk.
 */
#define ZIO_WALK(ISSUED, FOUND)                                                            \
	SEC("raw_tp")                                                                      \
	int estat_walk(__u64 *ctx)                                                         \
	{                                                                                  \
		__u64 walk = ctx[1];                                                       \
		int flags = 0;                                                             \
                                                                                           \
		if (!ctx[0]) {                                                             \
			at.spa = at.vdev = at.tree.node = at.link = 0;                     \
			at.issued = (ISSUED);                                              \
			at.raw_ahead = ctx[2];                                             \
			pools_begin(&at.pools);                                            \
		}                                                                          \
		for (__u32 i = 0; i < ESTAT_WALK_STEP && !(flags & ESTAT_WALK_END); i++) { \
			flags |= zio_look();                                               \
			if (at.zio)                                                        \
				flags |= FOUND(at.zio, zio_began_at(walk), walk);          \
		}                                                                          \
		return flags;                                                              \
	}                                                                                  \
	struct zio_walk /* lets a semicolon follow the macro */

#endif /* ESTAT_MODULES_ZFS_ZIO_WALK_H */
