/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe of a function's entry and of its return, as one call. A module writes a body, as in
 * probe.bpf.h:
 *
 *	ESTAT_CALL(name, function, 2, note)	the first two arguments are read
 *	{
 *		__u64 ns = estat_elapsed(call);
 *		...
 *		return call->ret;
 *	}
 *
 * note(call, typed) runs at the entry, the body at the return. The body finds the result of note()
 * in call->noted. If the result is 0, the body does not run. estat_every_call is a note() whose
 * result is never 0.
 *
 * The BPF program at the entry, by fentry or kprobe, stores the call in estat_calls by thread. The
 * BPF program at the return, by fexit or kretprobe, takes the call from the map. If too many calls
 * are under way, the kernel does not run the kretprobe, and the call stays in the map. Later the
 * BPF program at the thread's next call of the function, or the agent after the thread has ended,
 * finds the old call there and counts the old call in estat.module.missed; the agent can do so only
 * in the initial PID namespace. A kretprobe follows at most max(10, 2 x CPUs) concurrent calls, or
 * on a kernel without preemption, before Linux 6.2, only as many as there are CPUs
 * (register_kretprobe() in kernel/kprobes.c).
 */
#ifndef ESTAT_BPF_RETURN_H
#define ESTAT_BPF_RETURN_H

#include "inflight.bpf.h"
#include "probe.bpf.h"

ESTAT_INFLIGHT(estat_calls, HASH, struct estat_call_key, struct estat_call, 4096);

/* Store a call until it returns. `probe`: the result of ESTAT_PROBE_NUMBER(). */
static __noinline int estat_call_begins(__u64 probe, struct estat_call *call)
{
	struct estat_call_key key = { bpf_get_current_pid_tgid(), probe };

	call->began = bpf_ktime_get_ns();
	/* the call's task, which walks pass to estat_can_be_in() */
	call->ret = bpf_get_current_task();
	if (!bpf_map_update_elem(&estat_calls, &key, call, BPF_NOEXIST))
		return 0;
	if (estat_calls_find(key)) /* the return of the thread's previous call was missed */
		estat_count_missed();
	estat_calls_begin(key, call);
	return 0;
}

/* Take the call that returns now; false if it was not stored, as when its note was 0. */
static __always_inline bool estat_call_returns(__u64 probe, struct estat_call *call)
{
	struct estat_call_key key = { bpf_get_current_pid_tgid(), probe };

	return estat_calls_take(key, call);
}

/* Nanoseconds since the entry of a call. */
static __always_inline __u64 estat_elapsed(const struct estat_call *call)
{
	return bpf_ktime_get_ns() - call->began;
}

static __always_inline __u64 estat_every_call(const struct estat_call *call, bool typed)
{
	return 1;
}

#define ESTAT_CALL(NAME, FUNCTION, NARGS, NOTE)                                             \
	ESTAT_PROBE(NAME, NARGS)                                                            \
	ESTAT_ENTRY(NAME##_entry, FUNCTION, NARGS)                                          \
	{                                                                                   \
		struct estat_call kept = *call;                                             \
                                                                                            \
		kept.noted = NOTE(call, typed);                                             \
		return kept.noted ? estat_call_begins(ESTAT_PROBE_NUMBER(NAME), &kept) : 0; \
	}                                                                                   \
	ESTAT_BY_RETURN(NAME, FUNCTION, NARGS,                                              \
			estat_call_returns(ESTAT_PROBE_NUMBER(NAME), &call),                \
			estat_call_returns(ESTAT_PROBE_NUMBER(NAME), &call))

#endif /* ESTAT_BPF_RETURN_H */
