/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ZFS's types, with the members that modules read. A member or type is in OpenZFS 2.1 to 2.4
 * unless its comment names a version. CO-RE finds the real offsets at load. "declared in FILE"
 * holds for all types up to the next such comment.
 */
#ifndef ESTAT_MODULES_ZFS_TYPES_H
#define ESTAT_MODULES_ZFS_TYPES_H

#include <linux/types.h>
#include <stdbool.h>

#include "block/types.bpf.h"
#include "vfs/types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/sys/avl_impl.h, avl.h */
struct avl_node {
	struct avl_node *avl_child[2]; /* left and right */
	unsigned long avl_pcb;         /* the parent's address, with AVL_FLAGS */
};
struct avl_tree {
	struct avl_node *avl_root;
	unsigned long avl_numnodes;
};

/* declared in include/os/linux/spl/sys/list.h */
struct list {
	struct list_head list_head;
};

/* declared in include/sys/spa.h, spa_load_state_t in include/sys/fs/zfs.h */
enum spa_mode {
	SPA_MODE_UNINIT = 0,
	SPA_MODE_READ = 1,
	SPA_MODE_WRITE = 2,
};
typedef enum {
	SPA_LOAD_NONE,
	SPA_LOAD_ERROR = 5,
} spa_load_state_t;

/* declared in include/sys/spa_impl.h */
struct spa_aux_vdev {
	struct vdev **sav_vdevs;
	int sav_count;
};
struct spa {
	struct avl_node spa_avl; /* the pool's node in spa_namespace_avl, the tree of all pools */
	char spa_name[256];
	int spa_sync_pass;        /* number of the pass in the sync under way; the first is 1 */
	__s64 spa_sync_starttime; /* when the latest sync began; for the clock see txg.bpf.c */
	struct dsl_pool *spa_dsl_pool;
	struct vdev *spa_root_vdev;      /* NULL unless the pool is imported or being imported */
	struct list spa_leaf_list;       /* leaf vdevs except cache devices and idle spares */
	struct spa_aux_vdev spa_l2cache; /* cache devices */
	spa_load_state_t spa_load_state;
	__u64 spa_load_guid; /* a random id of the pool, new at each import */
	enum spa_mode spa_mode;
};

/* declared in include/sys/txg_impl.h, as tx_state_t */
struct tx_state {
	__u64 tx_open_txg;
	__u64 tx_syncing_txg; /* the txg in spa_sync; 0: none */
};

/* declared in include/sys/dsl_pool.h */
struct dsl_pool {
	struct spa *dp_spa;
	__u64 dp_dirty_total; /* dirty bytes of all txgs */
	struct tx_state dp_tx;
};

/* declared in include/sys/types.h of the SPL */
typedef enum { B_FALSE, B_TRUE } boolean_t;

/* declared in include/sys/dmu_tx.h */
struct dmu_tx {
	struct dsl_pool *tx_pool;
	__u64 tx_txg;            /* 0 until the transaction is assigned to a txg */
	boolean_t tx_wait_dirty; /* dmu_tx_wait waits: too many bytes are dirty or in the ZIL */
};

/* declared in include/sys/vdev_impl.h */
struct vdev_ops {
	char vdev_op_type[16]; /* "disk", "mirror" */
};
union vdev_queue_class {
	struct { /* OpenZFS since 2.2 */
		unsigned long vqc_list_numnodes;
		struct list vqc_list;
	};
	struct avl_tree vqc_tree;        /* OpenZFS since 2.2 */
	struct avl_tree vqc_queued_tree; /* OpenZFS 2.1 */
};
struct vdev_queue {
	union vdev_queue_class vq_class[2]; /* waiting zios, by priority; ZFS's array is longer */
	struct avl_tree vq_active_tree;     /* OpenZFS 2.1 */
	__u32 vq_active;                    /* length of vq_active_list; OpenZFS since 2.2 */
	struct list vq_active_list;         /* zios that are issued; OpenZFS since 2.2 */
};
struct vdev {
	struct vdev_queue vdev_queue;
	struct list_head vdev_leaf_node; /* links a leaf vdev into spa_leaf_list */
	__u64 vdev_id;                   /* index among the parent vdev's children */
	__u64 vdev_guid;
	struct vdev_ops *vdev_ops;
	struct spa *vdev_spa;
	struct vdev *vdev_top; /* the top-level vdev that this vdev is part of, or is */
	struct vdev *vdev_parent;
	char *vdev_path; /* NULL unless the vdev is a disk, a file or a draid's spare */
	void *vdev_tsd;  /* raidz: a struct vdev_raidz; draid: a struct vdev_draid_config */
};

