// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * napper: how long nanosleep takes, by command. The module keeps the begin of a call for the call's
 * thread. If the kernel skips the probe at the end of the call, the begin stays kept, and the call
 * later counts as missed: a test checks this.
 */
#include "aggregate.bpf.h"
#include "probe.bpf.h"
#include "thread.bpf.h"

ESTAT_MODULE(napper, 0);

struct key {
	char command[16];
};

ESTAT_SERIES(napper, 0, struct key, struct estat_latency, 16,
	     "From the entry of hrtimer_nanosleep to its return or, by kprobes, to the entry of\n"
	     "hrtimer_try_to_cancel, which hrtimer_nanosleep calls after the sleep");

struct thread {
	__u64 entered;
};

ESTAT_PER_THREAD(threads, struct thread);
ESTAT_LEFT(threads, struct thread, entered);

ESTAT_ENTRY(nap_begins, hrtimer_nanosleep, 1)
{
	struct thread *t = threads_make();

	if (!t) {
		estat_count_missed();
		return 0;
	}
	threads_count_left(t);
	t->entered = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int nap_ends(void)
{
	struct thread *t = threads_kept();
	struct key key = {};
	__u64 entered;

	if (!t || !t->entered)
		return 0;
	entered = t->entered;
	t->entered = 0;
	bpf_get_current_comm(key.command, sizeof(key.command));
	estat_count_latency(napper_get(&key), bpf_ktime_get_ns() - entered);
	return 0;
}

ESTAT_EXIT(nap_done, hrtimer_nanosleep, 1)
{
	return nap_ends();
}

ESTAT_INSTEAD(hrtimer_try_to_cancel, hrtimer_nanosleep);
ESTAT_ENTRY(nap_over, hrtimer_try_to_cancel, 0)
{
	return nap_ends();
}
