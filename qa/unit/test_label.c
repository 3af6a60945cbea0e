// SPDX-License-Identifier: GPL-2.0-or-later
/* The further labels of disks and cgroups (pmda/schema/label.h). */
#include <stdio.h>
#include <stdlib.h>

#include "schema/label.h"
#include "unit.h"

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "kubepods-burstable-pod0a1b2c3d_0123_4567_89ab_0123456789ab.slice"

static void assert_written(void (*put)(struct json *j, const char *text), const char *text,
			   const char *expected)
{
	char *written = NULL;
	size_t size;
	struct json j = { .f = open_memstream(&written, &size) };

	assert_non_null(j.f);
	put(&j, text);
	fclose(j.f);
	assert_string_equal(written, expected);
	free(written);
}

static void cgroups(void **state)
{
	(void)state;
	assert_written(put_cgroup_labels, "/", "");
	assert_written(put_cgroup_labels, "none", "");
	assert_written(put_cgroup_labels, "/init", "");
	assert_written(put_cgroup_labels, "/user.slice/user-0.slice/session-1.scope",
		       "\"unit\":\"session-1.scope\"");
	assert_written(put_cgroup_labels, "/system.slice/a.service/worker",
		       "\"unit\":\"a.service\"");
	assert_written(put_cgroup_labels, "/.slice/a.services", "");
	assert_written(put_cgroup_labels, "/docker/" ID, "\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/docker/" ID "0", "");
	assert_written(put_cgroup_labels,
		       "/kubepods.slice/" POD "/cri-containerd-" ID ".scope/init",
		       "\"unit\":\"cri-containerd-" ID ".scope\",\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/a\"b.service", "\"unit\":\"a\\\"b.service\"");
}

/* Disks of device mapper and md arrays are tested in the lab. */
static void disks(void **state)
{
	(void)state;
	assert_written(put_device_labels, "none", "");
	assert_written(put_device_labels, "8:0", "\"device_name\":\"8:0\"");
	assert_written(put_device_labels, "mdx", "\"device_name\":\"mdx\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups),
		cmocka_unit_test(disks),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
