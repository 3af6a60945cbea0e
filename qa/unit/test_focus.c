// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which texts set a focus, to a process or to nothing, and which not (pmda/load/focus.h). */
#include "load/focus.h"
#include "unit.h"

static struct focus focus;

static void test_taken(void **state)
{
	(void)state;
	assert_true(focus_set(&focus, "pid 1"));
	assert_int_equal(focus.of.pid, 1);
	assert_true(focus_set(&focus, "pid 4194304"));
	assert_int_equal(focus.of.pid, 4194304);
	assert_true(focus_set(&focus, ""));
	assert_int_equal(focus.of.pid, 0);
}

/* focus_set() refuses each of these texts, and leaves the focus as it was. */
static void test_refused(void **state)
{
	static const char *const bad[] = {
		"pid 0",
		"pid -1",
		"pid +1",
		"pid  1",
		"pid 1 2",
		"pid 4294967297",
		"pid 1000000000000000000000",
		"pid 1x",
		"pid ",
		"pid",
		"1",
		"pids 1",
		"cgroup",
		"cgroup x",
		"cgroup /no/such",
		" ",
	};

	(void)state;
	assert_true(focus_set(&focus, "pid 7"));
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(focus_set(&focus, bad[i]));
		assert_string_equal(focus.text, "pid 7");
		assert_int_equal(focus.of.pid, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
