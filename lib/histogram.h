/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of latencies and sizes. No function keeps state or allocates memory. */
#ifndef ESTAT_LIB_HISTOGRAM_H
#define ESTAT_LIB_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

enum histogram {
	HISTOGRAM_LATENCY, /* microseconds */
	HISTOGRAM_SIZE,    /* bytes */
	HISTOGRAM_FINE,    /* microseconds; 30 buckets a decade, in which BPF programs count */
	HISTOGRAM_BELOW,   /* latency for Prometheus, edges 1, 2, 5 of each decade; seconds */
};

/* Bytes for any name of a bucket. The longest name is "536870912-1073741824". */
#define BUCKET_NAME_LEN 32

unsigned int histogram_buckets(enum histogram kind);

/*
 * The lower edge of a bucket of HISTOGRAM_LATENCY (us) or HISTOGRAM_SIZE (bytes). The edge belongs
 * to the bucket. A bucket's upper edge is the next bucket's lower edge; the last bucket has none.
 */
uint64_t bucket_edge(enum histogram kind, unsigned int bucket);

/* The sum of the counts of all buckets. */
uint64_t histogram_sum(enum histogram kind, const uint64_t *counts);

/* The lower edge of a bucket of HISTOGRAM_FINE, in nanoseconds. */
uint64_t fine_edge(unsigned int bucket);

/*
 * The first fine bucket in a bucket of HISTOGRAM_LATENCY; ESTAT_FINE_BUCKETS if `bucket` is above
 * ESTAT_LATENCY_LAST.
 */
unsigned int fine_first(unsigned int bucket);

/* The number of buckets of HISTOGRAM_FINE below the upper edge of a bucket of HISTOGRAM_BELOW. */
unsigned int fine_below(unsigned int bucket);

/*
 * Write a bucket's name to name[BUCKET_NAME_LEN], such as "400-500", or "0-0.0005" for a bucket of
 * HISTOGRAM_BELOW.
 */
void bucket_name(enum histogram kind, unsigned int bucket, char *name);

/* Write a bucket's upper edge as Prometheus' label le, "500" or "+Inf", to le[BUCKET_NAME_LEN]. */
void bucket_le(enum histogram kind, unsigned int bucket, char *le);

/*
 * The highest latency of an interval, in us; 0 if all counts are 0. `counts` has the operations in
 * each bucket of HISTOGRAM_LATENCY or HISTOGRAM_FINE. `recorded_ns` is the recorded maximum, which
 * can be older than the interval; 0: unknown. The result is the recorded maximum, if this is in the
 * highest bucket that has operations. Else the result is the upper edge of that bucket or, if that
 * bucket is the histogram's last one, the lower edge. `sum_ns` is the sum of the interval's
 * latencies, which limits the result in the last bucket; 0: unknown.
 */
double latency_highest(enum histogram kind, const uint64_t *counts, uint64_t recorded_ns,
		       uint64_t sum_ns);

/*
 * The latency in us that a share (0 < share < 1) of an interval's operations did not exceed; 0 if
 * all counts are 0. The result's bucket is exact, but the value within the bucket is an estimate.
 * `highest`, the result of latency_highest() for the same counts, is the upper limit.
 */
double latency_percentile(enum histogram kind, const uint64_t *counts, double share,
			  double highest);

/*
 * latency_mean() returns the mean, latency_deviation() the standard deviation, in us, of n > 0
 * latencies. sum_ns is the latencies' sum in ns, sumsq_ns the sum of their squares in ns squared.
 */
double latency_mean(uint64_t n, uint64_t sum_ns);
double latency_deviation(uint64_t n, uint64_t sum_ns, unsigned __int128 sumsq_ns);

#endif /* ESTAT_LIB_HISTOGRAM_H */