/* declared in include/sys/vdev_raidz.h */
struct vdev_raidz {
	int vd_nparity;
};

/* declared in include/sys/vdev_draid.h */
struct vdev_draid_config {
	__u64 vdc_ndata; /* number of data devices in a redundancy group */
	__u64 vdc_nparity;
	__u64 vdc_nspares;
	__u64 vdc_children;
};

/* declared in include/sys/metaslab_impl.h; a metaslab class has the vdevs for one kind of block */
struct metaslab_group {
	__u64 mg_allocations; /* OpenZFS before 2.4 */
};
struct metaslab_class_allocator {
	struct metaslab_group *mca_rotor; /* group to try next; NULL: the class has no vdevs */
};
struct metaslab_class {
	struct metaslab_class_allocator mc_allocator[1];
};

/* declared in include/sys/zil_impl.h; a zilog is a dataset's intent log */
struct zilog {
	struct spa *zl_spa;
	__u8 zl_sync; /* the dataset's property `sync`, a zfs_sync_type_t */
};

/*
 * declared in include/sys/zil.h; an itx is a record in the log's queue; a record of type TX_COMMIT
 * is not written to the disk
 */
struct itx {
	void *itx_private; /* in a record of type TX_COMMIT: the struct zil_commit_waiter */
	struct {
		__u64 lrc_txtype;
	} itx_lr;
};

#define TX_COMMIT 0

/* declared in include/os/linux/spl/sys/condvar.h */
typedef struct {
	int cv_magic;
} kcondvar_t;

/* declared in include/sys/zil_impl.h; a waiter is a thread that waits in zil_commit */
struct zil_commit_waiter {
	kcondvar_t zcw_cv;
	void *zcw_lwb; /* the log block that the commit waits for; NULL: none yet, or done */
	int zcw_error; /* OpenZFS since 2.4 */
};
struct zil_commit_waiter___2_3 { /* OpenZFS before 2.4 */
	int zcw_zio_error;
};

/* declared in include/sys/dsl_dir.h */
struct dsl_dir {
	struct dsl_dir *dd_parent; /* NULL in the pool's root */
	char dd_myname[256];       /* last component of the name; in the root, the pool's name */
};

/* declared in include/sys/dsl_dataset.h */
struct dsl_dataset {
	__u64 ds_object; /* the dataset's number, as in zb_objset */
	struct dsl_dir *ds_dir;
	__u64 ds_fsid_guid;    /* a guid that no other dataset in use has */
	char ds_snapname[256]; /* a snapshot's name, once looked up; else empty */
};

/* declared in include/sys/fs/zfs.h; the property `sync`, whose numbers on disk never change */
typedef enum {
	ZFS_SYNC_STANDARD = 0,
	ZFS_SYNC_ALWAYS = 1,
	ZFS_SYNC_DISABLED = 2,
} zfs_sync_type_t;

/* declared in include/sys/dmu_objset.h */
struct objset {
	struct dsl_dataset *os_dsl_dataset;
	struct spa *os_spa;
	zfs_sync_type_t os_sync;
};

/* declared in include/os/linux/spl/sys/kstat.h */
struct kstat_s {
	int ks_kid; /* the kstat's id; each new kstat gets a new id */
};

/* declared in include/sys/dataset_kstats.h */
struct dataset_kstats {
	struct kstat_s *dk_kstats; /* NULL in a snapshot */
};

/* declared in include/os/linux/zfs/sys/zfs_vfsops_os.h; s_fs_info of a dataset's super_block */
struct zfsvfs {
	struct objset *z_os;
	struct zilog *z_log;
	boolean_t z_issnap;
	boolean_t z_replay; /* true while the mount replays the intent log */
	struct dataset_kstats z_kstat;
};

/* declared in include/sys/zfs_znode.h, z_inode in zfs_znode_impl.h; a znode is a file in memory */
struct znode {
	__u64 z_id;
	__u64 z_size;
	struct inode z_inode;
};

/* declared in include/os/linux/spl/sys/uio.h */
struct zfs_uio {
	__u64 uio_loffset; /* file offset of the next byte to move */
	__s64 uio_resid;   /* bytes not yet moved */
};

/* declared in include/sys/zvol_impl.h */
struct zvol_state {
	char zv_name[256];
	struct objset *zv_objset;
	struct dataset_kstats zv_kstat;
	__u64 zv_hash;          /* hash of zv_name */
	boolean_t zv_threading; /* OpenZFS since 2.3 */
};

