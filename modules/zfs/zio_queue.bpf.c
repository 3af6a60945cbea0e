// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zio_queue: how long zios wait in the vdev queue for their disk or file, by pool, operation
 * and priority. One operation is one I/O that ZFS gives to a disk or file after the wait.
 */
#include "zio.bpf.h"
#include "zio_walk.bpf.h"

ESTAT_MODULE(zio_queue, 3);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE_DIRTY_TXGS;

struct key {
	estat_name_t pool;
	enum op op;
	enum priority priority;
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_SERIES(
	zio_queue, 0, struct key, struct value, 512,
	"From a zio's entry into the vdev queue (vdev_queue_io) to the zio's issue to its disk or\n"
	"file (zio_vdev_io_start): the zio's io_delta less io_delay. Zios that the queue has\n"
	"aggregated count as one, with the wait of the zio that has the lowest offset. Under way\n"
	"are the zios that zpool iostat -q shows as pend. OpenZFS 2.1 to 2.4");
ESTAT_LAYER(zio_queue, 410, "zpl zvol zil.commit if priority=@(sync?|asyncr)");
ESTAT_LAYOUT(zio_queue, "rows {op}, {priority}");

ZIO_DONE(zio_waited)
{
	struct spa *spa = ESTAT_READ(zio, io_spa);
	struct key key = {
		.pool = pool_id(spa, typed),
		.op = op_of(ESTAT_READ(zio, io_type)),
		.priority = priority_of(ESTAT_READ(zio, io_priority)),
	};
	struct value *v = zio_queue_find(&key);

	if (!v && name_pool_of(zio, key.pool))
		v = zio_queue_insert(&key);
	if (v)
		zio_queue_count_io((struct estat_io *)v, &key, ESTAT_READ(zio, io_delta) - delay,
				   ESTAT_READ(zio, io_size), ESTAT_READ(zio, io_error));
	return 0;
}

ESTAT_FOUND(zio_queue, struct key)

/* Count a zio that a walk found waiting. Not static, so the verifier checks the function once. */
__noinline int zio_waits(__u64 waiting, __u64 began, __u64 walk)
{
	struct zio *zio = (struct zio *)waiting;
	struct key key = {
		.pool = pool_id(BPF_CORE_READ(zio, io_spa), false),
		.op = op_of(BPF_CORE_READ(zio, io_type)),
		.priority = priority_of(BPF_CORE_READ(zio, io_priority)),
	};
	int flags;

	if (!zio_queue_find(&key))
		name_pool_of(zio, key.pool);
	flags = zio_queue_found(&key, began, walk);
	if (estat_told())
		estat_told()->bytes = BPF_CORE_READ(zio, io_size);
	return flags;
}

ESTAT_TELLS;
ZIO_WALK(false, zio_waits);
