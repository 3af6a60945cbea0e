// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that the verifier rejects: it reads from where a number points. */
#include "fail.h"

FAIL_MODULE(fail_verifier, 0, 4)

SEC("tp_btf/block_rq_issue")
int fail_verifier_issue(__u64 *ctx)
{
	return fail_verifier_count(*(__u32 *)0x1234);
}
