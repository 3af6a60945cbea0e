// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which settings pmda/load/config.h reads from an estat.conf, and what it logs of errors. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/config.h"
#include "unit.h"

#define CONF "estat.conf"
#define LOG  "log"

/* Each test runs in a folder of its own; stderr goes to a file there. */
static char folder[32];
static int real_stderr;

static int begin(void **state)
{
	int log;

	(void)state;
	strcpy(folder, "/tmp/estat-unit.XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	log = open(LOG, O_WRONLY | O_CREAT | O_APPEND, 0600);
	real_stderr = dup(STDERR_FILENO);
	return dup2(log, STDERR_FILENO) < 0 || close(log);
}

static int end(void **state)
{
	(void)state;
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	remove(CONF);
	return unlink(LOG) || chdir("/") || rmdir(folder);
}

/*
 * Compare what was logged since the last call, without the
 * start of each line: "[Mon Jan 1 00:00:00] name(1) Error: ".
 */
static void assert_logged(const char *expected)
{
	char line[1024], logged[4096] = "";
	FILE *log = fopen(LOG, "r");

	assert_non_null(log);
	while (fgets(line, sizeof(line), log)) {
		const char *text = strstr(line, ") Error: ");

		assert_non_null(text);
		strcat(logged, text + strlen(") Error: "));
	}
	fclose(log);
	assert_int_equal(truncate(LOG, 0), 0);
	assert_string_equal(logged, expected);
}

static struct config *read_text(const char *text)
{
	FILE *f = fopen(CONF, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return config_read(CONF, false);
}

static long number(struct config *c)
{
	return config_number(c, "m", "keys", 1, 1000, 42);
}

static void settings(void **state)
{
	struct config *c = read_text("# a comment\n"
				     "[agent]\n"
				     "modules=/a/b c\n"
				     "\n"
				     "; another\n"
				     "[m]\n"
				     "keys = 7 ; and one more\n"
				     "latency_by_size = on\n"
				     "enabled = off\n"
				     "[n]\n"
				     "latency_by_size = off\n"
				     "enabled = on\n"
				     "[o]\n"
				     "enabled = auto");

	(void)state;
	assert_string_equal(config_text(c, "agent", "modules", "/default"), "/a/b c");
	assert_int_equal(number(c), 7);
	assert_true(config_flag(c, "m", "latency_by_size", false));
	assert_false(config_flag(c, "n", "latency_by_size", true));
	assert_int_equal(config_switch(c, "m", "enabled"), SWITCH_OFF);
	assert_int_equal(config_switch(c, "n", "enabled"), SWITCH_ON);
	assert_int_equal(config_switch(c, "o", "enabled"), SWITCH_AUTO);
	config_report_unknown(c);
	assert_logged("");
	config_free(c);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = { { "20us", 20000 },     { "100ms", 100000000 },
		      { "2 s", 2000000000 }, { "off", 0 },
		      { "5", 42 },           { "0s", 42 },
		      { "1min", 42 },        { "-1s", 42 },
		      { "+1s", 42 },         { "4294967296s", 42 } };
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config *c;

		snprintf(text, sizeof(text), "[m]\nslow = %s\n", cases[i].text);
		c = read_text(text);
		assert_int_equal(config_time(c, "m", "slow", 42), cases[i].ns);
		config_free(c);
	}
}

static void assert_defaults(struct config *c)
{
	assert_string_equal(config_text(c, "agent", "modules", "/default"), "/default");
	assert_int_equal(number(c), 42);
	assert_true(config_flag(c, "m", "latency_by_size", true));
	assert_false(config_flag(c, "m", "latency_by_size", false));
	assert_int_equal(config_switch(c, "m", "enabled"), SWITCH_AUTO);
	config_report_unknown(c);
	config_free(c);
}

static void empty(void **state)
{
	(void)state;
	assert_defaults(read_text(""));
	assert_defaults(read_text("\n\n# nothing\n[m]\n"));
	assert_logged("");
}

static void missing(void **state)
{
	(void)state;
	assert_defaults(config_read(CONF, true));
	assert_logged("");
	assert_defaults(config_read(CONF, false));
	assert_logged("estat.conf: No such file or directory: the defaults are used\n");
}

/* If estat.conf cannot be read, all modules are off, because the file may switch off any module. */
static void unreadable(void **state)
{
	static const char error[] = "log/estat.conf: Not a directory";
	struct config *c = config_read("log/estat.conf", true);

	(void)state;
	assert_string_equal(config_error(c), error);
	assert_int_equal(config_switch(c, "m", "enabled"), SWITCH_OFF);
	config_free(c);
	c = config_read(".", false);
	assert_string_equal(config_error(c), ".: Is a directory");
	assert_int_equal(config_switch(c, "m", "enabled"), SWITCH_OFF);
	config_free(c);
	assert_logged(""); /* config_read() leaves it to the agent to log config_error() */
}

static void last_one_wins(void **state)
{
	struct config *c = read_text("[m]\nkeys = 1\nkeys = 2\n[n]\nkeys = 3\n[m]\nkeys = 4\n");

	(void)state;
	assert_int_equal(number(c), 4);
	assert_int_equal(config_number(c, "n", "keys", 1, 1000, 42), 3);
	config_report_unknown(c);
	assert_logged("");
	config_free(c);
}

static void numbers(void **state)
{
	static const char *const bad[] = { "0",    "1001", "-1",  "1e2",
					   "0x10", "ten",  "1 2", "99999999999999999999" };
	struct config *c;

	(void)state;
	c = read_text("[m]\nkeys = 1\n");
	assert_int_equal(number(c), 1);
	config_free(c);
	c = read_text("[m]\nkeys = 1000\n");
	assert_int_equal(number(c), 1000);
	config_free(c);
	assert_logged("");
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[128], expected[256];

		snprintf(text, sizeof(text), "[m]\n\nkeys = %s\n", bad[i]);
		snprintf(expected, sizeof(expected),
			 "estat.conf:3: [m] keys = %s: expected a number from 1 to 1000: skipped\n",
			 bad[i]);
		c = read_text(text);
		assert_int_equal(number(c), 42);
		config_report_unknown(c);
		assert_logged(expected);
		config_free(c);
	}
}

