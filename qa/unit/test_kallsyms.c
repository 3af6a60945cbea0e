// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the look-up of kernel symbols (pmda/load/kallsyms.h), with names of any length. */
#include <string.h>

#include "load/kallsyms.h"
#include "unit.h"

static void test_there(void **state)
{
	(void)state;
	kallsyms_want("vfs_read");
	assert_true(kallsyms_is_function("vfs_read"));
	assert_true(kallsyms_is_function("vfs_write"));
	assert_false(kallsyms_is_function("vfs_rea"));
	assert_false(kallsyms_is_function("vfs_read_not_at_all"));
	kallsyms_forget();
	assert_true(kallsyms_is_function("vfs_read"));
	kallsyms_free();
}

/* Needs root, because the kernel can hide addresses from other users. */
static void test_address(void **state)
{
	uint64_t address = kallsyms_address("vfs_read");

	(void)state;
	assert_true(address >> 63);
	assert_int_equal(kallsyms_address("vfs_read"), address);
	assert_int_equal(kallsyms_address("vfs_read_not_at_all"), 0);
	kallsyms_free();
}

/*
 * Linux has names of at most 511 characters. A longer name, for which an object may ask, is not
 * found.
 */
static void test_long(void **state)
{
	char name[2000];

	(void)state;
	for (size_t length = 60; length < sizeof(name); length += length < 68 ? 1 : 97) {
		memset(name, 'a', length);
		name[length] = '\0';
		kallsyms_want(name);
		assert_false(kallsyms_is_function(name));
	}
	assert_true(kallsyms_is_function("vfs_read"));
	kallsyms_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
