// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bucket.h"
#include "histogram.h"

#define NS_PER_US 1000.0
#define US_PER_S  1000000.0

/* Upper edges of HISTOGRAM_BELOW: 1, 2, 5 of each decade from 1 us to 5 s; 10 s; infinity. */
#define BELOW_BUCKETS (7 * 3 + 2)
#define BELOW_LAST    (BELOW_BUCKETS - 1)

/*
 * highest_in() takes the density of operations from a bucket only if the bucket has at least this
 * many operations.
 */
#define DENSITY_OPS 16

unsigned int histogram_buckets(enum histogram kind)
{
	static const unsigned int buckets[] = {
		[HISTOGRAM_LATENCY] = ESTAT_LATENCY_BUCKETS,
		[HISTOGRAM_SIZE] = ESTAT_SIZE_BUCKETS,
		[HISTOGRAM_FINE] = ESTAT_FINE_BUCKETS,
		[HISTOGRAM_BELOW] = BELOW_BUCKETS,
	};

	return buckets[kind];
}

uint64_t histogram_sum(enum histogram kind, const uint64_t *counts)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < histogram_buckets(kind); i++)
		all += counts[i];
	return all;
}

uint64_t bucket_edge(enum histogram kind, unsigned int bucket)
{
	uint64_t decade = 1;

	if (bucket == 0)
		return 0;
	if (kind == HISTOGRAM_SIZE)
		return UINT64_C(1) << (bucket - 1);
	for (unsigned int i = (bucket - 1) / 9; i > 0; i--)
		decade *= 10;
	return decade * ((bucket - 1) % 9 + 1);
}

uint64_t fine_edge(unsigned int bucket)
{
	uint64_t unit = 100;

	if (bucket == 0)
		return 0;
	for (unsigned int i = (bucket - 1) / ESTAT_FINE_DECADE; i > 0; i--)
		unit *= 10;
	return unit * estat_fine_digits[(bucket - 1) % ESTAT_FINE_DECADE];
}

unsigned int fine_first(unsigned int bucket)
{
	unsigned int digit = (bucket - 1) % 9 + 1;

	if (bucket == 0)
		return 0;
	if (bucket > ESTAT_LATENCY_LAST)
		return ESTAT_FINE_BUCKETS;
	return 1 + (bucket - 1) / 9 * ESTAT_FINE_DECADE + estat_fine_of(10 * digit);
}

/* The bucket of HISTOGRAM_LATENCY that begins where a bucket of HISTOGRAM_BELOW ends. */
static unsigned int latency_above(unsigned int bucket)
{
	static const unsigned int digits[] = { 1, 2, 5 };

	return bucket / 3 * 9 + digits[bucket % 3];
}

unsigned int fine_below(unsigned int bucket)
{
	return bucket < BELOW_LAST ? fine_first(latency_above(bucket)) : ESTAT_FINE_BUCKETS;
}

/*
 * Write the lower edge of a bucket, in the unit of the histogram, to `text`. For HISTOGRAM_BELOW,
 * whose buckets all begin at 0, write the upper edge of the bucket before, or 0.
 */
static void print_edge(enum histogram kind, unsigned int bucket, char *text)
{
	uint64_t us;

	if (kind == HISTOGRAM_BELOW) {
		us = bucket ? bucket_edge(HISTOGRAM_LATENCY, latency_above(bucket - 1)) : 0;
		snprintf(text, BUCKET_NAME_LEN, "%g", us / US_PER_S);
	} else if (kind == HISTOGRAM_FINE)
		snprintf(text, BUCKET_NAME_LEN, "%.10g", fine_edge(bucket) / NS_PER_US);
	else
		snprintf(text, BUCKET_NAME_LEN, "%" PRIu64, bucket_edge(kind, bucket));
}

void bucket_name(enum histogram kind, unsigned int bucket, char *name)
{
	size_t length;

	print_edge(kind, kind == HISTOGRAM_BELOW ? 0 : bucket, name);
	strcat(name, "-");
	length = strlen(name);
	if (bucket + 1 < histogram_buckets(kind))
		print_edge(kind, bucket + 1, name + length);
	else
		strcat(name, "inf");
}

void bucket_le(enum histogram kind, unsigned int bucket, char *le)
{
	if (bucket + 1 < histogram_buckets(kind))
		print_edge(kind, bucket + 1, le);
	else
		strcpy(le, "+Inf");
}

