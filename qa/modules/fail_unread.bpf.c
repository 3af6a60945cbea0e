// SPDX-License-Identifier: GPL-2.0-or-later
/* As fail_blind, but its subject is what the agent reads. */
#include "fail.h"

FAIL_MODULE(fail_unread, 0, 4)
ESTAT_EVIDENCE_OWN_READS;

SEC("tp_btf/cgroup_freeze")
int fail_unread_frozen(__u64 *ctx)
{
	return fail_unread_count(0);
}
