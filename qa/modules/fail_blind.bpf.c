// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module whose probe runs only when a test has it do so, while its subject, a file,
 * is at work. What it says it needs is built in.
 */
#include "fail.h"

FAIL_MODULE(fail_blind, 0, 4)
ESTAT_NEEDS("kernel", "");
ESTAT_EVIDENCE("/tmp/estat-318-{work,none}", "^works ");

SEC("tp_btf/cgroup_freeze")
int fail_blind_frozen(__u64 *ctx)
{
	return fail_blind_count(0);
}
