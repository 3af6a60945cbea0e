// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms and what is computed from them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "histogram.h"

#define NS_PER_US 1000.0

unsigned int histogram_buckets(enum histogram kind)
{
	return kind == HISTOGRAM_LATENCY ? ESTAT_LATENCY_BUCKETS : ESTAT_SIZE_BUCKETS;
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

void bucket_name(enum histogram kind, unsigned int bucket, char *name)
{
	uint64_t low = bucket_edge(kind, bucket);

	if (bucket + 1 < histogram_buckets(kind))
		snprintf(name, BUCKET_NAME_LEN, "%" PRIu64 "-%" PRIu64, low,
			 bucket_edge(kind, bucket + 1));
	else
		snprintf(name, BUCKET_NAME_LEN, "%" PRIu64 "-inf", low);
}

void bucket_le(enum histogram kind, unsigned int bucket, char *le)
{
	if (bucket + 1 < histogram_buckets(kind))
		snprintf(le, BUCKET_NAME_LEN, "%" PRIu64, bucket_edge(kind, bucket + 1));
	else
		snprintf(le, BUCKET_NAME_LEN, "+Inf");
}

double latency_highest(const uint64_t counts[ESTAT_LATENCY_BUCKETS], uint64_t recorded_ns)
{
	double recorded = recorded_ns / NS_PER_US, low, high;
	int top = ESTAT_LATENCY_LAST;

	while (top >= 0 && !counts[top])
		top--;
	if (top < 0)
		return 0;
	low = bucket_edge(HISTOGRAM_LATENCY, top);
	if (top == ESTAT_LATENCY_LAST)
		return recorded > low ? recorded : low;
	/* a maximum below was read before the operation that the histogram has */
	high = bucket_edge(HISTOGRAM_LATENCY, top + 1);
	return recorded >= low && recorded < high ? recorded : high;
}

double latency_percentile(const uint64_t counts[ESTAT_LATENCY_BUCKETS], double share,
			  double highest)
{
	uint64_t total = 0, below = 0;
	double rank, low, high;
	int i;

	for (i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
		total += counts[i];
	if (!total)
		return 0;
	rank = share * total;
	for (i = 0; below + counts[i] < rank; i++)
		below += counts[i];
	low = bucket_edge(HISTOGRAM_LATENCY, i);
	high = i < ESTAT_LATENCY_LAST ? bucket_edge(HISTOGRAM_LATENCY, i + 1) : highest;
	if (high > highest)
		high = highest;
	return high > low ? low + (high - low) * (rank - below) / counts[i] : low;
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
