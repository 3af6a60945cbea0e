/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of limiters' functions. A bio can lead to several such calls, and most calls do not wait.
 * So a call is kept in an array, because an access to an array takes less time than an access to
 * the hash map of return.bpf.h. A thread's next call for the same limiter takes the place of a call
 * whose return was missed.
 */
#ifndef ESTAT_MODULES_BLOCK_THROTTLE_CALL_H
#define ESTAT_MODULES_BLOCK_THROTTLE_CALL_H

#include "inflight.bpf.h"
#include "probe.bpf.h"
#include "throttle_types.bpf.h"

enum limiter { limiter_io_max, limiter_io_cost, limiter_io_latency, limiter_wbt, limiter_tag };

struct call_note {
	__u64 arg;    /* the argument of the call that is needed when the call returns */
	__u64 sleeps; /* nvcsw of the thread when the call began */
};

/* Calls under way. The id is the thread's address, a multiple of 64, plus the limiter. */
ESTAT_INFLIGHT(calls, NOTED, 1024, struct call_note);

static __always_inline struct task_struct___throttle *this_thread(void)
{
	return (void *)bpf_get_current_task_btf();
}

/*
 * A limiter's function is entered. If the thread still has an entry for the limiter, the return of
 * the thread's previous call was missed. If the function has a kretprobe, add that return to
 * estat_missed. The agent itself counts the returns that fexit misses.
 */
static __always_inline int call_begins(enum limiter limiter, __u64 arg, bool typed)
{
	struct task_struct___throttle *thread = this_thread();
	struct call_note note = { .arg = arg, .sleeps = thread->nvcsw };
	__u64 id = estat_id(thread) + limiter;

	if (!typed && calls_find(id))
		estat_count_missed();
	calls_begin(id, bpf_ktime_get_ns(), note);
	return 0;
}

/*
 * A limiter's function returns. Sets *arg to the argument that call_begins() noted, or to 0.
 * Returns for how many ns the thread was in the function, or -1: the thread has not slept, or the
 * begin of the call was not seen.
 */
static __always_inline __s64 call_ends(enum limiter limiter, __u64 *arg)
{
	struct task_struct___throttle *thread = this_thread();
	__u64 id = estat_id(thread) + limiter, began;
	struct estat_begun *e = calls_find(id);
	struct call_note note;

	*arg = 0;
	if (!e)
		return -1;
	note = *calls_note(e);
	began = calls_remove(id);
	*arg = note.arg;
	return note.sleeps == thread->nvcsw ? -1 : estat_since(began, bpf_ktime_get_ns());
}

/*
 * Probes a return as ESTAT_EXIT does, but the BPF programs for fexit and for kretprobe both run the
 * body if both are attached. So a body must be able to run twice for a return: call_ends() finds
 * the call only the first time, and a second held_remove() does nothing.
 */
#define LIMITER_RETURNS(NAME, FUNCTION, NARGS) \
	ESTAT_PROBE(NAME, NARGS)               \
	ESTAT_BY_RETURN(NAME, FUNCTION, NARGS, true, true)

/* Bios that io.max may hold, by address. */
ESTAT_INFLIGHT(held, SETS, 4096);

static __always_inline int check(const struct estat_call *call, bool typed)
{
	held_begin(estat_id((void *)call->arg[0]), bpf_ktime_get_ns());
	return typed ? 0 : call_begins(limiter_io_max, call->arg[0], typed);
}

/*
 * The check of io.max has returned. If the kernel does not hold the bio, drop its entry. A bio that
 * the kernel held can be released before this return, and then has no entry any more.
 */
static __always_inline int checked(const struct estat_call *call, bool typed)
{
	__u64 bio = call->arg[0];

	if (!typed)
		call_ends(limiter_io_max, &bio);
	if (bio && !(call->ret & 1))
		held_remove(estat_id((void *)bio));
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_THROTTLE_CALL_H */
