// SPDX-License-Identifier: GPL-2.0-or-later
/* A module with a tracepoint of the old kind, which is found through tracefs. */
#include "fail.h"

FAIL_MODULE(fail_tracefs, 0, 4)

SEC("tp/block/block_rq_issue")
int fail_tracefs_issue(void *ctx)
{
	return fail_tracefs_count(0);
}
