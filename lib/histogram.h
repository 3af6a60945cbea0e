/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: edges and names of buckets; percentiles, maximum, mean and standard deviation.
 * The functions keep no state and allocate nothing.
 */
#ifndef ESTAT_LIB_HISTOGRAM_H
#define ESTAT_LIB_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

enum histogram {
	HISTOGRAM_LATENCY, /* microseconds */
	HISTOGRAM_SIZE,    /* bytes */
	HISTOGRAM_FINE,    /* latency as BPF programs count it, 30 buckets a decade; microseconds */
	HISTOGRAM_BELOW,   /* latency for Prometheus, edges 1, 2, 5 of each decade; seconds */
};

/* More bytes than the longest bucket name, "10000000-inf", and its NUL need. */
#define BUCKET_NAME_LEN 32

/* The number of buckets. */
unsigned int histogram_buckets(enum histogram kind);

/*
 * The lower edge of a bucket of HISTOGRAM_LATENCY or HISTOGRAM_SIZE, in the histogram's unit.
 * A bucket includes its lower edge. Its upper edge is the lower edge of the next bucket; the last
 * bucket has no upper edge.
 */
uint64_t bucket_edge(enum histogram kind, unsigned int bucket);

/* The lower edge of a bucket of HISTOGRAM_FINE, in nanoseconds. */
uint64_t fine_edge(unsigned int bucket);

/*
 * The first bucket of HISTOGRAM_FINE that lies in a bucket of HISTOGRAM_LATENCY; the last one is
 * fine_first(bucket + 1) - 1. Above ESTAT_LATENCY_LAST: ESTAT_FINE_BUCKETS.
 */
unsigned int fine_first(unsigned int bucket);

/* The number of buckets of HISTOGRAM_FINE below the upper edge of a bucket of HISTOGRAM_BELOW. */
unsigned int fine_below(unsigned int bucket);

/*
 * Write "400-500", "1.1-1.2" or "10000000-inf" to name, which has BUCKET_NAME_LEN bytes. Buckets of
 * HISTOGRAM_BELOW are cumulative: "0-0.0005".
 */
void bucket_name(enum histogram kind, unsigned int bucket, char *name);

/* Write the upper edge as OpenMetrics does, "500" or "+Inf", to le of BUCKET_NAME_LEN bytes. */
void bucket_le(enum histogram kind, unsigned int bucket, char *le);

/*
 * The highest latency of an interval in microseconds; 0 if all counts are 0. `kind` is
 * HISTOGRAM_LATENCY or HISTOGRAM_FINE, `counts` are those of the interval. `recorded_ns` is the
 * recorded maximum in nanoseconds, 0 if unknown. The result is the recorded maximum if the highest
 * bucket with a count contains this maximum, else the upper edge of this bucket, for the last
 * bucket its lower edge.
 */
double latency_highest(enum histogram kind, const uint64_t *counts, uint64_t recorded_ns);

/*
 * The latency in microseconds that the share (0 < share < 1) of an interval's operations did not
 * exceed; 0 if all counts are 0. The bucket is exact, the value within the bucket is an estimate.
 * The result is at most `highest`, which is latency_highest() of the same counts.
 */
double latency_percentile(enum histogram kind, const uint64_t *counts, double share,
			  double highest);

/* Mean and standard deviation, in us, of n > 0 latencies with this sum (ns) and sum of squares. */
double latency_mean(uint64_t n, uint64_t sum_ns);
double latency_deviation(uint64_t n, uint64_t sum_ns, unsigned __int128 sumsq_ns);

#endif /* ESTAT_LIB_HISTOGRAM_H */
