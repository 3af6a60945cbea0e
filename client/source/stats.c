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
 * Do the fine buckets count as many operations as the other buckets? Fine buckets count fewer if
 * latency_fine was switched on or off in the interval, or if pmlogger began to log latency_fine.
 */
static bool has_fine(const struct values *v)
{
	return sum(v->fine, ESTAT_FINE_BUCKETS) == sum(v->latency, ESTAT_LATENCY_BUCKETS);
}

double quantile(const struct values *v, const struct quantile *q)
{
	uint64_t recorded_ns = lacks(v, FIELD_MAX) ? 0 : round(v->max * 1000);
	bool fine = has_fine(v);
	enum histogram kind = fine ? HISTOGRAM_FINE : HISTOGRAM_LATENCY;
	const uint64_t *counts = fine ? v->fine : v->latency;
	double highest;

	if (lacks(v, FIELD_LATENCY)) /* the maximum can be known without the histogram */
		return q->share < 1 || lacks(v, FIELD_MAX) || v->max <= 0 ? NAN : v->max;
	if (!sum(v->latency, ESTAT_LATENCY_BUCKETS))
		return NAN;
	highest = latency_highest(kind, counts, recorded_ns);
	return q->share < 1 ? latency_percentile(kind, counts, q->share, highest) : highest;
}

double count(uint64_t n, const struct values *v, enum field field)
{
	return lacks(v, field) ? NAN : n;
}
