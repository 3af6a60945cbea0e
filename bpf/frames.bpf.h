/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes by fentry or kprobe.multi. With preempt=full or lazy a task can be preempted in a BPF
 * program at fentry or fexit, and since Linux 7.0 at a tracepoint. Until the task runs on, the
 * kernel skips that BPF program on that CPU for all other tasks (__bpf_prog_enter_recur() in
 * kernel/bpf/trampoline.c, __bpf_trace_run() in kernel/trace/bpf_trace.c). BPF programs at
 * kprobe.multi and kretprobe.multi run with preemption disabled, but take longer. So each probe
 * here has BPF programs of both kinds, and the agent loads those of one kind
 * (docs/architecture.md says which).
 *
 * Do not probe a function that interrupt handlers call with these macros: the kernel skips a BPF
 * program at kprobe.multi that interrupts a BPF program at a kprobe or kprobe.multi.
 *
 * At kretprobe.multi a BPF program cannot read the function's arguments. So for ESTAT_MULTI_CALL
 * the BPF program at the entry keeps the arguments by thread, in a frame of estat_frames. The BPF
 * program at the return takes the frame.
 */
#ifndef ESTAT_BPF_FRAMES_H
#define ESTAT_BPF_FRAMES_H

#include "inflight.bpf.h"
#include "probe.bpf.h"
#include "thread.bpf.h"

/*
 * Set by the agent. 0: the kernel is known to follow any number of calls at once by kretprobe.multi
 * (since Linux 6.14, probes_can_be_multi()). 1: the agent loads no BPF programs for kprobe.multi
 * and kretprobe.multi, so those at fentry, fexit and tracepoints handle each call, even if
 * estat_by_kprobes is 1.
 */
const volatile __u32 estat_no_multi = 0;

#define ESTAT_FRAMES     16 /* how many nested calls of a thread can have frames */
#define ESTAT_FRAME_ARGS 5

struct estat_frame {
	__u64 probe; /* ESTAT_PROBE_NUMBER() of the probe */
	__u64 arg[ESTAT_FRAME_ARGS];
};

struct estat_frames {
	__u64 attached; /* value of estat_attached when the outermost call began */
	__u64 depth;
	struct estat_frame frame[ESTAT_FRAMES];
};

ESTAT_PER_THREAD(estat_frames, struct estat_frames);

/* The frame with the number `depth`, modulo ESTAT_FRAMES. The outermost call has number 0. */
static __always_inline struct estat_frame *estat_frame(struct estat_frames *t, __u64 depth)
{
	return &t->frame[estat_masked(depth, ESTAT_FRAMES - 1)];
}

/*
 * Keep the arguments of a call that begins. The frame of a call whose return was missed stays until
 * an outer call returns. If all frames are used, or are from before the last attachment, the thread
 * first loses all its frames.
 */
static __noinline __attribute__((unused)) int estat_frame_push(__u64 probe, const __u64 *args)
{
	struct estat_frames *t = estat_frames_make();
	struct estat_frame *f;

	if (!t)
		return 0;
	if (t->depth >= ESTAT_FRAMES || t->attached != estat_attached)
		t->depth = 0;
	t->attached = estat_attached;
	f = estat_frame(t, t->depth++);
	f->probe = probe;
	for (int i = 0; i < ESTAT_FRAME_ARGS; i++)
		f->arg[i] = args[i];
	return 0;
}

/*
 * Take the frame of the call that returns. NULL: the call has no frame, for example because the
 * call began before the attachment.
 */
static __noinline __attribute__((unused)) struct estat_frame *estat_frame_pop(__u64 probe)
{
	struct estat_frames *t = estat_frames_here();
	__u64 depth = t ? t->depth : 0;

	if (!t || t->attached != estat_attached)
		return NULL;
	for (int i = 0; i < ESTAT_FRAMES && depth; i++) {
		struct estat_frame *f = estat_frame(t, --depth);

		if (f->probe == probe) {
			t->depth = depth;
			return f;
		}
	}
	return NULL;
}

/* Do the BPF programs at fentry and tracepoints, not at kprobe.multi, count a call that begins? */
static __always_inline bool estat_by_fentry(void)
{
	return estat_no_multi || !estat_by_kprobes;
}

/*
 * Declare a probe with two BPF programs: NAME_multi, and one of NAME_fentry, NAME_fexit and
 * NAME_tracepoint.
 */
#define ESTAT_MULTI_PROBE(NAME) \
	const volatile struct estat_probe NAME##_probe = { .by = ESTAT_BY_MULTI };

/*
 * Probe SECTION: KIND is fentry or tracepoint. If the agent attaches the module by kprobes, and
 * estat_no_multi is 0, probe the entry of FUNCTION by kprobe.multi instead.
 */
