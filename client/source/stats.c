// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "lib/histogram.h"
#include "stats.h"

#define NS2_PER_US2 1e6

const struct quantile quantiles[QUANTILES] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 }, { "max", 1 },
};

double mean(const struct values *v)
{
	if (!v->ops || lacks(v, FIELD_OPS) || lacks(v, FIELD_SUM))
		return NAN;
	return latency_mean(v->ops, v->sum_ns);
}

double deviation(const struct values *v)
{
	if (isnan(mean(v)) || lacks(v, FIELD_SUMSQ))
		return NAN;
	return latency_deviation(v->ops, v->sum_ns, v->sumsq * NS2_PER_US2);
}

static uint64_t sum(const uint64_t *counts, unsigned int n)
{
	uint64_t all = 0;

	while (n-- > 0)
		all += counts[n];
	return all;
}

/*
 * Do the fine buckets count as many operations as the other buckets? They count none or fewer if
 * latency_fine was switched on or off in the interval, or if pmlogger began to log them.
 */
static bool has_fine(const struct values *v)
{
	return sum(v->fine, ESTAT_FINE_BUCKETS) == sum(v->latency, ESTAT_LATENCY_BUCKETS);
}

/* The highest latency in microseconds, by fine buckets if `fine`. */
static double highest_of(const struct values *v, bool fine)
{
	uint64_t recorded_ns = lacks(v, FIELD_MAX) ? 0 : round(v->max * 1000);

	if (fine)
		return latency_highest(HISTOGRAM_FINE, v->fine, recorded_ns);
	return latency_highest(HISTOGRAM_LATENCY, v->latency, recorded_ns);
}

static double highest(const struct values *v)
{
	return highest_of(v, has_fine(v));
}

static double percentile(const struct values *v, double share)
{
	bool fine = has_fine(v);

	if (fine)
		return latency_percentile(HISTOGRAM_FINE, v->fine, share, highest_of(v, fine));
	return latency_percentile(HISTOGRAM_LATENCY, v->latency, share, highest_of(v, fine));
}

double quantile(const struct values *v, const struct quantile *q)
{
	if (lacks(v, FIELD_LATENCY)) /* the maximum is a metric of its own */
		return q->share < 1 || lacks(v, FIELD_MAX) || v->max <= 0 ? NAN : v->max;
	if (!sum(v->latency, ESTAT_LATENCY_BUCKETS))
		return NAN;
	return q->share < 1 ? percentile(v, q->share) : highest(v);
}

double count(uint64_t n, const struct values *v, enum field field)
{
	return lacks(v, field) ? NAN : n;
}
