/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait of a buffered write because too many pages are dirty:
 *
 *	balance_dirty_pages	the thread compares the number of dirty pages with the limits
 *	tracepoint of that name	the kernel announces a pause, perhaps of 0 ms or less: the span
 *				begins
 *	... returns		the span ends, after one pause or several
 */
#ifndef ESTAT_MODULES_TRACE_DIRTY_H
#define ESTAT_MODULES_TRACE_DIRTY_H

#include "frames.bpf.h"
#include "span.bpf.h"

/*
 * A compiler can inline the function. Then the wait has no span, and its time is in a stage of the
 * operation.
 */
ESTAT_OPTIONAL("", balance_dirty_pages);

static __noinline int dirty_balances(bool begins)
{
	int n = journey_of_task(bpf_get_current_task());

	if (n < 0)
		return 0;
	traced_at(n)->balances = begins;
	return begins ? 0 : wait_ends(n, kind_dirty_wait);
}

static __noinline int dirty_pauses(void)
{
	int n = journey_of_task(bpf_get_current_task());

	/* if a compiler has inlined balance_dirty_pages, no BPF program would end the span */
	if (n >= 0 && traced_at(n)->balances)
		wait_begins(n, kind_dirty_wait);
	return 0;
}

static __always_inline int dirty_enters(const __u64 *args, bool typed)
{
	return active ? dirty_balances(true) : 0;
}

ESTAT_MULTI_RETURN(trace_dirty_returns, balance_dirty_pages, active ? dirty_balances(false) : 0)
ESTAT_MULTI_ENTRY(trace_dirty_enters, balance_dirty_pages, dirty_enters)

SEC("tp_btf/balance_dirty_pages")
int trace_dirty_pauses(__u64 *ctx)
{
	return active ? dirty_pauses() : 0;
}

#endif /* ESTAT_MODULES_TRACE_DIRTY_H */
