// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that has the PMID cluster of another, backend_io. */
#include "fail.h"

FAIL_MODULE(fail_cluster, 1, 4)

SEC("tp_btf/block_rq_issue")
int fail_cluster_issue(__u64 *ctx)
{
	return fail_cluster_count(0);
}
