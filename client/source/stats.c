// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "lib/histogram.h"
#include "stats.h"

#define NS2_PER_US2 1e6

const struct figure_names figures[ALL_FIGURES] = {
	[IOPS] = { "iops", "iops(/s)", "ops/s" },
	[MEAN] = { "avg", "avg latency(us)", "avg us" },
	[DEVIATION] = { "stddev", "stddev(us)", "stddev" },
	[THROUGHPUT] = { "throughput", "throughput(k/s)", "k/s" },
	[P50] = { "p50", "p50(us)", "p50" },
	[P90] = { "p90", "p90(us)", "p90" },
	[P99] = { "p99", "p99(us)", "p99" },
	[P999] = { "p999", "p999(us)", "p999" },
	[HIGHEST] = { "max", "max(us)", "max" },
	[ERRORS] = { "errors", "errors", "err" },
	[OPS] = { "ops", "ops", "ops" },
	[UNDER_WAY] = { "under_way", "under way", "now" },
	[OLDEST] = { "oldest", "oldest(us)", "oldest" },
};

static double mean(const struct values *v)
{
	if (!v->ops || lacks(v, FIELD_OPS) || lacks(v, FIELD_SUM))
		return NAN;
	return latency_mean(v->ops, v->sum_ns);
}

static double deviation(const struct values *v)
{
	if (isnan(mean(v)) || lacks(v, FIELD_SUMSQ))
		return NAN;
	return latency_deviation(v->ops, v->sum_ns, v->sumsq * NS2_PER_US2);
}

/*
 * Do the fine buckets count as many operations as the other buckets? They count fewer if
 * latency_fine was switched on or off in the interval, or if pmlogger began to log latency_fine.
 */
static bool has_fine(const struct values *v)
{
	return histogram_sum(HISTOGRAM_FINE, v->fine) ==
	       histogram_sum(HISTOGRAM_LATENCY, v->latency);
}

/* The latency (us) that a share of the operations did not exceed; share 1: the highest latency. */
static double quantile(const struct values *v, double share)
{
	uint64_t recorded_ns = lacks(v, FIELD_MAX) ? 0 : round(v->max * 1000);
	bool fine = has_fine(v);
	enum histogram kind = fine ? HISTOGRAM_FINE : HISTOGRAM_LATENCY;
	const uint64_t *counts = fine ? v->fine : v->latency;
	double highest;

	if (lacks(v, FIELD_LATENCY)) /* the maximum may be known without the histogram */
		return share < 1 || lacks(v, FIELD_MAX) || v->max <= 0 ? NAN : v->max;
	if (!histogram_sum(HISTOGRAM_LATENCY, v->latency))
		return NAN;
	highest = latency_highest(kind, counts, recorded_ns, lacks(v, FIELD_SUM) ? 0 : v->sum_ns);
	return share < 1 ? latency_percentile(kind, counts, share, highest) : highest;
}

double count(uint64_t n, const struct values *v, enum field field)
{
	return lacks(v, field) ? NAN : n;
}

double figure(const struct values *v, enum figure figure, double seconds)
{
	static const double shares[] = {
		[P50] = 0.5, [P90] = 0.9, [P99] = 0.99, [P999] = 0.999, [HIGHEST] = 1
	};

	switch (figure) {
	case IOPS:
		return count(v->ops, v, FIELD_OPS) / seconds;
	case MEAN:
		return mean(v);
	case DEVIATION:
		return deviation(v);
	case THROUGHPUT:
		return count(v->bytes, v, FIELD_BYTES) / 1024 / seconds;
	case ERRORS:
		return count(v->errors, v, FIELD_ERRORS);
	case OPS:
		return count(v->ops, v, FIELD_OPS);
	case UNDER_WAY:
		return count(v->inflight, v, FIELD_INFLIGHT);
	case OLDEST:
		return count(v->oldest, v, FIELD_OLDEST);
	default:
		return quantile(v, shares[figure]);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double median(double *numbers, unsigned int n)
{
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	return numbers[n / 2];
}
