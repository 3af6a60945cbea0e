// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the writer of JSON (lib/json.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json.h"
#include "unit.h"

static char *text;
static size_t size;

static struct json begin(const char *comma)
{
	struct json j = { .f = open_memstream(&text, &size), .comma = comma };

	assert_non_null(j.f);
	return j;
}

static void assert_written(struct json *j, const char *expected)
{
	fclose(j->f);
	assert_string_equal(text, expected);
	free(text);
}

static void commas(void **state)
{
	struct json j = begin(NULL);

	(void)state;
	json_begin(&j, NULL, '{');
	json_begin(&j, "none", '[');
	json_end(&j, ']');
	json_begin(&j, "two", '[');
	json_begin(&j, NULL, '[');
	json_put_integer(&j, NULL, UINT64_MAX);
	json_put_raw(&j, NULL, "true");
	json_end(&j, ']');
	json_begin(&j, NULL, '{');
	json_end(&j, '}');
	json_end(&j, ']');
	json_put_string(&j, "text", NULL);
	json_end(&j, '}');
	assert_written(&j, "{\"none\":[],\"two\":[[18446744073709551615,true],{}],\"text\":null}");
	j = begin(", ");
	json_begin(&j, NULL, '{');
	json_put_number(&j, "a", "%.2f", 1.5);
	json_put_number(&j, "b", "%.0f", NAN);
	json_end(&j, '}');
	assert_written(&j, "{\"a\":1.50, \"b\":null}");
}

static void strings(void **state)
{
	struct json j = begin(NULL);

	(void)state;
	json_put_string(&j, NULL, "a\"\\\n\x1f/\xc3\xa9\xff\xe2\x82");
	assert_written(&j, "\"a\\\"\\\\\\u000a\\u001f/\xc3\xa9\\ufffd\\ufffd\\ufffd\"");
	j = begin(NULL);
	json_put_string(&j, "a\"", "");
	assert_written(&j, "\"a\\\"\":\"\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas),
		cmocka_unit_test(strings),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
