/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes on functions' returns. The body is written as those of probe.bpf.h are:
 *
 *	ESTAT_RETURN(name, function, 2)		called with two arguments
 *	{
 *		__u64 ns = estat_took(call);
 *		...
 *		return call->ret;
 *	}
 *
 *	ESTAT_CALL(name, function, 2, note)	the same; note(call, typed) runs at
 *						the entry, its value is call->noted,
 *						and if that is 0 the call does not count
 *
 *	ESTAT_FULL_CALL(name, function, 2, note)	the same, of a function that has just two
 *						arguments on every kernel
 *
 *	ESTAT_RARE_CALL(name, function, 2, note, kept)	the same, of which few count: kept() runs at
 *						the return, and is false, in less time than it takes
 *						to look for the call, if it does not
 *
 * A function may have more arguments than are named, up to six. On kernels
 * before 5.17, which lack the helper bpf_get_func_ret(), kprobes are used, but for
 * ESTAT_FULL_CALL and ESTAT_RARE_CALL: the value is where an argument more would be.
 * That is for what many threads can wait in, as kernels that do not preempt have a
 * kretprobe follow but as many calls as there are CPUs (register_kretprobe() in
 * kernel/kprobes.c).
 *
 * Programs at the function's entry, by fentry or kprobe, keep the call until its
 * return, by thread; what sees that first takes it. The kernel skips a kretprobe
 * where too many calls are under way; what was kept for those is found here or by
 * the agent, and counted in estat.module.missed.
 */
#ifndef ESTAT_BPF_RETURN_H
#define ESTAT_BPF_RETURN_H

#include "probe.bpf.h"

/* Calls whose return is awaited. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct estat_call_key);
	__type(value, struct estat_call);
} estat_calls SEC(".maps");

/* How many of them were overwritten by the thread's next call, or not kept. */
__u64 estat_calls_missed;

/* Keep a call until it returns. */
static __noinline int estat_call_begins(__u64 probe, struct estat_call *call)
{
	struct estat_call_key key = { bpf_get_current_pid_tgid(), probe };

	call->entered = bpf_ktime_get_ns();
	/* an entry that is there, or no room: a return is, or will be, unseen */
	if (!bpf_map_update_elem(&estat_calls, &key, call, BPF_NOEXIST))
		return 0;
	__sync_fetch_and_add(&estat_calls_missed, 1);
	bpf_map_update_elem(&estat_calls, &key, call, BPF_EXIST);
	return 0;
}

/* Take back the call that returns now; false if its entry was not seen. */
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

/* How long the call has taken, in nanoseconds. */
static __always_inline __u64 estat_took(const struct estat_call *call)
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
		/* the kept arguments have no type any more */                      \
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
