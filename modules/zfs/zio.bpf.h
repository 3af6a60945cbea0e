/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the modules zio and zio_queue: a zio's operation and priority, and the end of a zio. */
#ifndef ESTAT_MODULES_ZFS_ZIO_H
#define ESTAT_MODULES_ZFS_ZIO_H

#include "zfs.bpf.h"

/* A value N below 256 is ZFS's number of an operation that this enum lacks; its text is op_N. */
enum op {
	op_null = 256,
	op_read,
	op_write,
	op_free,
	op_claim,
	op_ioctl,
	op_flush,
	op_trim,
};

enum priority {
	priority_syncr = 256,
	priority_syncw,
	priority_asyncr,
	priority_asyncw,
	priority_scrub,
	priority_removal,
	priority_initializing,
	priority_trim,
	priority_rebuild,
	priority_now,
};

static __noinline enum op other_op(__u32 raw)
{
	return ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_TRIM)    ? op_trim
	       : ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_FLUSH) ? op_flush
	       : ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_IOCTL) ? op_ioctl
	       : ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_NULL)  ? op_null
	       : ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_FREE)  ? op_free
	       : ZFS_ENUM_IS(raw, zio_type, ZIO_TYPE_CLAIM) ? op_claim
							    : raw;
}

/*
 * The operation that has ZFS's number `raw`. The function first compares with read and write,
 * because these are the most frequent.
 */
static __always_inline enum op op_of(__u32 raw)
{
	if (raw == bpf_core_enum_value(enum zio_type, ZIO_TYPE_READ))
		return op_read;
	if (raw == bpf_core_enum_value(enum zio_type, ZIO_TYPE_WRITE))
		return op_write;
	return other_op(raw);
}

static __noinline enum priority other_priority(__u32 raw)
{
	return ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_SCRUB)          ? priority_scrub
	       : ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_TRIM)         ? priority_trim
	       : ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_REMOVAL)      ? priority_removal
	       : ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_INITIALIZING) ? priority_initializing
	       : ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_REBUILD)      ? priority_rebuild
	       : ZFS_ENUM_IS(raw, zio_priority, ZIO_PRIORITY_NOW)          ? priority_now
									   : raw;
}

static __always_inline enum priority priority_of(__u32 raw)
{
	if (raw == bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_SYNC_READ))
		return priority_syncr;
	if (raw == bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_ASYNC_WRITE))
		return priority_asyncw;
	if (raw == bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_SYNC_WRITE))
		return priority_syncw;
	if (raw == bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_ASYNC_READ))
		return priority_asyncr;
	return other_priority(raw);
}

/* Name the pool of a new key. False: a temporary pool of spa_tryimport, which is not counted. */
static __always_inline bool name_pool_of(struct zio *zio, __u64 pool)
{
	struct spa *spa = BPF_CORE_READ(zio, io_spa);

	if (is_tried(spa))
		return false;
	name_pool(pool, spa);
	return true;
}

/*
 * Runs BODY(zio, delay, typed) at the end of each zio of a disk or file, except for flushes.
 * `delay` is the zio's io_delay in ns, so that BODY need not read io_delay again.
 *
 * zio_vdev_io_done sets io_delay and io_delta, and then calls vdev_disk_io_done for a disk or
 * vdev_file_io_done for a file; since OpenZFS 2.3 also for flushes. In a flush io_delay and
 * io_delta are 0, and BODY does not run. In a zio that never reached its disk or file only io_delay
 * is 0, and BODY runs.
 *
 * BODY should look up the key before it reads members of the zio that are not in the key, else the
 * compiler keeps the values of these members on the stack during the look-up.
 */
#define ZIO_DONE(BODY)                                                             \
	static __always_inline int BODY(struct zio *zio, __s64 delay, bool typed); \
	static __always_inline int BODY##_done(struct zio *zio, bool typed)        \
	{                                                                          \
		__s64 delay = ESTAT_READ(zio, io_delay);                           \
                                                                                   \
		if (!delay && !ESTAT_READ(zio, io_delta))                          \
			return 0;                                                  \
		return BODY(zio, delay, typed);                                    \
	}                                                                          \
	ESTAT_ENTRY(BODY##_disk, vdev_disk_io_done, 1)                             \
	{                                                                          \
		return BODY##_done((struct zio *)call->arg[0], typed);             \
	}                                                                          \
	ESTAT_ENTRY(BODY##_file, vdev_file_io_done, 1)                             \
	{                                                                          \
		return BODY##_done((struct zio *)call->arg[0], typed);             \
	}                                                                          \
	static __always_inline int BODY(struct zio *zio, __s64 delay, bool typed)

#endif /* ESTAT_MODULES_ZFS_ZIO_H */
