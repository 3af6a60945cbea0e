// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that the sums that modules keep (bpf/sum.h) are exact and do not overflow, with one writer
 * and with several at once.
 */
#include <pthread.h>

#include "sum.h"
#include "unit.h"

#define WRITERS 4
#define ADDS    200000

typedef unsigned __int128 wide;

static wide value_of(const estat_sumsq_t *sum)
{
	return (wide)sum->hi << 64 | sum->lo;
}

static estat_sumsq_t sum_of(wide value)
{
	return (estat_sumsq_t){ .lo = value, .hi = value >> 64 };
}

static void assert_square(uint64_t ns, wide before)
{
	for (int shared = 0; shared < 2; shared++) {
		estat_sumsq_t sum = sum_of(before);

		estat_sum_add_square(&sum, ns, shared);
		assert_true(value_of(&sum) == before + (wide)ns * ns);
	}
}

/*
 * Add the squares of powers of two, of the numbers one below and above them, and of random numbers
 * to sums. Some additions carry into the upper 64 bits.
 */
static void squares(void **state)
{
	(void)state;
	for (int bit = 0; bit < 64; bit++)
		for (int off = -1; off <= 1; off++) {
			uint64_t ns = (UINT64_C(1) << bit) + off;

			assert_square(ns, 0);
			assert_square(ns, UINT64_MAX);
			assert_square(ns, (wide)1 << 64);
		}
	assert_square(UINT64_MAX, 0);
	for (int i = 0; i < 1000000; i++)
		assert_square(random_magnitude(), (wide)random_magnitude() << 32);
}

/* A sum of squares holds ten years of latencies of 10 s, 10 million a second. */
static void ten_years(void **state)
{
	const uint64_t ns = UINT64_C(10) * 1000000000;
	const uint64_t n = UINT64_C(10000000) * 60 * 60 * 24 * 3653;
	const wide square = (wide)ns * ns;

	(void)state;
	assert_true(square <= ~(wide)0 / n);
	assert_square(ns, square * (n - 1));
}

static void a_long_run(void **state)
{
	estat_sumsq_t sum = { 0, 0 };
	wide expected = 0;

	(void)state;
	for (int i = 0; i < 10000000; i++) {
		uint64_t ns = random64() % (UINT64_C(10) * 1000000000);

		estat_sum_add_square(&sum, ns, i & 1);
		expected += (wide)ns * ns;
	}
	assert_true(value_of(&sum) == expected);
}

static struct {
	estat_u64 counter;
	estat_max_t max;
	estat_sumsq_t sum;
} shared_value;

static void *writer(void *random)
{
	const uint64_t *ns = random;

	for (int i = 0; i < ADDS; i++) {
		estat_counter_add(&shared_value.counter, ns[i], true);
		estat_sum_add_square(&shared_value.sum, ns[i], true);
		estat_max_raise(&shared_value.max, ns[i], true);
	}
	return NULL;
}

static void several_writers(void **state)
{
	static uint64_t ns[WRITERS][ADDS];
	pthread_t threads[WRITERS];
	estat_u64 counter = 0;
	wide sum = 0;

	(void)state;
	for (int i = 0; i < WRITERS; i++)
		for (int j = 0; j < ADDS; j++) {
			/* some squares carry into the sum's upper 64 bits, most do not */
			ns[i][j] = random_magnitude() >> 8;
			counter += ns[i][j];
			sum += (wide)ns[i][j] * ns[i][j];
		}
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, writer, ns[i]), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(shared_value.counter, counter);
	assert_true(value_of(&shared_value.sum) == sum);
}

static void maximum(void **state)
{
	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		estat_max_t max = 0;

		estat_max_raise(&max, 5, shared);
		assert_int_equal(max, 5);
		estat_max_raise(&max, 4, shared);
		assert_int_equal(max, 5);
		estat_max_raise(&max, 6, shared);
		assert_int_equal(max, 6);
		estat_max_raise(&max, UINT64_MAX, shared);
		assert_true(max == UINT64_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(squares),         cmocka_unit_test(ten_years),
		cmocka_unit_test(a_long_run),      cmocka_unit_test(maximum),
		cmocka_unit_test(several_writers),
	};

	return cmocka_run_group_tests_name("sum", tests, NULL, NULL);
}
