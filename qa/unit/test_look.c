// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests when look_begin() tries again to load a BPF program that failed to load (pmda/load/look.h).
 */
#include <errno.h>

#include "load/kernel_btf.h"
#include "load/look.h"
#include "unit.h"

/*
 * The linker puts the functions __wrap_NAME in the place of the agent's NAME. Each load of a BPF
 * program fails with `error`.
 */
uint64_t __wrap_clock_now(void);
uint64_t __wrap_kallsyms_address(const char *name);
struct bpf_object *__wrap_kernel_btf_load(int made, const char *kernel_module, const char *name,
					  const char *begin, const char *end);

static uint64_t now = 1;
static unsigned int loads;
static int error;

uint64_t __wrap_clock_now(void)
{
	return now;
}

uint64_t __wrap_kallsyms_address(const char *name)
{
	(void)name;
	return 1;
}

struct bpf_object *__wrap_kernel_btf_load(int made, const char *kernel_module, const char *name,
					  const char *begin, const char *end)
{
	(void)made;
	(void)kernel_module;
	(void)name;
	(void)begin;
	(void)end;
	loads++;
	errno = error;
	return NULL;
}

/*
 * How many of six looks, two each at 0, 9 and 11 s, try to load the BPF program, if each load fails
 * with the errno `of`.
 */
static unsigned int count_loads(int of)
{
	/* "kernel" is built in, and has a folder in /sys/module */
	struct look look = { .name = "test", .what = "nothing", .needs.module = "kernel" };

	error = of;
	loads = 0;
	for (unsigned int i = 0; i < 6; i++) {
		if (i == 2)
			now += UINT64_C(9000000000);
		if (i == 4)
			now += UINT64_C(2000000000);
		assert_true(!look_begin(&look));
	}
	return loads;
}

static void passing_failures(void **state)
{
	(void)state;
	assert_int_equal(count_loads(ENOMEM), 2);
	assert_int_equal(count_loads(EMFILE), 2);
}

static void lasting_failures(void **state)
{
	(void)state;
	assert_int_equal(count_loads(EPERM), 1);
	assert_int_equal(count_loads(EINVAL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passing_failures),
		cmocka_unit_test(lasting_failures),
	};

	return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
