// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that the kernel has (pmda/symbol.h), whatever the length of their names.
 */
#include <string.h>

#include "symbol.h"
#include "unit.h"

static void test_there(void **state)
{
	(void)state;
	symbol_want("vfs_read");
	assert_true(symbol_exists("vfs_read"));
	assert_true(symbol_exists("vfs_write"));
	assert_false(symbol_exists("vfs_rea"));
	assert_false(symbol_exists("vfs_read_not_at_all"));
	symbol_forget();
	assert_true(symbol_exists("vfs_read"));
	symbol_forget();
}

/* Linux has names of up to 511 characters; what an object names may be longer. */
static void test_long(void **state)
{
	char name[2000];

	(void)state;
	for (size_t length = 60; length < sizeof(name); length += length < 68 ? 1 : 97) {
		memset(name, 'a', length);
		name[length] = '\0';
		symbol_want(name);
		assert_false(symbol_exists(name));
	}
	assert_true(symbol_exists("vfs_read"));
	symbol_forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("symbol", tests, NULL, NULL);
}
