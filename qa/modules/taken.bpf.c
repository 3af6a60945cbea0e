// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No module, but BPF programs that leave no room for a further fentry program at a function that
 * page_cache probes: 38 are all that a function can have (BPF_MAX_TRAMP_LINKS in
 * include/linux/bpf.h).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

#define TAKE(N)                    \
	SEC("fentry/filemap_read") \
	int taken_##N(void *ctx)   \
	{                          \
		return 0;          \
	}
#define TAKE_EIGHT(N) \
	TAKE(N##0) TAKE(N##1) TAKE(N##2) TAKE(N##3) TAKE(N##4) TAKE(N##5) TAKE(N##6) TAKE(N##7)

TAKE_EIGHT(0)
TAKE_EIGHT(1)
TAKE_EIGHT(2)
TAKE_EIGHT(3)
TAKE(40)
TAKE(41)
TAKE(42)
TAKE(43)
TAKE(44)
TAKE(45)
