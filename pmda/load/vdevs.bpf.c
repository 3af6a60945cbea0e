// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program that the agent embeds and runs, to read ZFS: the root of the tree of pools, a pool,
 * a vdev, or an array of vdevs. It takes no lock, so a suspended pool cannot hold it up. Members
 * that ZFS changes meanwhile may be read wrong.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "abi.h"

char _license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/*
 * ZFS declares avl_node and avl_tree in include/sys/avl_impl.h. OpenZFS 2.1 to 2.4 have all structs
 * of this file.
 */
struct avl_node {
	struct avl_node *avl_child[2];
};

struct avl_tree {
	struct avl_node *avl_root;
};

struct vdev_ops {
	char vdev_op_type[16];
};

/* ZFS declares this enum in include/sys/vdev_impl.h. */
typedef enum vdev_alloc_bias { VDEV_BIAS_NONE } vdev_alloc_bias_t;

struct vdev {
	__u64 vdev_id;
	struct vdev_ops *vdev_ops;
	struct spa *vdev_spa;
	struct vdev **vdev_child;
	__u64 vdev_children;
	char *vdev_path;
	void *vdev_tsd; /* raidz: a struct vdev_raidz; draid: a struct vdev_draid_config */
	__u64 vdev_islog;
	vdev_alloc_bias_t vdev_alloc_bias;
};

struct vdev_raidz {
	int vd_nparity;
};

struct vdev_draid_config {
	__u64 vdc_ndata;
	__u64 vdc_nparity;
	__u64 vdc_nspares;
	__u64 vdc_children;
};

/* ZFS declares this struct in include/sys/spa_impl.h. */
struct spa_aux_vdev {
	struct vdev **sav_vdevs;
	int sav_count;
};

struct spa {
	char spa_name[256];
	struct avl_node spa_avl;
	struct vdev *spa_root_vdev; /* NULL while the pool is not active */
	struct spa_aux_vdev spa_spares;
	struct spa_aux_vdev spa_l2cache;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct estat_vdev_answer);
} answer SEC(".maps");

static __always_inline void look_at_pool(struct estat_vdev_answer *a, struct avl_node *node)
{
	struct spa *spa = (void *)node - bpf_core_field_offset(struct spa, spa_avl);
	struct vdev *root = BPF_CORE_READ(spa, spa_root_vdev);

	a->pool = (__u64)spa;
	a->nodes[0] = (__u64)BPF_CORE_READ(node, avl_child[0]);
	a->nodes[1] = (__u64)BPF_CORE_READ(node, avl_child[1]);
	a->arrays[0].address = (__u64)BPF_CORE_READ(root, vdev_child);
	a->arrays[0].n = BPF_CORE_READ(root, vdev_children);
	a->arrays[1].address = (__u64)BPF_CORE_READ(spa, spa_spares.sav_vdevs);
	a->arrays[1].n = BPF_CORE_READ(spa, spa_spares.sav_count);
	a->arrays[2].address = (__u64)BPF_CORE_READ(spa, spa_l2cache.sav_vdevs);
	a->arrays[2].n = BPF_CORE_READ(spa, spa_l2cache.sav_count);
	bpf_core_read_str(a->text, sizeof(a->text), &spa->spa_name);
}

static __always_inline void look_at_vdev(struct estat_vdev_answer *a, struct vdev *vd)
{
	struct vdev_ops *ops = BPF_CORE_READ(vd, vdev_ops);
	struct vdev_raidz *raidz = BPF_CORE_READ(vd, vdev_tsd);
	struct vdev_draid_config *draid = BPF_CORE_READ(vd, vdev_tsd);

	a->pool = (__u64)BPF_CORE_READ(vd, vdev_spa);
	a->id = BPF_CORE_READ(vd, vdev_id);
	a->log = BPF_CORE_READ(vd, vdev_islog);
	a->bias = BPF_CORE_READ(vd, vdev_alloc_bias);
	a->arrays[0].address = (__u64)BPF_CORE_READ(vd, vdev_child);
	a->arrays[0].n = BPF_CORE_READ(vd, vdev_children);
	a->parity = BPF_CORE_READ(raidz, vd_nparity);
	a->draid[0] = BPF_CORE_READ(draid, vdc_nparity);
	a->draid[1] = BPF_CORE_READ(draid, vdc_ndata);
	a->draid[2] = BPF_CORE_READ(draid, vdc_children);
	a->draid[3] = BPF_CORE_READ(draid, vdc_nspares);
	bpf_core_read_str(a->type, sizeof(a->type), &ops->vdev_op_type);
	if (bpf_probe_read_kernel_str(a->text, sizeof(a->text), BPF_CORE_READ(vd, vdev_path)) < 0)
		a->text[0] = '\0';
}

SEC("syscall")
int look(struct estat_vdev_question *q)
{
	__u32 zero = 0, n = q->n;
	struct estat_vdev_answer *a = bpf_map_lookup_elem(&answer, &zero);
	void *at = (void *)q->address;

	if (!a)
		return 1;
	switch (q->what) {
	case ESTAT_VDEV_TREE:
		a->nodes[0] = (__u64)BPF_CORE_READ((struct avl_tree *)at, avl_root);
		break;
	case ESTAT_VDEV_POOL:
		look_at_pool(a, at);
		break;
	case ESTAT_VDEV_VDEV:
		look_at_vdev(a, at);
		break;
	default:
		if (n > ESTAT_VDEVS || bpf_probe_read_kernel(a->vdevs, n * sizeof(a->vdevs[0]), at))
			return 1;
	}
	return 0;
}
