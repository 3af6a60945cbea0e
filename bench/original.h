/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts an operation in the way of BCC tools, to compare run times: a key has two strings and a
 * CPU's number, and each kind of value has a hash of its own.
 */
#ifndef ESTAT_BENCH_ORIGINAL_H
#define ESTAT_BENCH_ORIGINAL_H

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

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

#define HASH_OF(NAME, KEY, VALUE)                \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, ENTRIES);    \
		__type(key, KEY);                \
		__type(value, VALUE);            \
	} NAME SEC(".maps")

#define HASH(NAME, KEY) HASH_OF(NAME, KEY, __u64)

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

/*
 * Bucket 0 is below 10 us. Each decade from 10 us to 100 s has nine buckets, whose numbers begin at
 * 1, 11, 21, and so on. A latency of exactly 100 us, 1 ms, ... 10 s gets 10, 20, ... 60. Each
 * bucket above 100 s is 10 s wide.
 */
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

/* Count an operation of n bytes and ns nanoseconds. */
static __always_inline void record(struct key *key, __u64 ns, __u64 n)
{
	struct key total = { .time = 1, .name = "total" };
	__u64 micros = (ns + 500) / 1000;
	struct bucket_key bucket = {};

	key->cpu = total.cpu = bpf_get_smp_processor_id();
	add(&ops, key, 1);
	add(&latency_sum, key, micros);
	add(&latency_sumsq, key, micros * micros);
	add(&bytes, key, n / 1024);
	bucket.key = *key;
	bucket.bucket = latency_bucket(ns);
	add(&latency, &bucket, 1);
	bucket.bucket = size_bucket(n);
	add(&size, &bucket, 1);
	add(&total_ops, &total, 1);
	add(&total_bytes, &total, n / 1024);
}

#endif /* ESTAT_BENCH_ORIGINAL_H */