/* The lower edge of a bucket of HISTOGRAM_LATENCY or HISTOGRAM_FINE, in microseconds. */
static double edge(enum histogram kind, unsigned int bucket)
{
	return kind == HISTOGRAM_FINE ? fine_edge(bucket) / NS_PER_US : bucket_edge(kind, bucket);
}

/*
 * The highest latency, in ns, that an operation in the last bucket can have if all latencies add up
 * to sum_ns, and each other operation has at least the lower edge of its bucket.
 */
static uint64_t most_of_sum(enum histogram kind, const uint64_t *counts, uint64_t sum_ns)
{
	int last = histogram_buckets(kind) - 1;
	uint64_t others = 0;

	for (int b = 0; b <= last; b++)
		others += (counts[b] - (b == last)) * (uint64_t)(edge(kind, b) * NS_PER_US);
	return sum_ns > others ? sum_ns - others : 0;
}

double latency_highest(enum histogram kind, const uint64_t *counts, uint64_t recorded_ns,
		       uint64_t sum_ns)
{
	double recorded = recorded_ns / NS_PER_US, low, high;
	int last = histogram_buckets(kind) - 1, top = last;

	while (top >= 0 && !counts[top])
		top--;
	if (top < 0)
		return 0;
	low = edge(kind, top);
	if (top == last && sum_ns)
		recorded = fmin(recorded, most_of_sum(kind, counts, sum_ns) / NS_PER_US);
	if (top == last)
		return recorded > low ? recorded : low;
	/*
	 * the maximum of the interval is in the bucket `top`. Do not use a recorded maximum outside
	 * this bucket: a lower one was read before some of `counts`, and a higher one is of an
	 * operation that `counts` lacks, most often one from before the interval.
	 */
	high = edge(kind, top + 1);
	return recorded_ns && recorded >= low && recorded < high ? recorded : high;
}

/*
 * The estimated highest latency in bucket b, if bucket b - 1 has operations and bucket b + 1 has
 * none. If bucket b - 1 has at least DENSITY_OPS operations, operations are assumed to be as dense
 * in bucket b as in bucket b - 1. That is right for a uniform distribution. With a tail the
 * estimate is too low, by less than a bucket. Otherwise the estimate is the bucket's upper edge.
 */
static double highest_in(enum histogram kind, const uint64_t *counts, int b)
{
	double low = edge(kind, b), high = edge(kind, b + 1);
	double end = low + counts[b] * (low - edge(kind, b - 1)) / counts[b - 1];

	return counts[b - 1] >= DENSITY_OPS && end < high ? end : high;
}

/*
 * The estimated latency of operation k of the n operations in bucket b, sorted by latency. If
 * latencies are uniform, operation k is on average k / (n + 1) of the way up the bucket. If both
 * neighbour buckets are empty, the latencies are probably all alike, so the middle of the bucket is
 * the best estimate. In the histogram's last bucket the highest latency is `highest`.
 */
static double within(enum histogram kind, const uint64_t *counts, int b, uint64_t k, double highest)
{
	int last = histogram_buckets(kind) - 1;
	bool below = b > 0 && counts[b - 1], above = b < last && counts[b + 1];
	double low = edge(kind, b), high = b < last ? edge(kind, b + 1) : highest;

	if (b == last && k == counts[b])
		return highest;
	if (b < last && !below && !above)
		return low + (high - low) / 2;
	if (b < last && !above)
		high = highest_in(kind, counts, b);
	if (high > highest)
		high = highest;
	return high > low ? low + (high - low) * k / (counts[b] + 1.0) : low;
}

double latency_percentile(enum histogram kind, const uint64_t *counts, double share, double highest)
{
	uint64_t total = histogram_sum(kind, counts), below = 0, rank;
	double value;
	int i;

	if (!total)
		return 0;
	rank = ceil(share * total);
	for (i = 0; below + counts[i] < rank; i++)
		below += counts[i];
	value = within(kind, counts, i, rank - below, highest);
	return value < highest ? value : highest;
}

double latency_mean(uint64_t n, uint64_t sum_ns)
{
	return sum_ns / NS_PER_US / n;
}

double latency_deviation(uint64_t n, uint64_t sum_ns, unsigned __int128 sumsq_ns)
{
	long double mean = (long double)sum_ns / n;
	long double variance = (long double)sumsq_ns / n - mean * mean;

	return variance > 0 ? sqrtl(variance) / NS_PER_US : 0;
}
