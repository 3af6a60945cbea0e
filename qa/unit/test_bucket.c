// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that modules count in the buckets (bpf/bucket.h) that the agent names (lib/histogram.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"
#include "lib/histogram.h"
#include "unit.h"

#define NS_PER_US UINT64_C(1000)
#define SECOND    UINT64_C(1000000000)

static unsigned int latency_bucket(uint64_t ns)
{
	return estat_latency_bucket(estat_fine_bucket(ns));
}

static void latency_edges(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
		uint64_t edge = bucket_edge(HISTOGRAM_LATENCY, b) * NS_PER_US;

		if (b)
			assert_int_equal(latency_bucket(edge - 1), b - 1);
		assert_int_equal(latency_bucket(edge), b);
		assert_int_equal(latency_bucket(edge + 1), b);
	}
	assert_int_equal(bucket_edge(HISTOGRAM_LATENCY, ESTAT_LATENCY_LAST) * NS_PER_US,
			 ESTAT_LATENCY_INF_NS);
	assert_int_equal(latency_bucket(UINT64_MAX), ESTAT_LATENCY_LAST);
}

static void fine_edges(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < ESTAT_FINE_BUCKETS; b++) {
		uint64_t edge = fine_edge(b);

		if (b)
			assert_int_equal(estat_fine_bucket(edge - 1), b - 1);
		assert_int_equal(estat_fine_bucket(edge), b);
		assert_int_equal(estat_fine_bucket(edge + 1), b);
	}
	assert_int_equal(fine_edge(ESTAT_FINE_LAST), ESTAT_LATENCY_INF_NS);
	assert_int_equal(estat_fine_bucket(UINT64_MAX), ESTAT_FINE_LAST);
}

/* An exported bucket consists of whole fine buckets, and begins at the lower edge of the first. */
static void fine_ones_fold(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
		assert_int_equal(fine_edge(fine_first(b)),
				 bucket_edge(HISTOGRAM_LATENCY, b) * NS_PER_US);
		for (unsigned int i = fine_first(b); i < fine_first(b + 1); i++)
			assert_int_equal(estat_latency_bucket(i), b);
	}
	assert_int_equal(fine_first(ESTAT_LATENCY_BUCKETS), ESTAT_FINE_BUCKETS);
}

/* Modules find the bucket of a latency below a second by reciprocals: check every nanosecond. */
static void latency_below_a_second(void **state)
{
	uint64_t ns = 0, wrong = 0;

	(void)state;
	for (unsigned int b = 0; ns < SECOND; b++) {
		uint64_t end = fine_edge(b + 1);

		for (; ns < end; ns++)
			wrong += estat_fine_bucket(ns) != b;
	}
	assert_int_equal(ns, SECOND);
	assert_int_equal(wrong, 0);
}

static void latency_from_a_second(void **state)
{
	(void)state;
	for (int i = 0; i < 10000000; i++) {
		uint64_t ns = SECOND + random_magnitude() / 2;
		uint64_t seconds = ns / SECOND;
		unsigned int b = estat_fine_bucket(ns);

		assert_int_equal(latency_bucket(ns),
				 seconds < 10 ? 54 + seconds : ESTAT_LATENCY_LAST);
		assert_true(ns >= fine_edge(b));
		assert_true(b == ESTAT_FINE_LAST || ns < fine_edge(b + 1));
	}
}

static void size_edges(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < ESTAT_SIZE_BUCKETS; b++) {
		uint64_t edge = bucket_edge(HISTOGRAM_SIZE, b);

		if (b)
			assert_int_equal(estat_size_bucket(edge - 1), b - 1);
		assert_int_equal(estat_size_bucket(edge), b);
		/* buckets 0 and 1 hold one number each */
		assert_int_equal(estat_size_bucket(edge + 1), b < 2 ? b + 1 : b);
	}
	assert_int_equal(estat_size_bucket(UINT64_MAX), ESTAT_SIZE_LAST);
}

static unsigned int true_size_bucket(uint64_t bytes)
{
	unsigned int bits = bytes ? 64 - __builtin_clzll(bytes) : 0;

	return bits < ESTAT_SIZE_LAST ? bits : ESTAT_SIZE_LAST;
}

static void sizes(void **state)
{
	(void)state;
	for (uint64_t bytes = 0; bytes < 1 << 20; bytes++)
		assert_int_equal(estat_size_bucket(bytes), true_size_bucket(bytes));
	for (int i = 0; i < 10000000; i++) {
		uint64_t bytes = random_magnitude();

		assert_int_equal(estat_size_bucket(bytes), true_size_bucket(bytes));
	}
}

