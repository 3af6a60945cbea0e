// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests the labels that a key gets, beside those of its axes, from its disk or cgroup
 * (pmda/schema/label.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static void containers(void **state)
{
	(void)state;
	assert_written(put_cgroup_labels, "/machine.slice/libpod-" ID ".scope/container",
		       "\"unit\":\"libpod-" ID ".scope\",\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/machine.slice/libpod-conmon-" ID ".scope",
		       "\"unit\":\"libpod-conmon-" ID ".scope\"");
	assert_written(put_cgroup_labels, "/kubepods.slice/crio-" ID ".scope",
		       "\"unit\":\"crio-" ID ".scope\",\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/kubepods.slice/crio-conmon-" ID ".scope",
		       "\"unit\":\"crio-conmon-" ID ".scope\"");
	assert_written(put_cgroup_labels, "/system.slice/docker-" ID ".scope/init.scope",
		       "\"unit\":\"init.scope\",\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/k8s.io/" ID, "\"container\":\"" ID "\"");
	assert_written(put_cgroup_labels, "/lxc.payload.web/system.slice/a.service",
		       "\"unit\":\"a.service\",\"container\":\"web\"");
	assert_written(put_cgroup_labels, "/lxc.monitor.web", "");
	assert_written(put_cgroup_labels, "/lxc/101/ns/init.scope",
		       "\"unit\":\"init.scope\",\"container\":\"101\"");
	assert_written(put_cgroup_labels, "/lxc", "");
	assert_written(put_cgroup_labels, "/machine.slice/machine-a\\x2db.scope",
		       "\"unit\":\"machine-a\\\\x2db.scope\",\"container\":\"a-b\"");
	assert_written(put_cgroup_labels, "/machine.slice/systemd-nspawn@deb.service/payload",
		       "\"unit\":\"systemd-nspawn@deb.service\",\"container\":\"deb\"");
	assert_written(put_cgroup_labels, "/machine.slice/machine-lxc\\x2d12\\x2dweb.scope",
		       "\"unit\":\"machine-lxc\\\\x2d12\\\\x2dweb.scope\",\"container\":\"web\"");
	assert_written(put_cgroup_labels, "/machine/lxc-12-web.libvirt-lxc",
		       "\"container\":\"web\"");
}

static void machines(void **state)
{
	(void)state;
	assert_written(put_cgroup_labels,
		       "/machine.slice/machine-qemu\\x2d1\\x2dbig\\x2ddb.scope/libvirt/vcpu0",
		       "\"unit\":\"machine-qemu\\\\x2d1\\\\x2dbig\\\\x2ddb.scope\","
		       "\"vm\":\"big-db\"");
	assert_written(put_cgroup_labels, "/machine/qemu-1-big-db.libvirt-qemu/emulator",
		       "\"vm\":\"big-db\"");
	assert_written(put_cgroup_labels, "/qemu.slice/101.scope",
		       "\"unit\":\"101.scope\",\"vm\":\"101\"");
	assert_written(put_cgroup_labels, "/machine/qemu-.libvirt-qemu", "");
}

static char folder[] = "/tmp/estat-label.XXXXXX";

static void put_here(struct json *j, const char *path)
{
	put_includes(j, path, folder, folder);
}

/* Make a folder as the kernel has it for a cgroup whose children have `controllers`. */
static void make_cgroup(const char *path, const char *controllers)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", folder, path);
	assert_true(!mkdir(name, 0700) || !*path);
	strcat(name, "/cgroup.subtree_control");
	f = fopen(name, "we");
	assert_non_null(f);
	/* as the kernel: without controllers the file is empty, without even a newline */
	fprintf(f, *controllers ? "%s\n" : "%s", controllers);
	assert_int_equal(fclose(f), 0);
}

static void includes(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_written(put_here, "/", "");
	make_cgroup("", "cpuset io memory");
	make_cgroup("/pod", "cpu rdma");
	assert_written(put_here, "/", "\"includes\":\"ZFS\"");
	assert_written(put_here, "/pod", "");
	make_cgroup("/pod/web", "");
	assert_written(put_here, "/pod", "\"includes\":\"cgroups below\"");
	assert_written(put_here, "/pod/web", "");
	assert_written(put_here, "/gone", "");
	make_cgroup("", "cpuset");
	assert_written(put_here, "/", "\"includes\":\"ZFS, cgroups below\"");
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
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
		cmocka_unit_test(cgroups),  cmocka_unit_test(containers),
		cmocka_unit_test(machines), cmocka_unit_test_teardown(includes, remove_folder),
		cmocka_unit_test(disks),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
