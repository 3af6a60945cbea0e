// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests when the agent acts on changes of estat.conf and of the modules' folder (pmda/watch.h). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"
#include "watch.h"

/* The most that watch_wait() may return after a change: 0.3 s, as pmdaestat(1) says, rounded up. */
#define QUIET_MS 301

static char folder[] = "/tmp/estat-unit.XXXXXX";
static char config[64], module[64], other[64];

static void write_file(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("[agent]\n", f);
	fclose(f);
}

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(config, sizeof(config), "%s/estat.conf", folder);
	snprintf(module, sizeof(module), "%s/churn.bpf.o", folder);
	snprintf(other, sizeof(other), "%s/estat.log", folder);
	watch_begin(folder, config);
	return watch_fd() < 0;
}

static int end(void **state)
{
	(void)state;
	watch_end();
	unlink(config);
	unlink(module);
	unlink(other);
	return rmdir(folder);
}

/* Wait until files have been quiet for so long that the agent acts on their changes. */
static void wait_until_quiet(void)
{
	for (int ms; (ms = watch_wait());) {
		assert_true(ms >= 1 && ms <= QUIET_MS);
		usleep(1000 * ms);
	}
}

static void module_changes(void **state)
{
	(void)state;
	assert_int_equal(watch_wait(), -1);
	write_file(module);
	watch_read();
	wait_until_quiet();
	assert_true(watch_changed("churn.bpf.o"));
	assert_false(watch_changed("bio.bpf.o"));
	assert_false(watch_configured());
	watch_done();
	assert_int_equal(watch_wait(), -1);
}

static void settings_change(void **state)
{
	(void)state;
	write_file(config);
	watch_read();
	wait_until_quiet();
	assert_true(watch_configured());
	assert_false(watch_any());
	watch_done();
}

/* A file counts as changed only after its writer has closed it, however long the writing takes. */
static void file_is_written(void **state)
{
	FILE *f = fopen(module, "a");

	(void)state;
	assert_non_null(f);
	fputs("more", f);
	fflush(f);
	watch_read();
	assert_int_equal(watch_wait(), -1);
	assert_false(watch_changed("churn.bpf.o"));
	fclose(f);
	watch_read();
	wait_until_quiet();
	assert_true(watch_changed("churn.bpf.o"));
	watch_done();
}

static void other_file_changes(void **state)
{
	(void)state;
	write_file(other);
	watch_read();
	assert_int_equal(watch_wait(), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(module_changes),
		cmocka_unit_test(settings_change),
		cmocka_unit_test(file_is_written),
		cmocka_unit_test(other_file_changes),
	};

	return cmocka_run_group_tests_name("watch", tests, begin, end);
}
