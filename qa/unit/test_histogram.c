// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests percentiles, maximum, mean and deviation (lib/histogram.h) against the latencies of which
 * the histograms were made.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"
#include "lib/histogram.h"
#include "sum.h"
#include "unit.h"

#define MAX_LATENCIES 5000
#define SECOND        UINT64_C(1000000000)

static const unsigned int permilles[] = { 500, 900, 990, 999 };

/* Latencies, and what a module would count of them. */
static struct sample {
	unsigned int n;
	uint64_t ns[MAX_LATENCIES]; /* sorted by assert_percentiles_near() */
	uint64_t counts[ESTAT_FINE_BUCKETS];
	uint64_t sum;
	estat_max_t max;
	estat_sumsq_t sumsq;
} sample;

static void begin(void)
{
	memset(&sample, 0, sizeof(sample));
}

static void add(uint64_t ns)
{
	sample.ns[sample.n++] = ns;
	sample.counts[estat_fine_bucket(ns)]++;
	sample.sum += ns;
	estat_sum_add_square(&sample.sumsq, ns, false);
	estat_max_raise(&sample.max, ns, false);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double highest(void)
{
	return latency_highest(HISTOGRAM_FINE, sample.counts, sample.max, sample.sum);
}

static double percentile(double share)
{
	return latency_percentile(HISTOGRAM_FINE, sample.counts, share, highest());
}

/* Check that each percentile lies in the bucket of the true value, or at its upper edge. */
static void assert_percentiles_near(void)
{
	qsort(sample.ns, sample.n, sizeof(sample.ns[0]), compare);
	for (unsigned int i = 0; i < ARRAY_SIZE(permilles); i++) {
		uint64_t rank = (permilles[i] * (uint64_t)sample.n + 999) / 1000;
		uint64_t bucket = estat_fine_bucket(sample.ns[rank - 1]);
		double p = percentile(permilles[i] / 1000.0);

		assert_true(p >= fine_edge(bucket) / 1e3);
		assert_true(p <=
			    (bucket < ESTAT_FINE_LAST ? fine_edge(bucket + 1) / 1e3 : highest()));
	}
}

static void assert_percentiles_rise(void)
{
	double before = 0;

	for (int i = 1; i < 1000; i++) {
		double p = percentile(i / 1000.0);

		assert_true(p >= before);
		assert_true(p <= highest());
		before = p;
	}
}

static void assert_highest_near(void)
{
	uint64_t bucket = estat_fine_bucket(sample.max);

	assert_true(highest() >= sample.max / 1000.0);
	if (bucket < ESTAT_FINE_LAST)
		assert_true(highest() <= fine_edge(bucket + 1) / 1e3);
}

static void percentiles(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		uint64_t one = 1 + random64() % (12 * SECOND);
		unsigned int n = 1 + random64() % MAX_LATENCIES;

		begin();
		for (unsigned int i = 0; i < n; i++)
			switch (round % 4) {
			case 0: /* latencies of all magnitudes, up to 17 s */
				add(random_magnitude() >> 30);
				break;
			case 1: /* latencies within a factor of two */
				add(one + random64() % one);
				break;
			case 2: /* latencies at two peaks far apart */
				add(random64() % 10 ? one / 1000 : one);
				break;
			case 3: /* latencies on the edges of buckets, and just below */
				add(fine_edge(1 + random64() % ESTAT_FINE_LAST) - random64() % 2);
				break;
			}
		assert_percentiles_near();
		assert_percentiles_rise();
		assert_highest_near();
	}
}

static void percentiles_of_none(void **state)
{
	(void)state;
	begin();
	assert_true(highest() == 0);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 5000, sample.sum) == 0);
	assert_true(percentile(0.5) == 0);
}

static void percentiles_of_one(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < ESTAT_FINE_BUCKETS; b++) {
		begin();
		add(fine_edge(b) + 1);
		assert_percentiles_near();
		assert_percentiles_rise();
		assert_true(highest() == sample.max / 1000.0);
	}
}

/*
 * Nine of ten operations are in a bucket, and one in a later bucket: the 90th percentile is in the
 * first of the two buckets, the 90.1st in the second.
 */
static void percentiles_between_buckets(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 9; i++)
		add(450000);
	add(SECOND);
	assert_true(percentile(0.9) < 460);
	assert_true(percentile(0.901) >= 1e6);
}

static void percentiles_above_ten_seconds(void **state)
{
	(void)state;
	begin();
	for (int i = 1; i <= 1000; i++)
		add(10 * SECOND + i * SECOND / 100);
	assert_int_equal(sample.counts[ESTAT_FINE_LAST], 1000);
	assert_true(highest() == 20e6);
	assert_percentiles_near();
	assert_percentiles_rise();
}

/*
 * All latencies above ten seconds are in one bucket. So only the interval's sum of latencies can
 * tell that the recorded maximum is from before the interval.
 */
