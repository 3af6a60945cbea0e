/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For walks: AVL trees of ZFS, and the tree of all pools. All is read without locks, by
 * bpf_probe_read_kernel(), so that a walk does not wait for a pool that hangs. Memory that is freed
 * meanwhile can have any content: a walk checks what it finds, and ends after a limited number of
 * moves, so it never goes in a circle forever.
 */
#ifndef ESTAT_MODULES_ZFS_POOL_WALK_H
#define ESTAT_MODULES_ZFS_POOL_WALK_H

#include "inflight.bpf.h"
#include "zfs.bpf.h"

ESTAT_ADDRESS(spa_namespace_avl);

/* Flags in avl_pcb (AVL_XCHILD, AVL_XPARENT in include/sys/avl_impl.h). */
#define AVL_RIGHT 4 /* the node is its parent's right child */
#define AVL_FLAGS 7

/* The position of a walk of an AVL tree. */
struct tree_walk {
	__u64 node;  /* address of the node; 0: the walk has ended */
	__u64 moves; /* how many moves are left */
	/* which parts of the node are done: 0 none, 1 the left subtree, 2 both subtrees */
	__u32 done;
};

static __always_inline void tree_begin(struct tree_walk *w, struct avl_tree *tree)
{
	w->node = (__u64)BPF_CORE_READ(tree, avl_root);
	w->moves = 3 * BPF_CORE_READ(tree, avl_numnodes);
	w->done = 0;
}

/*
 * Make one move of the walk. The walk makes three moves at each node: before the left subtree,
 * between the subtrees, and after the right subtree. Returns the node if the move is the first at
 * the node, else 0.
 */
static __always_inline __u64 tree_move(struct tree_walk *w)
{
	struct avl_node *node = (struct avl_node *)w->node;
	__u64 parent, child = 0, found = w->done ? 0 : w->node;

	if (!w->moves--) {
		w->node = 0;
		return 0;
	}
	if (w->done > 1) {
		parent = BPF_CORE_READ(node, avl_pcb);
		w->node = parent & ~AVL_FLAGS;
		w->done = parent & AVL_RIGHT ? 2 : 1;
		return 0;
	}
	bpf_probe_read_kernel(&child, sizeof(child),
			      (void *)node + bpf_core_field_offset(struct avl_node, avl_child) +
				      w->done * sizeof(child));
	w->done = child ? 0 : w->done + 1;
	if (child)
		w->node = child;
	return found;
}

static __always_inline void pools_begin(struct tree_walk *w)
{
	w->node = 0;
	if (estat_address_spa_namespace_avl)
		tree_begin(w, (struct avl_tree *)estat_address_spa_namespace_avl);
}

/*
 * Make one move in the tree of pools. If the move is the first at the node of a pool that is
 * imported or being imported, return the pool, else NULL.
 */
static __always_inline struct spa *pools_move(struct tree_walk *w)
{
	__u64 node = tree_move(w);
	struct spa *spa = (struct spa *)(node - bpf_core_field_offset(struct spa, spa_avl));

	if (!node || BPF_CORE_READ(spa, spa_root_vdev, vdev_spa) != spa || is_tried(spa))
		return NULL;
	return spa;
}

#endif /* ESTAT_MODULES_ZFS_POOL_WALK_H */
