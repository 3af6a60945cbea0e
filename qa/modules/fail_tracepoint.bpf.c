// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that probes a tracepoint that no kernel has. */
#include "fail.h"

FAIL_MODULE(fail_tracepoint, 0, 4)

SEC("tp_btf/estat_no_such_tracepoint")
int fail_tracepoint_hit(__u64 *ctx)
{
	return fail_tracepoint_count(0);
}
