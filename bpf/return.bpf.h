/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that see the entry and the return of a call. A module writes a body, as in probe.bpf.h:
 *
 *	ESTAT_RETURN(name, function, 2)		the first two arguments are read
 *	{
 *		__u64 ns = estat_elapsed(call);
 *		...
 *		return call->ret;
 *	}
 *
 *	ESTAT_CALL(name, function, 2, note)	note(call, typed) runs at the entry; the body finds
 *						its value in call->noted. If the value is 0, the
 *						body does not run.
 *	ESTAT_FULL_CALL(name, function, 2, note)	as ESTAT_CALL, for a function that has
 *						exactly two arguments on every kernel
 *	ESTAT_RARE_CALL(name, function, 2, note, kept)	as ESTAT_FULL_CALL, if most calls do not
 *						count: kept() runs at the return and tells, faster
 *						than a lookup, whether the call can count
 *
 * The function may have more arguments than NARGS, but at most six. Before Linux 5.17, which added
 * bpf_get_func_ret(), ESTAT_RETURN and ESTAT_CALL are probed by kprobe. ESTAT_FULL_CALL and
 * ESTAT_RARE_CALL use fexit there, too: the return value follows the arguments in the context. Use
 * these two for functions in which many threads wait: on a kernel without preemption a kretprobe
 * follows only as many concurrent calls as there are CPUs (register_kretprobe() in
 * kernel/kprobes.c).
 *
 * The BPF program at the entry, by fentry or kprobe, stores the call in estat_calls by thread. The
 * BPF program at the return, by fexit or kretprobe, takes the call from the map. If too many calls
 * are in progress, the kernel does not run the kretprobe and the call stays in the map; the
 * thread's next call or the agent finds it there and counts it in estat.module.missed.
 */
#ifndef ESTAT_BPF_RETURN_H
#define ESTAT_BPF_RETURN_H

#include "probe.bpf.h"

ESTAT_HASH_MAP(estat_calls, HASH, struct estat_call_key, struct estat_call, 4096);

/* Store a call until it returns. `probe` is a number that only this probe of the module has. */
static __noinline int estat_call_begins(__u64 probe, struct estat_call *call)
{
	struct estat_call_key key = { bpf_get_current_pid_tgid(), probe };

	call->entered = bpf_ktime_get_ns();
	/* the thread's previous call is still there, or the map is full: a return is missed */
	if (!bpf_map_update_elem(&estat_calls, &key, call, BPF_NOEXIST))
		return 0;
	estat_count_missed();
	bpf_map_update_elem(&estat_calls, &key, call, BPF_EXIST);
	return 0;
}

/* Take from the map the call that returns now; false if the call's entry was not seen. */
static __always_inline bool estat_call_returns(__u64 probe, struct estat_call *call)
{
	struct estat_call_key key = { bpf_get_current_pid_tgid(), probe };
	struct estat_call *kept = bpf_map_lookup_elem(&estat_calls, &key);

	if (!kept)
		return false;
	*call = *kept;
	bpf_map_delete_elem(&estat_calls, &key);
	return true;
}

/* Nanoseconds since the entry of a call. */
static __always_inline __u64 estat_elapsed(const struct estat_call *call)
{
	return bpf_ktime_get_ns() - call->entered;
}

static __always_inline __u64 estat_note_any(const struct estat_call *call, bool typed)
{
	return 1;
}

#define ESTAT_RETURN(NAME, FUNCTION, NARGS) ESTAT_CALL(NAME, FUNCTION, NARGS, estat_note_any)

#define ESTAT_CALL(NAME, FUNCTION, NARGS, NOTE) \
	ESTAT_CALL_RETURNING(NAME, FUNCTION, NARGS, NOTE, true, estat_returned(ctx))

#define ESTAT_FULL_CALL(NAME, FUNCTION, NARGS, NOTE) \
	ESTAT_CALL_RETURNING(NAME, FUNCTION, NARGS, NOTE, true, (ctx)[NARGS])

#define ESTAT_RARE_CALL(NAME, FUNCTION, NARGS, NOTE, KEPT) \
	ESTAT_CALL_RETURNING(NAME, FUNCTION, NARGS, NOTE, KEPT(), (ctx)[NARGS])

#define ESTAT_CALL_RETURNING(NAME, FUNCTION, NARGS, NOTE, KEPT, VALUE)              \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_ENTRY(NAME##_entry, FUNCTION, NARGS)                                  \
	{                                                                           \
		struct estat_call kept = *call;                                     \
                                                                                    \
		kept.noted = NOTE(call, typed);                                     \
		return kept.noted ? estat_call_begins(__LINE__, &kept) : 0;         \
	}                                                                           \
	SEC("fexit/" #FUNCTION)                                                     \
	int NAME##_fexit(__u64 *ctx)                                                \
	{                                                                           \
		struct estat_call call = {};                                        \
                                                                                    \
		if (!(KEPT) || !estat_call_returns(__LINE__, &call))                \
			return 0;                                                   \
		/* the verifier knows no types of arguments from the map */         \
		ESTAT_FROM_CONTEXT(call, ctx, NARGS);                               \
		call.ret = VALUE;                                                   \
		return NAME(&call, true);                                           \
	}                                                                           \
	SEC("?kretprobe/" #FUNCTION)                                                \
	int NAME##_kretprobe(struct pt_regs *ctx)                                   \
	{                                                                           \
		struct estat_call call = {};                                        \
                                                                                    \
		if (!(KEPT) || !estat_call_returns(__LINE__, &call))                \
			return 0;                                                   \
		call.ret = ESTAT_RETURNED(ctx);                                     \
		return NAME(&call, false);                                          \
	}                                                                           \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

#endif /* ESTAT_BPF_RETURN_H */
