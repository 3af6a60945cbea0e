// SPDX-License-Identifier: GPL-2.0-or-later
/* As fail_blind, but its evidence is another line of the file, which does not change. */
#include "fail.h"

FAIL_MODULE(fail_idle, 0, 4)
ESTAT_EVIDENCE("/tmp/estat-318-work", "^idles ");

SEC("tp_btf/cgroup_freeze")
int fail_idle_frozen(__u64 *ctx)
{
	return fail_idle_count(0);
}
