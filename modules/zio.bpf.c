// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zio: what the devices of ZFS's pools do. One operation is one I/O that ZFS
 * gives to a disk or file, by pool, operation and priority; what it has
 * aggregated into one counts once.
 *
 *	vdev_queue_io -- zio_queue --> zio_vdev_io_start -- zio --> zio_vdev_io_done
 *
 * The stamps are ZFS's own, kept in the zio.
 */
#include "zio.h"

ESTAT_MODULE(zio, 2);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE_DIRTY_TXGS;

struct key {
	estat_name_t pool;
	estat_name_t vdev;
	enum op op;
	enum priority priority;
};

ESTAT_TABLE(io, struct key, struct estat_io, 1024);

/* A disk's by the one, a file's by the other. */
ESTAT_ONE_WRITER(io);

ESTAT_VIEW(zio, 1, io, "pool op priority",
	   "From a zio's issue to its disk or file, by zio_vdev_io_start, to its completion,\n"
	   "by zio_vdev_io_done (the zio's io_delay). What the vdev queue has aggregated\n"
	   "counts once; a zio that ends with an error counts only in errors. A read whose\n"
	   "checksum is found wrong later has succeeded here. OpenZFS 2.1 to 2.4");

ESTAT_VIEW(vdev, 2, io, "pool vdev op", "As estat.zio, by the disk or file");
ESTAT_LAYER(zio, 420);

ZIO_DONE(zio_done)
{
	struct vdev *vd = ESTAT_READ(zio, io_vd);
	struct spa *spa = ESTAT_READ(zio, io_spa);
	__u64 pool = pool_id(spa, typed), ns = ESTAT_READ(zio, io_delay);
	__u64 bytes = ESTAT_READ(zio, io_size);
	int error = ESTAT_READ(zio, io_error);
	struct key key = {
		.pool = pool,
		.vdev = vdev_id(vd, pool, typed),
		.op = op_of(ESTAT_READ(zio, io_type)),
		.priority = priority_of(ESTAT_READ(zio, io_priority)),
	};
	struct estat_io *v = io_find(&key);

	if (!v) {
		if (is_tried(spa))
			return 0;
		name_pool(key.pool, spa);
		name_vdev(key.vdev, vd);
		v = io_insert(&key);
	}
	if (v)
		io_count_io(v, &key, ns, bytes, error);
	return 0;
}
