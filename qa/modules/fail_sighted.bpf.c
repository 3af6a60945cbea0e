// SPDX-License-Identifier: GPL-2.0-or-later
/* As fail_blind, but its probe runs. */
#include "fail.h"

FAIL_MODULE(fail_sighted, 0, 4)
ESTAT_EVIDENCE("/tmp/estat-318-work", "");

SEC("tp_btf/sched_process_exit")
int fail_sighted_exits(__u64 *ctx)
{
	return fail_sighted_count(0);
}