static void assert_names(enum histogram kind, unsigned int bucket, const char *name, const char *le)
{
	char text[BUCKET_NAME_LEN];

	bucket_name(kind, bucket, text);
	assert_string_equal(text, name);
	bucket_le(kind, bucket, text);
	assert_string_equal(text, le);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(histogram_buckets(HISTOGRAM_LATENCY), ESTAT_LATENCY_BUCKETS);
	assert_names(HISTOGRAM_LATENCY, 0, "0-1", "1");
	assert_names(HISTOGRAM_LATENCY, 1, "1-2", "2");
	assert_names(HISTOGRAM_LATENCY, 9, "9-10", "10");
	assert_names(HISTOGRAM_LATENCY, 10, "10-20", "20");
	assert_names(HISTOGRAM_LATENCY, 22, "400-500", "500");
	assert_names(HISTOGRAM_LATENCY, 63, "9000000-10000000", "10000000");
	assert_names(HISTOGRAM_LATENCY, 64, "10000000-inf", "+Inf");

	assert_int_equal(histogram_buckets(HISTOGRAM_FINE), ESTAT_FINE_BUCKETS);
	assert_names(HISTOGRAM_FINE, 0, "0-1", "1");
	assert_names(HISTOGRAM_FINE, 1, "1-1.1", "1.1");
	assert_names(HISTOGRAM_FINE, 30, "9-10", "10");
	assert_names(HISTOGRAM_FINE, 31, "10-11", "11");
	assert_names(HISTOGRAM_FINE, 77, "330-360", "360");
	assert_names(HISTOGRAM_FINE, 210, "9000000-10000000", "10000000");
	assert_names(HISTOGRAM_FINE, 211, "10000000-inf", "+Inf");

	assert_int_equal(histogram_buckets(HISTOGRAM_SIZE), ESTAT_SIZE_BUCKETS);
	assert_names(HISTOGRAM_SIZE, 0, "0-1", "1");
	assert_names(HISTOGRAM_SIZE, 1, "1-2", "2");
	assert_names(HISTOGRAM_SIZE, 13, "4096-8192", "8192");
	assert_names(HISTOGRAM_SIZE, 30, "536870912-1073741824", "1073741824");
	assert_names(HISTOGRAM_SIZE, 31, "1073741824-inf", "+Inf");

	assert_int_equal(histogram_buckets(HISTOGRAM_BELOW), 23);
	assert_names(HISTOGRAM_BELOW, 0, "0-1e-06", "1e-06");
	assert_names(HISTOGRAM_BELOW, 2, "0-5e-06", "5e-06");
	assert_names(HISTOGRAM_BELOW, 6, "0-0.0001", "0.0001");
	assert_names(HISTOGRAM_BELOW, 21, "0-10", "10");
	assert_names(HISTOGRAM_BELOW, 22, "0-inf", "+Inf");
}

/* The fine buckets that a cumulative bucket sums end exactly at that bucket's label le. */
static void cumulative_ones_end_at_their_edge(void **state)
{
	(void)state;
	for (unsigned int b = 0; b < histogram_buckets(HISTOGRAM_BELOW) - 1; b++) {
		char le[BUCKET_NAME_LEN];

		bucket_le(HISTOGRAM_BELOW, b, le);
		assert_int_equal(fine_edge(fine_below(b)), llround(strtod(le, NULL) * 1e9));
	}
	assert_int_equal(fine_below(22), ESTAT_FINE_BUCKETS);
}

/*
 * By its name, each bucket begins where the bucket before it ends. Cumulative buckets are not
 * tested: all of them begin at 0.
 */
static void names_leave_no_gap(void **state)
{
	(void)state;
	for (int kind = HISTOGRAM_LATENCY; kind <= HISTOGRAM_FINE; kind++) {
		char end[BUCKET_NAME_LEN] = "0", name[BUCKET_NAME_LEN];

		for (unsigned int b = 0; b < histogram_buckets(kind); b++) {
			size_t length = strlen(end);

			bucket_name(kind, b, name);
			assert_memory_equal(name, end, length);
			assert_int_equal(name[length], '-');
			strcpy(end, name + length + 1);
		}
		assert_string_equal(end, "inf");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latency_edges),
		cmocka_unit_test(fine_edges),
		cmocka_unit_test(fine_ones_fold),
		cmocka_unit_test(latency_below_a_second),
		cmocka_unit_test(latency_from_a_second),
		cmocka_unit_test(size_edges),
		cmocka_unit_test(sizes),
		cmocka_unit_test(names),
		cmocka_unit_test(names_leave_no_gap),
		cmocka_unit_test(cumulative_ones_end_at_their_edge),
	};

	return cmocka_run_group_tests_name("bucket", tests, NULL, NULL);
}
