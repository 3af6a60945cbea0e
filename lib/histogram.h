/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms and what is computed from them: bucket edges and names,
 * percentiles, maximum, mean and standard deviation. Plain functions, no state.
 */
#ifndef ESTAT_LIB_HISTOGRAM_H
#define ESTAT_LIB_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

enum histogram {
	HISTOGRAM_LATENCY, /* microseconds */
	HISTOGRAM_SIZE,    /* bytes */
	HISTOGRAM_FINE,    /* latency as it is counted; microseconds */
	HISTOGRAM_BELOW,   /* latency below 1, 2, 5, 10 ... us, as Prometheus has it; seconds */
};

/* Longest bucket name, "10000000-inf", with its NUL and room to spare. */
#define BUCKET_NAME_LEN 32

/* How many buckets such a histogram has. */
unsigned int histogram_buckets(enum histogram kind);

/*
 * The lower edge of a bucket of latency or size, which belongs to it, in the
 * histogram's unit. Its upper edge is the lower one of the next; the last has none.
 */
uint64_t bucket_edge(enum histogram kind, unsigned int bucket);

/* The same of a fine bucket, in nanoseconds. */
uint64_t fine_edge(unsigned int bucket);

/*
 * The first of the fine buckets that are a bucket of latency; those of the next follow,
 * and of the one after the last it is how many there are.
 */
unsigned int fine_first(unsigned int bucket);

/* How many of the fine buckets, the first ones, a bucket of HISTOGRAM_BELOW is the sum of. */
unsigned int fine_below(unsigned int bucket);

/* Write "400-500", "1.1-1.2", "10000000-inf" or "0-0.0005" to name, of BUCKET_NAME_LEN bytes. */
void bucket_name(enum histogram kind, unsigned int bucket, char *name);

/* Write the upper edge, as OpenMetrics names it: "500" or "+Inf". */
void bucket_le(enum histogram kind, unsigned int bucket, char *le);

/*
 * The highest latency of an interval in microseconds: the upper edge of the
 * highest bucket hit, or the highest ever recorded where that is lower; recorded_ns is
 * 0 if that is not known. Counts are the interval's own, of a histogram of latency,
 * fine or not; 0 if it has none.
 */
double latency_highest(enum histogram kind, const uint64_t *counts, uint64_t recorded_ns);

/*
 * The latency in microseconds that a share (0 < share < 1) of an interval's
 * operations did not exceed, estimated within its bucket and never above
 * `highest`, which is latency_highest() of the same counts. Returns 0 if the
 * interval has none.
 */
double latency_percentile(enum histogram kind, const uint64_t *counts, double share,
			  double highest);

/*
 * Mean and standard deviation in microseconds of n > 0 latencies with the given
 * sum (ns) and sum of squares (ns squared).
 */
double latency_mean(uint64_t n, uint64_t sum_ns);
double latency_deviation(uint64_t n, uint64_t sum_ns, unsigned __int128 sumsq_ns);

#endif /* ESTAT_LIB_HISTOGRAM_H */
