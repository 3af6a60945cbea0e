// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zio: I/O of the devices in ZFS's pools. One operation is one I/O that ZFS gives to a disk or
 * file, by pool, operation and priority. Zios that ZFS has aggregated count as one operation.
 *
 *	vdev_queue_io -- zio_queue --> zio_vdev_io_start -- zio --> zio_vdev_io_done
 *
 * The zio has ZFS's own stamps. A flush is not queued and has no stamps:
 *
 *	zio_flush -> vdev_disk_io_start -- flush --> vdev_disk_io_flush_completion
 */
#include "inflight.bpf.h"
#include "vdev.bpf.h"
#include "zio.bpf.h"
#include "zio_walk.bpf.h"

ESTAT_MODULE(zio, 2);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE_DIRTY_TXGS;

struct key {
	estat_name_t pool;
	estat_name_t vdev;
	enum op op;
	enum priority priority;
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_TABLE(io, struct key, struct value, 1024);

/* Only zio_done_disk adds to the values of disks, and only zio_done_file to those of files. */
ESTAT_ONE_WRITER(io);

#include "zio_slow.bpf.h"

struct flush_key {
	estat_name_t pool;
	estat_name_t vdev;
};

struct flush_value {
	struct estat_latency;
	estat_count_t errors ESTAT_HELP("Number of flushes that failed");
};

ESTAT_SERIES(flush, 3, struct flush_key, struct flush_value, 256,
	     "A flush of a disk's write cache by ZFS: from the entry of vdev_disk_io_start to the\n"
	     "entry of vdev_disk_io_flush_completion, the disk's answer. Not counted: flushes of\n"
	     "vdevs that are files, and flushes that ZFS does not give to the disk\n"
	     "(zfs_nocacheflush). For a disk without a volatile write cache Linux answers at\n"
	     "once. Linux merges flushes that wait at the same time, so estat.backend_io has\n"
	     "fewer flushes. OpenZFS 2.1 to 2.4");

ESTAT_VIEW(zio, 1, io, "pool op priority",
	   "From a zio's issue to its disk or file (zio_vdev_io_start) to the zio's completion\n"
	   "(zio_vdev_io_done): the zio's io_delay. Zios that the vdev queue has aggregated count\n"
	   "as one. A zio that ends with an error counts only in errors. ZFS checks the checksum\n"
	   "of a read later, so a read with a wrong checksum counts as a success. Under way are\n"
	   "the zios that zpool iostat -q shows as activ. A slow zio has an event record, with\n"
	   "its offset in the disk or file and the stages queue and device; the record's latency\n"
	   "is the time of the stage device alone. OpenZFS 2.1 to 2.4");

ESTAT_VIEW(vdev, 2, io, "pool vdev op", "The same operations as estat.zio, by the disk or file");
/*
 * The condition admits the priority asyncr, because a read can wait for a read-ahead of its block.
 * The zio of the read-ahead, once it is issued, keeps the priority asyncr.
 */
ESTAT_LAYER(zio, 420, "zpl zvol zil.commit if priority=@(sync?|asyncr)");
ESTAT_LAYOUT(zio, "rows {op}, {priority}");

/* Flushes from vdev_disk_io_start to the disk's answer. The id is the address of the zio. */
ESTAT_INFLIGHT(flushes, SETS, 4096);

/* Name the pool and the vdev of a new key. False: a pool of spa_tryimport, not to be counted. */
static __noinline bool name_vdev_of(struct zio *zio, __u64 pool, __u64 vdev)
{
	if (!name_pool_of(zio, pool))
		return false;
	name_vdev(vdev, BPF_CORE_READ(zio, io_vd));
	return true;
}

ZIO_DONE(zio_done)
{
	struct spa *spa = ESTAT_READ(zio, io_spa);
	struct vdev *vd = ESTAT_READ(zio, io_vd);
	__u64 pool = pool_id(spa, typed);
	struct key key = {
		.pool = pool,
		.vdev = vdev_id(vd, pool, typed),
		.op = op_of(ESTAT_READ(zio, io_type)),
		.priority = priority_of(ESTAT_READ(zio, io_priority)),
	};
	struct value *v = io_find(&key);

	if (!v && name_vdev_of(zio, key.pool, key.vdev))
		v = io_insert(&key);
	if (!v)
		return 0;
	io_count_io((struct estat_io *)v, &key, delay, ESTAT_READ(zio, io_size),
		    ESTAT_READ(zio, io_error));
	if (io_is_slow(v, delay))
		zio_record(&key, estat_id(zio), delay);
	return 0;
}

ESTAT_FOUND(io, struct key)

/* Count a zio that a walk found issued. Not static, so the verifier checks the function once. */
__noinline int zio_is_issued(__u64 issued, __u64 began, __u64 walk)
{
	struct zio *zio = (struct zio *)issued;
	struct spa *spa = BPF_CORE_READ(zio, io_spa);
	__u64 pool = pool_id(spa, false);
	struct key key = {
		.pool = pool,
		.vdev = vdev_id(BPF_CORE_READ(zio, io_vd), pool, false),
		.op = op_of(BPF_CORE_READ(zio, io_type)),
		.priority = priority_of(BPF_CORE_READ(zio, io_priority)),
	};
	int flags;

	if (!io_find(&key))
		name_vdev_of(zio, key.pool, key.vdev);
	flags = io_found(&key, began, walk);
	if (estat_told())
		estat_told()->bytes = BPF_CORE_READ(zio, io_size);
	return flags;
}

ESTAT_TELLS;
ZIO_WALK(true, zio_is_issued);

ESTAT_OPTIONAL("estat.zio.flush", vdev_disk_io_flush_completion);

ESTAT_ENTRY(flush_begins, vdev_disk_io_start, 1)
{
	struct zio *zio = (struct zio *)call->arg[0];

	/*
	 * with zfs_nocacheflush the disk gets no flush: the entry stays until another flush
	 * overwrites the entry, and is not counted
	 */
	if (is_flush(ESTAT_READ(zio, io_type)))
		flushes_begin(estat_id(zio), bpf_ktime_get_ns());
	return 0;
}

static __noinline struct flush_value *flush_of(struct zio *zio)
{
	struct spa *spa = BPF_CORE_READ(zio, io_spa);
	struct vdev *vd = BPF_CORE_READ(zio, io_vd);
	__u64 pool = pool_id(spa, false);
	struct flush_key key = { .pool = pool, .vdev = vdev_id(vd, pool, false) };
	struct flush_value *v = flush_find(&key);

	if (v || !name_vdev_of(zio, key.pool, key.vdev))
		return v;
	return flush_insert(&key);
}

/* The probed function is static, but has a symbol, because ZFS stores its address in bi_end_io. */
ESTAT_ENTRY(flush_ends, vdev_disk_io_flush_completion, 1)
{
	struct bio *bio = (struct bio *)call->arg[0];
	struct zio *zio = (struct zio *)ESTAT_READ(bio, bi_private);
	__s64 ns = flushes_end(estat_id(zio), bpf_ktime_get_ns());

	if (ns >= 0)
		estat_count_end(flush_of(zio), ns, ESTAT_READ(bio, bi_status));
	return 0;
}
