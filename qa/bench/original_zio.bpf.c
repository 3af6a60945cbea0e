// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What zio records, the way that BCC tools do it: a start map filled at a function's
 * return, keys of strings and a CPU number, and a hash for each figure, eight in
 * all. It is here to be measured.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "types/zfs.h"

char _license[] SEC("license") = "GPL";

#define ENTRIES 10240 /* BCC's default for a hash */

struct key {
	__u64 time;
	char name[16];
	char axis[16];
	__u32 cpu;
};

struct bucket_key {
	struct key key;
	__u64 bucket;
};

#define HASH(NAME, KEY)                          \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, ENTRIES);    \
		__type(key, KEY);                \
		__type(value, __u64);            \
	} NAME SEC(".maps")

HASH(started, __u64);
HASH(ops, struct key);
HASH(latency_sum, struct key);
HASH(latency_sumsq, struct key);
HASH(bytes, struct key);
HASH(latency, struct bucket_key);
HASH(size, struct bucket_key);
HASH(total_ops, struct key);
HASH(total_bytes, struct key);

static __always_inline void add(void *map, const void *key, __u64 n)
{
	__u64 *value = bpf_map_lookup_elem(map, key), zero = 0;

	if (!value) {
		bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
		value = bpf_map_lookup_elem(map, key);
	}
	if (value)
		__sync_fetch_and_add(value, n);
}

/* Ten to a decade, from 10 microseconds to 10 seconds. */
static __always_inline __u64 latency_bucket(__u64 ns)
{
	__u64 first = 0, width = 10000;

#pragma unroll
	for (int i = 0; i < 6; i++)
		if (ns > width * 10) {
			first += 10;
			width *= 10;
		}
	return first + ns / width;
}

static __always_inline __u64 size_bucket(__u64 n)
{
	__u64 bucket = 0;

#pragma unroll
	for (int i = 5; i >= 0; i--)
		if (n >> (1 << i)) {
			bucket += 1 << i;
			n >>= 1 << i;
		}
	return bucket;
}

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

/* Of the pool that was asked for. */
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
	struct key total = { .time = 1, .name = "total" };
	struct bucket_key bucket = {};
	struct key key = { .time = 1 };
	__u64 ns, micros, n;

	if (!start)
		return 0;
	ns = now - *start;
	micros = (ns + 500) / 1000;
	n = BPF_CORE_READ(zio, io_size);
	key.cpu = total.cpu = bpf_get_smp_processor_id();
	bpf_probe_read_kernel_str(key.name, sizeof(key.name), name_of(BPF_CORE_READ(zio, io_type)));
	bpf_probe_read_kernel_str(key.axis, sizeof(key.axis),
				  axis_of(BPF_CORE_READ(zio, io_priority)));
	add(&ops, &key, 1);
	add(&latency_sum, &key, micros);
	add(&latency_sumsq, &key, micros * micros);
	add(&bytes, &key, n / 1024);
	bucket.key = key;
	bucket.bucket = latency_bucket(ns);
	add(&latency, &bucket, 1);
	bucket.bucket = size_bucket(n);
	add(&size, &bucket, 1);
	add(&total_ops, &total, 1);
	add(&total_bytes, &total, n / 1024);
	bpf_map_delete_elem(&started, &id);
	return 0;
}
