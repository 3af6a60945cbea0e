// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the short texts that lib/format.h makes of numbers, times and sizes. */
#include <math.h>

#include "lib/format.h"
#include "unit.h"

static void assert_number(double n, int digits, int most, const char *expected)
{
	char text[FORMAT_LEN];

	format_number(text, n, digits, most);
	assert_string_equal(text, expected);
}

static void numbers(void **state)
{
	(void)state;
	assert_number(NAN, 3, 5, "-");
	assert_number(0, 3, 5, "0");
	assert_number(0.00049, 3, 5, "0.000");
	assert_number(0.99949, 3, 5, "0.999");
	assert_number(0.9995, 3, 5, "1.00");
	assert_number(9.994, 3, 5, "9.99");
	assert_number(9.995, 3, 5, "10.0");
	assert_number(99.951, 3, 5, "100");
	assert_number(99999.4, 3, 5, "99999");
	assert_number(99999.6, 3, 5, "100k");
	assert_number(0.994, 2, 6, "0.99");
	assert_number(9.94, 2, 6, "9.9");
	assert_number(1e18, 2, 1, "1000000T");
}

static void figures(void **state)
{
	char text[FORMAT_LEN];

	(void)state;
	format_figure(text, 0.004, 6);
	assert_string_equal(text, "0");
	format_figure(text, 0.005, 6);
	assert_string_equal(text, "0.01");
	format_figure(text, 0.995, 6);
	assert_string_equal(text, "1");
	format_figure(text, 1234567, 6);
	assert_string_equal(text, "1235k");
}

static void latencies(void **state)
{
	char text[FORMAT_LEN];

	(void)state;
	assert_string_equal(format_latency(text, NAN, 3), "-");
	assert_string_equal(format_latency(text, 0, 0), "0us");
	assert_string_equal(format_latency(text, 999.4, 3), "999us");
	assert_string_equal(format_latency(text, 2500, 3), "2.5ms");
	assert_string_equal(format_latency(text, 2040, 2), "2ms");
	assert_string_equal(format_latency(text, 2040, 0), "2.0ms");
	assert_string_equal(format_latency(text, 9960, 0), "10ms");
	assert_string_equal(format_latency(text, 3e9, 3), "3000s");
}

static void sizes(void **state)
{
	char text[FORMAT_LEN];

	(void)state;
	assert_string_equal(format_size(text, 1023), "1023");
	assert_string_equal(format_size(text, 1024), "1K");
	assert_string_equal(format_size(text, UINT64_MAX), "17179869183G");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(figures),
		cmocka_unit_test(latencies),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
