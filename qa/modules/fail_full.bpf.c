// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module whose series has room for four keys: sizes of requests that only the
 * test makes, odd numbers of sectors.
 */
#include "fail.h"

FAIL_MODULE(fail_full, 0, 4)

SEC("tp_btf/block_rq_complete")
int fail_full_complete(__u64 *ctx)
{
	__u32 bytes = ctx[2];

	return bytes % 1024 == 512 ? fail_full_count(bytes) : 0;
}
