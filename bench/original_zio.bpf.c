// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures zios as the module zio does, but only of the pool `pool`, no flushes, and in the way of
 * BCC tools, to compare run times: a hash of zios under way, filled at a function's return, and the
 * hashes of original.h.
 */
#include "original.h"
#include "zfs/types.bpf.h"

HASH(started, __u64);

static __always_inline const char *name_of(enum zio_type type)
{
	if (type == ZIO_TYPE_READ)
		return "read";
	if (type == ZIO_TYPE_WRITE)
		return "write";
	if (type == ZIO_TYPE_FREE)
		return "free";
	if (type == ZIO_TYPE_CLAIM)
		return "claim";
	return "null";
}

static __always_inline const char *axis_of(enum zio_priority priority)
{
	if (priority == ZIO_PRIORITY_SYNC_READ)
		return "syncr";
	if (priority == ZIO_PRIORITY_SYNC_WRITE)
		return "syncw";
	if (priority == ZIO_PRIORITY_ASYNC_READ)
		return "asyncr";
	if (priority == ZIO_PRIORITY_ASYNC_WRITE)
		return "asyncw";
	return "scrub";
}

/* Is the zio's pool named `pool`? The original estat, a BCC tool, shows a single pool. */
static __always_inline int is_wanted(struct zio *zio)
{
	struct spa *spa = BPF_CORE_READ(zio, io_spa);
	char name[] = "pool", pool[sizeof(name)];

	bpf_probe_read_kernel(pool, sizeof(pool), spa->spa_name);
#pragma unroll
	for (unsigned int i = 0; i < sizeof(name); i++)
		if (pool[i] != name[i])
			return 0;
	return 1;
}

SEC("kretprobe/vdev_queue_io_to_issue")
int BPF_KRETPROBE(issued, struct zio *zio)
{
	__u64 now = bpf_ktime_get_ns(), id = (__u64)zio;

	if (zio && is_wanted(zio))
		bpf_map_update_elem(&started, &id, &now, BPF_ANY);
	return 0;
}

SEC("kprobe/vdev_queue_io_done")
int BPF_KPROBE(done, struct zio *zio)
{
	__u64 now = bpf_ktime_get_ns(), id = (__u64)zio;
	__u64 *start = bpf_map_lookup_elem(&started, &id);
	struct key key = { .time = 1 };

	if (!start)
		return 0;
	bpf_probe_read_kernel_str(key.name, sizeof(key.name), name_of(BPF_CORE_READ(zio, io_type)));
	bpf_probe_read_kernel_str(key.axis, sizeof(key.axis),
				  axis_of(BPF_CORE_READ(zio, io_priority)));
	record(&key, now - *start, BPF_CORE_READ(zio, io_size));
	bpf_map_delete_elem(&started, &id);
	return 0;
}
