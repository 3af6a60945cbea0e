// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the functions that read lines, values and texts of small files (lib/file.h). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/file.h"
#include "unit.h"

#define NOWHERE "/nonexistent/file"

static char path[] = "/tmp/estat-file.XXXXXX";

static void write_text(const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void lines(void **state)
{
	char line[4] = "old";

	(void)state;
	write_text("one\ntwo\n");
	assert_true(first_line(path, line, sizeof(line)));
	assert_string_equal(line, "one");
	write_text("longer\n");
	assert_true(first_line(path, line, sizeof(line)));
	assert_string_equal(line, "lon");
	write_text("\ntwo\n");
	assert_false(first_line(path, line, sizeof(line)));
	assert_string_equal(line, "");
	assert_false(first_line(NOWHERE, line, sizeof(line)));
}

static void values(void **state)
{
	unsigned int a = 7, b = 7;

	(void)state;
	write_text("x: 1\ny: 2 3\ny: 4 5\n");
	assert_int_equal(scan_lines(path, "y: %u %u", &a, &b), 2);
	assert_int_equal(a, 2);
	assert_int_equal(b, 3);
	assert_int_equal(scan_lines(path, "z: %u", &a), 0);
	assert_int_equal(scan_lines(NOWHERE, "y: %u", &a), 0);
	assert_int_equal(a, 2);
}

static void texts(void **state)
{
	char *text;

	(void)state;
	write_text("one\ntwo\n");
	text = read_text(path);
	assert_string_equal(text, "one\ntwo\n");
	free(text);
	write_text("");
	assert_null(read_text(path));
	assert_null(read_text(NOWHERE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(values),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests_name("file", tests, make_file, remove_file);
}
