// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests how exact a histogram's percentiles are (lib/histogram.h). For each of four distributions
 * of latencies the test makes a thousand sets of latencies at random: no percentile may differ by
 * more than the share WORST from that of the latencies themselves. Sets of equal latencies have
 * another limit, see constant_load().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"
#include "lib/histogram.h"
#include "unit.h"

#define DRAWS     1000
#define LATENCIES 10000

#define WORST     0.06

static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };

static double latencies[LATENCIES]; /* random latencies, microseconds */
static uint64_t counts[ESTAT_FINE_BUCKETS];
static uint64_t max;

/* A random number from low to high: uniform() is uniform, magnitude() has a uniform logarithm. */
static double uniform(double low, double high)
{
	return low + (high - low) * (random64() >> 11) * 0x1p-53;
}

static double magnitude(double low, double high)
{
	return exp(uniform(log(low), log(high)));
}

static double normal(void)
{
	return sqrt(-2 * log(uniform(0x1p-53, 1))) * cos(2 * M_PI * uniform(0, 1));
}

/* Latencies with normal logarithms, around a random median of 5 us to 50 ms. */
static void draw_lognormal(void)
{
	double median = magnitude(5, 50000), sigma = uniform(0.02, 1.5);

	for (int i = 0; i < LATENCIES; i++)
		latencies[i] = median * exp(sigma * normal());
}

/* Hits of a cache, and misses, which take 3 to 300 times as long; the factor is random. */
static void draw_bimodal(void)
{
	double hit = magnitude(5, 50000), miss = hit * magnitude(3, 300);
	double hits = uniform(0.5, 0.995), sigma = uniform(0.02, 0.5);

	for (int i = 0; i < LATENCIES; i++)
		latencies[i] = (uniform(0, 1) < hits ? hit : miss) * exp(sigma * normal());
}

static void draw_uniform(void)
{
	double high = magnitude(10, 100000), low = uniform(0.01, 0.95) * high;

	for (int i = 0; i < LATENCIES; i++)
		latencies[i] = uniform(low, high);
}

/* A load with a long tail. */
static void draw_pareto(void)
{
	double least = magnitude(5, 5000), shape = uniform(1.1, 3);

	for (int i = 0; i < LATENCIES; i++)
		latencies[i] = least * pow(uniform(0x1p-53, 1), -1 / shape);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Set counts[] and max as a module counts the latencies; sort latencies[]. */
static void count(void)
{
	memset(counts, 0, sizeof(counts));
	for (int i = 0; i < LATENCIES; i++)
		counts[estat_fine_bucket(latencies[i] * 1000)]++;
	qsort(latencies, LATENCIES, sizeof(latencies[0]), compare);
	max = latencies[LATENCIES - 1] * 1000;
}

static double error(double share, uint64_t recorded)
{
	double highest = latency_highest(HISTOGRAM_FINE, counts, recorded, 0);
	double truth = latencies[(int)ceil(share * LATENCIES) - 1];

	/* the last bucket has no upper edge: percentiles in it are not checked */
	if (truth * 1000 >= ESTAT_LATENCY_INF_NS)
		return 0;
	return fabs(latency_percentile(HISTOGRAM_FINE, counts, share, highest) / truth - 1);
}

/*
 * Check percentiles of random loads: with the highest latency known, as in the agent, and unknown,
 * as where an archive lacks the metric max.
 */
static void assert_near(void (*draw)(void))
{
	for (int i = 0; i < DRAWS; i++) {
		draw();
		count();
		for (unsigned int s = 0; s < ARRAY_SIZE(shares); s++) {
			assert_true(error(shares[s], max) <= WORST);
			assert_true(error(shares[s], 0) <= WORST);
		}
	}
}

static void lognormal_load(void **state)
{
	(void)state;
	assert_near(draw_lognormal);
}

static void bimodal_load(void **state)
{
	(void)state;
	assert_near(draw_bimodal);
}

static void uniform_load(void **state)
{
	(void)state;
	assert_near(draw_uniform);
}

static void pareto_load(void **state)
{
	(void)state;
	assert_near(draw_pareto);
}

/* If all latencies are equal, the error is at most half a bucket: 5.6%. */
static void constant_load(void **state)
{
	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double one = magnitude(1, 9e6);
		unsigned int bucket = estat_fine_bucket(one * 1000);
		double half = (fine_edge(bucket + 1) - fine_edge(bucket)) / 2000.0;

		for (int n = 0; n < LATENCIES; n++)
			latencies[n] = one;
		count();
		for (unsigned int s = 0; s < ARRAY_SIZE(shares); s++) {
			assert_true(error(shares[s], max) * one <= half + 1e-3);
			assert_true(error(shares[s], 0) * one <= half + 1e-3);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lognormal_load), cmocka_unit_test(bimodal_load),
		cmocka_unit_test(uniform_load),   cmocka_unit_test(pareto_load),
		cmocka_unit_test(constant_load),
	};

	return cmocka_run_group_tests_name("percentile", tests, NULL, NULL);
}