#define ESTAT_MULTI_OR(KIND, SECTION, NAME, FUNCTION, BODY)      \
	ESTAT_MULTI_PROBE(NAME)                                  \
	SEC(SECTION)                                             \
	int NAME##_##KIND(__u64 *ctx)                            \
	{                                                        \
		return estat_by_fentry() ? BODY(ctx, true) : 0;  \
	}                                                        \
	SEC("?kprobe.multi/" ESTAT_STRING(FUNCTION))             \
	int NAME##_multi(struct pt_regs *ctx)                    \
	{                                                        \
		__u64 args[] = ESTAT_REGISTERS(ctx);             \
                                                                 \
		return estat_by_kprobes ? BODY(args, false) : 0; \
	}

/*
 * Probe the entry of FUNCTION. BODY(args, typed) gets the address of the arguments. To read a
 * member of a struct that an argument points to, BODY uses ESTAT_READ(), because the verifier knows
 * the argument's type only at fentry, where `typed` is true.
 */
#define ESTAT_MULTI_ENTRY(NAME, FUNCTION, BODY) \
	ESTAT_MULTI_OR(fentry, "fentry/" ESTAT_STRING(FUNCTION), NAME, FUNCTION, BODY)

/*
 * Probe TRACEPOINT. If the agent attaches the module by kprobes, and estat_no_multi is 0, probe
 * FUNCTION instead, which the kernel enters just before TRACEPOINT. The arguments that BODY reads
 * are the same at both.
 */
#define ESTAT_MULTI_TRACEPOINT(NAME, TRACEPOINT, FUNCTION, BODY) \
	ESTAT_MULTI_OR(tracepoint, "tp_btf/" ESTAT_STRING(TRACEPOINT), NAME, FUNCTION, BODY)

/*
 * Probe the return of FUNCTION with BPF programs that evaluate and return the expression RESULT.
 * RESULT can use neither the arguments of FUNCTION nor the value that FUNCTION returns. While the
 * agent changes from one kind of BPF program to the other, RESULT is evaluated twice at a return.
 */
#define ESTAT_MULTI_RETURN(NAME, FUNCTION, RESULT)      \
	ESTAT_MULTI_PROBE(NAME)                         \
	SEC("fexit/" ESTAT_STRING(FUNCTION))            \
	int NAME##_fexit(__u64 *ctx)                    \
	{                                               \
		return RESULT;                          \
	}                                               \
	SEC("?kretprobe.multi/" ESTAT_STRING(FUNCTION)) \
	int NAME##_multi(struct pt_regs *ctx)           \
	{                                               \
		return RESULT;                          \
	}

/*
 * Probe a call of FUNCTION, whose first ESTAT_FRAME_ARGS arguments can be read. BEGINS(args, typed)
 * runs at the entry, ENDS(args, ret, typed) at the return. `typed` is true at fentry and fexit,
 * where the verifier knows the types of the arguments, and false at kprobe.multi and
 * kretprobe.multi. While the agent changes between these two kinds of BPF programs, ENDS can run
 * twice at a return. RETURNED is an expression for the return value in the fexit program, whose
 * context is ctx.
 */
#define ESTAT_MULTI_CALL(FUNCTION, BEGINS, RETURNED, ENDS)                             \
	ESTAT_MULTI_PROBE(FUNCTION##_enters)                                           \
	ESTAT_MULTI_PROBE(FUNCTION##_returns)                                          \
	SEC("fentry/" ESTAT_STRING(FUNCTION))                                          \
	int FUNCTION##_enters_fentry(__u64 *ctx)                                       \
	{                                                                              \
		return estat_by_fentry() ? BEGINS(ctx, true) : 0;                      \
	}                                                                              \
	SEC("fexit/" ESTAT_STRING(FUNCTION))                                           \
	int FUNCTION##_returns_fexit(__u64 *ctx)                                       \
	{                                                                              \
		return ENDS(ctx, RETURNED, true);                                      \
	}                                                                              \
	SEC("?kretprobe.multi/" ESTAT_STRING(FUNCTION))                                \
	int FUNCTION##_returns_multi(struct pt_regs *ctx)                              \
	{                                                                              \
		struct estat_frame *f = estat_frame_pop(ESTAT_PROBE_NUMBER(FUNCTION)); \
                                                                                       \
		return f ? ENDS(f->arg, ESTAT_RETURNED(ctx), false) : 0;               \
	}                                                                              \
	SEC("?kprobe.multi/" ESTAT_STRING(FUNCTION))                                   \
	int FUNCTION##_enters_multi(struct pt_regs *ctx)                               \
	{                                                                              \
		__u64 args[] = ESTAT_REGISTERS(ctx);                                   \
                                                                                       \
		if (!estat_by_kprobes)                                                 \
			return 0;                                                      \
		estat_frame_push(ESTAT_PROBE_NUMBER(FUNCTION), args);                  \
		return BEGINS(args, false);                                            \
	}

#endif /* ESTAT_BPF_FRAMES_H */
