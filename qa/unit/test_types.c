// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which types of the kernel and of a kernel module types_copy() copies. */
#include <bpf/btf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/types.h"
#include "unit.h"

/* BTF with structs of these names, each with an int `member`. */
static struct btf *make(const char *const *names, unsigned int n, const char *member)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);

	assert_int_equal(number, 1);
	for (unsigned int i = 0; i < n; i++) {
		assert_true(btf__add_struct(btf, names[i], 4) > 0);
		assert_false(btf__add_field(btf, member, number, 0, 0));
	}
	return btf;
}

/*
 * Check that `btf` has structs of these names and no others, in this order, and that the first
 * member of struct i is named members[i].
 */
static void check(const struct btf *btf, const char *const *names, const char *const *members,
		  unsigned int n)
{
	unsigned int found = 0;

	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (!btf_is_struct(type))
			continue;
		assert_true(found < n);
		assert_string_equal(btf__name_by_offset(btf, type->name_off), names[found]);
		assert_string_equal(btf__name_by_offset(btf, btf_members(type)->name_off),
				    members[found]);
		found++;
	}
	assert_int_equal(found, n);
}

/*
 * A kernel module's BTF without a base has copies of the kernel's types. Of the types that both
 * have, only the kernel's are copied, also if what is wanted has a flavor. A struct that the kernel
 * only declares is not the kernel's, nor is one with the name of a function.
 */
static void kernel_has_it(void **state)
{
	static const char *const kernels[] = { "plain", "flavored", "unwanted" };
	static const char *const modules[] = { "plain",    "flavored", "own",
					       "unwanted", "declared", "function" };
	static const char *const wanted[] = { "plain",    "flavored___told", "own___walk",
					      "none___x", "___nothing",      "declared___walk",
					      "function" };
	static const char *const copied[] = { "plain", "flavored", "own", "declared", "function" };
	static const char *const members[] = { "kernel", "kernel", "module", "module", "module" };
	struct btf *asked = make(wanted, ARRAY_SIZE(wanted), "asked"), *copy;
	struct btf *btf = make(kernels, ARRAY_SIZE(kernels), "kernel");
	struct types kernel, module;
	const struct types *const all[] = { &module };
	int fd = memfd_create("types", 0);
	char path[64];

	(void)state;
	assert_true(btf__add_fwd(btf, "declared", BTF_FWD_STRUCT) > 0);
	assert_true(btf__add_func_proto(btf, 1) > 0);
	assert_true(btf__add_func(btf, "function", BTF_FUNC_STATIC, btf__type_cnt(btf) - 1) > 0);
	types_begin(&kernel, btf, 1);
	types_begin(&module, make(modules, ARRAY_SIZE(modules), "module"), 1);
	assert_int_equal(types_copy(&kernel, all, 1, asked, fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	copy = btf__parse_raw(path);
	assert_non_null(copy);
	check(copy, copied, members, ARRAY_SIZE(copied));
	btf__free(copy);
	btf__free(asked);
	types_end(&module);
	types_end(&kernel);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_has_it),
	};

	return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}
