// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the text of the details that estat_walk has stored of an operation (pmda/serve/told.h). */
#include <stdlib.h>

#include "serve/told.h"
#include "unit.h"

#define WALK 7 /* the stamp of the walk: when it ran */

static struct estat_all_told all = { .walk = WALK, .n = 1 };

/* Check the text of `told`, the only operation of the walk. `expected` NULL: there is no text. */
static void assert_told(const struct estat_told *told, const char *expected)
{
	const uint64_t oldest[] = { WALK, 1 };
	const struct field field = { .word = 0 };
	struct module module = { .now.memory.told = &all, .now.programs.walk = WALK };
	const struct series series = { .module = &module };
	char *text;

	all.operations[0] = *told;
	text = told_text(&series, &field, oldest);
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void words(void **state)
{
	(void)state;
	assert_told(&(struct estat_told){ .sector = 1,
					  .bytes = 4096,
					  .pid = 71,
					  .command = "dd",
					  .file = "a b",
					  .cgroup = "/a" },
		    "sector=0 bytes=4096 pid=71 command=dd file=a\\040b cgroup=/a");
	assert_told(&(struct estat_told){}, NULL);
}

/*
 * Control characters, and a \ before three octal digits, become \NNN, and then each \ becomes \134.
 * A reader who turns \134 into \ gets \NNN as in instance names, and no control character.
 */
static void control_characters(void **state)
{
	(void)state;
	assert_told(&(struct estat_told){ .command = "c\033[7m",
					  .file = "a\nb\\n\\012",
					  .cgroup = "/\x7f" },
		    "command=c\\134033[7m file=a\\134012b\\134n\\134134012 cgroup=/\\134177");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(control_characters),
	};

	return cmocka_run_group_tests_name("told", tests, NULL, NULL);
}
