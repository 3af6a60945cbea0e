// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that probes a function that no kernel has. */
#include "fail.h"

FAIL_MODULE(fail_function, 0, 4)

SEC("fentry/estat_no_such_function")
int fail_function_entry(__u64 *ctx)
{
	return fail_function_count(0);
}
