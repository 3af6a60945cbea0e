// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests for which BPF programs probes_end_calls() is true: those that can end a call whose begin
 * the module keeps (pmda/load/probes.h). The argument is the build folder.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "load/probes.h"
#include "unit.h"

static const char *build;

/* Check that probes_end_calls() is true for exactly the module's BPF programs in `expected`. */
static void expect_ends(const char *module, const char *const *expected, unsigned int n)
{
	struct bpf_object *object;
	struct bpf_program *p;
	unsigned int found = 0;
	char path[1024];

	snprintf(path, sizeof(path), "%s/modules/%s.bpf.o", build, module);
	object = bpf_object__open(path);
	assert_non_null(object);
	bpf_object__for_each_program (p, object) {
		bool ends = false;

		for (unsigned int i = 0; i < n; i++)
			ends |= !strcmp(bpf_program__name(p), expected[i]);
		if (probes_end_calls(object, p) != ends)
			fail_msg("%s: %s", module, bpf_program__name(p));
		found += ends;
	}
	assert_int_equal(found, n);
	bpf_object__close(object);
}

/* The module keeps a call by ESTAT_LEFT alone. */
static void left(void **state)
{
	static const char *const ends[] = { "fault_ends_fexit", "fault_ends_kretprobe" };

	(void)state;
	expect_ends("fault", ends, 2);
}

/* The module keeps a call in the map estat_calls. */
static void calls(void **state)
{
	static const char *const ends[] = { "txg_wait_fexit", "txg_wait_kretprobe",
					    "txg_pass_fexit", "txg_pass_kretprobe",
					    "txg_sync_fexit", "txg_sync_kretprobe" };

	(void)state;
	expect_ends("txg", ends, 6);
}

/* The module probes returns, but keeps calls in neither way. */
static void none(void **state)
{
	(void)state;
	expect_ends("page_cache", NULL, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left),
		cmocka_unit_test(calls),
		cmocka_unit_test(none),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s BUILD\n", argv[0]);
		return 2;
	}
	build = argv[1];
	return cmocka_run_group_tests_name("probes", tests, NULL, NULL);
}
