/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs that a series has as its value, or as a group in its value, and how to count in them. */
#ifndef ESTAT_BPF_VALUE_H
#define ESTAT_BPF_VALUE_H

#include "bucket.h"
#include "declare.bpf.h"
#include "sum.h"

/*
 * The first cache line of a slot has room for `used`, the key, and the value's members before the
 * histogram, if the key is short enough: at most 20 bytes with a struct estat_latency, at most 12
 * with a struct estat_io (16 and 8 if a member of the key has 64 bits). With a struct estat_io and
 * a key of 20 bytes the upper half of latency_sumsq is in the next cache line. latency_sumsq is the
 * last member before the histogram, because the upper half of latency_sumsq is seldom touched.
 */

/* Value of a series or group that counts operations and latencies, but neither bytes nor errors. */
struct estat_latency {
	estat_count_t ops ESTAT_HELP("Number of operations measured");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
	estat_max_t latency_max ESTAT_HELP("Highest latency");
	estat_sumsq_t latency_sumsq ESTAT_HELP("Sum of squared latencies");
	estat_latency_t
		latency ESTAT_HELP("Histogram of latency: number of operations by microseconds");
};

/* Value of a series or group of operations that can fail; count with estat_count_end(). */
struct estat_latency_errors {
	struct estat_latency;
	estat_count_t errors ESTAT_HELP("Number of operations that failed");
};

/*
 * Value of a series of I/O. struct estat_io has two parts, so that a module can put a group between
 * the parts.
 */
struct estat_io_sums {
	estat_count_t ops ESTAT_HELP("Number of operations that succeeded");
	estat_bytes_t bytes ESTAT_HELP("Bytes transferred");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
	estat_max_t latency_max ESTAT_HELP("Highest latency");
	estat_sumsq_t latency_sumsq ESTAT_HELP("Sum of squared latencies");
};

struct estat_io_rest {
	estat_latency_t
		latency ESTAT_HELP("Histogram of latency: number of operations by microseconds");
	estat_size_t size ESTAT_HELP("Histogram of size: number of operations by bytes");
	estat_count_t errors ESTAT_HELP("Number of operations that failed");
};

struct estat_io {
	struct estat_io_sums;
	struct estat_io_rest;
};

/* Add n to a 64-bit counter of this CPU's shard. */
#define estat_add(counter, n) estat_counter_add(&(counter), (n), estat_module.shared)

/* Set a gauge. The atomic exchange orders the stores: a new stamp comes with the new value. */
static __always_inline void estat_gauge_set(struct estat_gauge *gauge, __u64 value)
{
	gauge->value = value;
	__sync_lock_test_and_set(&gauge->stamp, bpf_ktime_get_ns());
}

#define estat_set(gauge, value) estat_gauge_set(&(gauge), (value))

/* part / whole in units of 1/ESTAT_WHOLE, rounded down; 0 if whole is 0. part: below 2^44. */
static __always_inline __u64 estat_share(__u64 part, __u64 whole)
{
	return whole ? part * ESTAT_WHOLE / whole : 0;
}

/* Add 1 to a bucket. barrier_var keeps the bounds check that the verifier needs. */
static __always_inline void estat_bucket_add(estat_u64 *histogram, __u32 buckets, __u64 bucket,
					     bool shared)
{
	barrier_var(bucket);
	if (bucket < buckets)
		estat_counter_add(&histogram[bucket], 1, shared);
}

#define estat_count(histogram, bucket) estat_count_shared(histogram, bucket, estat_module.shared)
#define estat_count_shared(histogram, bucket, shared) \
	estat_bucket_add(histogram, sizeof(histogram) / sizeof((histogram)[0]), bucket, shared)

/*
 * Count in *v an operation that took ns nanoseconds. *v is any struct with the members of
 * estat_latency. If v is NULL, because no slot was free for the key, this macro, estat_count_end()
 * and estat_count_io() count nothing.
 */
#define estat_count_latency(v, ns) estat_count_latency_shared(v, ns, estat_module.shared)
#define estat_count_latency_shared(v, ns, shared)                                 \
	do {                                                                      \
		typeof(v) _v = (v);                                               \
		__u64 _ns;                                                        \
		bool _shared;                                                     \
                                                                                  \
		if (!_v)                                                          \
			break;                                                    \
		_ns = (ns);                                                       \
		_shared = (shared);                                               \
		estat_counter_add(&_v->ops, 1, _shared);                          \
		estat_counter_add(&_v->latency_sum, _ns, _shared);                \
		estat_sum_add_square(&_v->latency_sumsq, _ns, _shared);           \
		estat_max_raise(&_v->latency_max, _ns, _shared);                  \
		estat_count_shared(_v->latency, estat_fine_bucket(_ns), _shared); \
	} while (0)

/*
 * Count in *v the latency of an operation, or its failure. *v is any struct with the members of
 * estat_latency and the member `errors`.
 */
#define estat_count_end(v, ns, failed)                   \
	do {                                             \
		typeof(v) _value = (v);                  \
                                                         \
		if (!_value)                             \
			break;                           \
		if (failed)                              \
			estat_add(_value->errors, 1);    \
		else                                     \
			estat_count_latency(_value, ns); \
	} while (0)

/* Count in *v an operation that transferred `bytes` and took `ns` nanoseconds, or that failed. */
static __always_inline __attribute__((unused)) void
estat_count_io_shared(struct estat_io *v, __u64 ns, __u64 bytes, bool failed, bool shared)
{
	if (!v)
		return;
	if (failed) {
		estat_counter_add(&v->errors, 1, shared);
		return;
	}
	estat_count_latency_shared(v, ns, shared);
	estat_counter_add(&v->bytes, bytes, shared);
	estat_count_shared(v->size, estat_size_bucket(bytes), shared);
}

/*
 * Does what estat_count_io_shared() does. Reads estat_module.shared once, because estat_module is
 * volatile and each use of estat_module.shared is a load.
 */
static __always_inline __attribute__((unused)) void estat_count_io(struct estat_io *v, __u64 ns,
								   __u64 bytes, bool failed)
{
	if (v)
		estat_count_io_shared(v, ns, bytes, failed, estat_module.shared);
}

#endif /* ESTAT_BPF_VALUE_H */