static void bad_values(void **state)
{
	struct config *c = read_text("[m]\nenabled = yes\nlatency_by_size = 1\nkeys =\n");

	(void)state;
	assert_int_equal(config_switch(c, "m", "enabled"), SWITCH_AUTO);
	assert_true(config_flag(c, "m", "latency_by_size", true));
	assert_int_equal(config_number(c, "m", "keys", 0, 1000, 42), 42);
	config_report_unknown(c);
	assert_logged("estat.conf:2: [m] enabled = yes: expected on, off or auto: skipped\n"
		      "estat.conf:3: [m] latency_by_size = 1: expected on or off: skipped\n"
		      "estat.conf:4: [m] keys = : expected a number from 0 to 1000: skipped\n");
	config_free(c);
}

static void unknown(void **state)
{
	struct config *c = read_text("loose = 1\n[m]\nkeys = 5\nkeyz = 5\n[x]\nkeys = 5\n");

	(void)state;
	assert_int_equal(number(c), 5);
	config_report_unknown(c);
	assert_logged("estat.conf:1: unknown section or key [] loose: skipped\n"
		      "estat.conf:4: unknown key [m] keyz: skipped\n"
		      "estat.conf:6: unknown section or key [x] keys: skipped\n");
	config_free(c);
}

/*
 * config_complaint() names no setting that was read, and none in a section given to config_leave().
 */
static void complaint(void **state)
{
	struct config *c = read_text("[m]\nkeys = 5\n[x]\nkeys = 5\nkeyz = 5\n");

	(void)state;
	assert_int_equal(number(c), 5);
	assert_string_equal(config_complaint(c),
			    "estat.conf:4: unknown section or key [x] keys: skipped");
	assert_int_equal(config_number(c, "x", "keys", 1, 1000, 42), 5);
	assert_string_equal(config_complaint(c), "estat.conf:5: unknown key [x] keyz: skipped");
	config_leave(c, "x");
	assert_string_equal(config_complaint(c), "");
	config_report_unknown(c);
	assert_logged("");
	config_free(c);
}

static void malformed(void **state)
{
	struct config *c = read_text("[m]\nkeys 5\nkeys = 6\n[n\n");

	(void)state;
	assert_logged("estat.conf:2: neither [section] nor key = value: skipped\n"
		      "estat.conf:4: neither [section] nor key = value: skipped\n");
	assert_int_equal(number(c), 6);
	config_free(c);
}

static void carriage_returns(void **state)
{
	struct config *c = read_text("[m]\r\nkeys = 5\r\n\r\nlatency_by_size = on\r\nx = 1\r\n");

	(void)state;
	assert_int_equal(number(c), 5);
	assert_true(config_flag(c, "m", "latency_by_size", false));
	config_report_unknown(c);
	assert_logged("estat.conf:5: unknown key [m] x: skipped\n");
	config_free(c);
}

/* A line of 199 bytes with its newline, the longest that libinih takes, is read as one line. */
static void long_value(void **state)
{
	char text[256], value[191];
	struct config *c;

	(void)state;
	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	snprintf(text, sizeof(text), "[agent]\nmodules=%s\nx = 1\n", value);
	c = read_text(text);
	assert_string_equal(config_text(c, "agent", "modules", ""), value);
	config_report_unknown(c);
	assert_logged("estat.conf:3: unknown key [agent] x: skipped\n");
	config_free(c);
}

static void long_comment(void **state)
{
	char text[2048];
	struct config *c;

	(void)state;
	snprintf(text, sizeof(text), "#%01000d\n[m]\nkeys = 5\nx = 1\n", 0);
	c = read_text(text);
	assert_int_equal(number(c), 5);
	config_report_unknown(c);
	assert_logged("estat.conf:4: unknown key [m] x: skipped\n");
	config_free(c);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settings),
		TEST(times),
		TEST(empty),
		TEST(missing),
		TEST(unreadable),
		TEST(last_one_wins),
		TEST(numbers),
		TEST(bad_values),
		TEST(unknown),
		TEST(malformed),
		TEST(carriage_returns),
		TEST(long_value),
		TEST(long_comment),
		TEST(complaint),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