/* declared in module/os/linux/zfs/zvol_os.c, since OpenZFS 2.4 in include/sys/zvol_impl.h */
struct zv_request_stack {
	struct zvol_state *zv;
	struct bio *bio;    /* NULL with blk-mq */
	struct request *rq; /* OpenZFS since 2.2; NULL without blk-mq */
};
struct zv_request_task {
	struct zv_request_stack zvr;
};

/* declared in include/sys/dmu_impl.h, dbuf.h */
struct dmu_buf_impl { /* a dmu_buf_t * points to this struct */
	struct objset *db_objset;
};

/* declared in include/sys/spa.h, zio.h */
struct dva {
	__u64 dva_word[2];
};
struct blkptr {
	struct dva blk_dva[3];
	__u64 blk_prop;
};
struct zbookmark_phys {  /* the position of a block in an object, such as a file */
	__u64 zb_objset; /* the dataset's ds_object */
	__u64 zb_object; /* of a file, the inode's number */
	__s64 zb_level;  /* 0: data, above 0: an indirect block, below 0: such as a ZIL block */
	__u64 zb_blkid;  /* the block's number on the level */
};

/* declared in include/sys/arc.h, arc_impl.h */
enum arc_flags {
	ARC_FLAG_PREFETCH = 1 << 2,
	ARC_FLAG_BUFC_METADATA = 1 << 17,
};
struct arc_buf_hdr {
	enum arc_flags b_flags;
};

/* declared in include/sys/fs/zfs.h */
enum zio_type {
	ZIO_TYPE_NULL,
	ZIO_TYPE_READ,
	ZIO_TYPE_WRITE,
	ZIO_TYPE_FREE,
	ZIO_TYPE_CLAIM,
	ZIO_TYPE_IOCTL, /* OpenZFS before 2.3 */
	ZIO_TYPE_FLUSH, /* OpenZFS since 2.3 */
	ZIO_TYPE_TRIM,
};

/* declared in include/sys/zio_priority.h */
enum zio_priority {
	ZIO_PRIORITY_SYNC_READ,
	ZIO_PRIORITY_SYNC_WRITE,
	ZIO_PRIORITY_ASYNC_READ,
	ZIO_PRIORITY_ASYNC_WRITE,
	ZIO_PRIORITY_SCRUB,
	ZIO_PRIORITY_REMOVAL,
	ZIO_PRIORITY_INITIALIZING,
	ZIO_PRIORITY_TRIM,
	ZIO_PRIORITY_REBUILD,
	ZIO_PRIORITY_NUM_QUEUEABLE, /* the number of classes of a vdev queue */
	ZIO_PRIORITY_NOW,
};

/* declared in include/sys/zio.h */
struct zio {
	struct zbookmark_phys io_bookmark;
	enum zio_type io_type;
	enum zio_priority io_priority;
	struct spa *io_spa;
	__u64 io_txg;
	__u64 io_size;
	__u64 io_lsize; /* before compression */
	/*
	 * of a zio to a disk, partition or file: where the zio begins, in bytes from the start of
	 * that disk, partition or file; ZFS's labels at the start count, too
	 */
	__u64 io_offset;
	struct vdev *io_vd;
	struct blkptr *io_bp;
	/*
	 * the zio of the whole block, of which this zio may read or write a part: this zio or an
	 * ancestor; NULL: there is none, as for an aggregate of several zios
	 */
	struct zio *io_logical;
	void *io_private;
	__s64 io_timestamp; /* when the zio entered the vdev queue, by CLOCK_MONOTONIC_RAW */
	__s64 io_delta;     /* ns from the entry into the vdev queue to the completion */
	__s64 io_delay; /* when the zio was issued; once completed: ns from issue to completion */
	/* since OpenZFS 2.2 this node links the zio into a list or a tree */
	struct avl_node io_queue_node;
	int io_error;
};

#pragma clang attribute pop

/* Is `raw` the running ZFS's value of NAME in `enum TYPE`? False if the running ZFS lacks NAME. */
#define ZFS_ENUM_IS(raw, TYPE, NAME)                    \
	(bpf_core_enum_value_exists(enum TYPE, NAME) && \
	 (raw) == bpf_core_enum_value(enum TYPE, NAME))

/* Before OpenZFS 2.3 a flush is a zio of type ioctl, and no other zio has this type. */
static __always_inline bool is_flush(__u32 type)
{
	return ZFS_ENUM_IS(type, zio_type, ZIO_TYPE_FLUSH) ||
	       ZFS_ENUM_IS(type, zio_type, ZIO_TYPE_IOCTL);
}

#endif /* ESTAT_MODULES_ZFS_TYPES_H */