static void highest_above_ten_seconds(void **state)
{
	(void)state;
	begin();
	add(450000);
	add(15 * SECOND);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 40 * SECOND, sample.sum) <
		    15.001e6);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 15 * SECOND, sample.sum) ==
		    15e6);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 40 * SECOND, 0) == 40e6);
	add(12 * SECOND);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 40 * SECOND, sample.sum) <
		    17.001e6);
	begin();
	add(23 * SECOND);
	assert_true(percentile(0.5) == 23e6);
}

/*
 * A recorded maximum can be older than the interval. latency_highest() returns such a maximum, too,
 * if it lies in the highest bucket that has operations.
 */
static void highest_of_an_interval(void **state)
{
	(void)state;
	begin();
	add(450000);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 455000, sample.sum) == 455);
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 20 * SECOND, sample.sum) == 460);
	assert_true(latency_percentile(HISTOGRAM_FINE, sample.counts, 0.999, 460) <= 460);
	/*
	 * a recorded maximum of 5 us is not used: it was read before the operation of 450 us was
	 * counted
	 */
	assert_true(latency_highest(HISTOGRAM_FINE, sample.counts, 5000, sample.sum) == 460);
}

/* Percentiles are right if the sum of all counts is near the limit of 64 bits. */
static void percentiles_of_many(void **state)
{
	(void)state;
	begin();
	for (unsigned int b = 0; b < ESTAT_FINE_BUCKETS; b++)
		sample.counts[b] = UINT64_C(1) << 56;
	sample.max = 15 * SECOND;
	assert_percentiles_rise();
	assert_true(percentile(0.5) >= 3000 && percentile(0.5) <= 3300);
}

static double true_deviation(void)
{
	long double mean = 0, variance = 0;

	for (unsigned int i = 0; i < sample.n; i++)
		mean += sample.ns[i];
	mean /= sample.n;
	for (unsigned int i = 0; i < sample.n; i++)
		variance += (sample.ns[i] - mean) * (sample.ns[i] - mean);
	return sqrtl(variance / sample.n) / 1000;
}

static double deviation(void)
{
	unsigned __int128 sumsq = (unsigned __int128)sample.sumsq.hi << 64 | sample.sumsq.lo;

	return latency_deviation(sample.n, sample.sum, sumsq);
}

/* The deviation may be wrong by a billionth of the sum of true deviation and true mean. */
static void means_and_deviations(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		uint64_t mean = random_magnitude() % (10 * SECOND) + 1;
		uint64_t spread = random_magnitude() % (2 * mean) + 1;
		double true_mean;

		begin();
		for (int i = 0; i < MAX_LATENCIES; i++)
			add(mean - spread / 2 + random64() % spread);
		true_mean = (double)sample.sum / sample.n / 1000;
		assert_true(fabs(latency_mean(sample.n, sample.sum) - true_mean) <=
			    1e-12 * true_mean);
		assert_true(fabs(deviation() - true_deviation()) <=
			    1e-9 * (true_deviation() + true_mean));
	}
}

/* The deviation of equal latencies is at most a billionth of the mean. */
static void deviation_of_equals(void **state)
{
	(void)state;
	for (int round = 0; round < 100000; round++) {
		uint64_t ns = random64() % (10 * SECOND) + 1;
		uint64_t n = random_magnitude() % (UINT64_MAX / ns) + 1;
		double mean = ns / 1000.0;

		assert_true(fabs(latency_mean(n, ns * n) - mean) <= 1e-15 * mean);
		assert_true(latency_deviation(n, ns * n, (unsigned __int128)ns * ns * n) <=
			    1e-9 * mean);
	}
}

/* Half of n operations took a, half took b: the deviation is half of the difference. */
static void deviation_of_many(void **state)
{
	const uint64_t a = 10 * SECOND, b = 9 * SECOND, n = 1900000000;
	const unsigned __int128 sumsq =
		((unsigned __int128)a * a + (unsigned __int128)b * b) * (n / 2);
	double d = latency_deviation(n, (a + b) * (n / 2), sumsq);

	(void)state;
	assert_true(fabs(d - 0.5e6) < 1e-3);
	assert_true(fabs(latency_mean(n, (a + b) * (n / 2)) - 9.5e6) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
		cmocka_unit_test(percentiles_of_none),
		cmocka_unit_test(percentiles_of_one),
		cmocka_unit_test(percentiles_between_buckets),
		cmocka_unit_test(percentiles_above_ten_seconds),
		cmocka_unit_test(highest_above_ten_seconds),
		cmocka_unit_test(percentiles_of_many),
		cmocka_unit_test(highest_of_an_interval),
		cmocka_unit_test(means_and_deviations),
		cmocka_unit_test(deviation_of_equals),
		cmocka_unit_test(deviation_of_many),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
