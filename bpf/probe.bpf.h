/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes of kernel functions. A module writes the body once:
 *
 *	ESTAT_ENTRY(name, function, 2)		the first two arguments are read
 *	{
 *		struct zio *zio = (struct zio *)call->arg[0];
 *		__u64 size = ESTAT_READ(zio, io_size);
 *		...
 *		return 0;
 *	}
 *
 * and gets a BPF program for fentry and one for kprobe. The agent loads one of the two. The body
 * reads members of a struct that an argument points to with ESTAT_READ(), and all else with
 * BPF_CORE_READ(): only fentry has typed pointers, and only in arguments. The function may have
 * more arguments than NARGS, but at most six. return.bpf.h has probes that see a call's entry and
 * return.
 */
#ifndef ESTAT_BPF_PROBE_H
#define ESTAT_BPF_PROBE_H

#include "declare.bpf.h"

/* The registers at a function's entry and return; CO-RE relocates the members. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, cx, r8, r9, ax;
};
#define ESTAT_REGISTERS(r)                                           \
	{                                                            \
		(r)->di, (r)->si, (r)->dx, (r)->cx, (r)->r8, (r)->r9 \
	}
#define ESTAT_RETURNED(r) ((r)->ax)
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	unsigned long regs[31];
};
#define ESTAT_REGISTERS(r)                                                                         \
	{                                                                                          \
		(r)->regs[0], (r)->regs[1], (r)->regs[2], (r)->regs[3], (r)->regs[4], (r)->regs[5] \
	}
#define ESTAT_RETURNED(r) ((r)->regs[0])
#else
#error "kprobes: which registers hold arguments on this architecture?"
#endif
#pragma clang attribute pop

/*
 * Which BPF programs count a call that is entered now: 1 kprobes, 0 fentry. To switch, the agent
 * first attaches the other programs and then changes this variable, so each call counts once.
 */
__u32 estat_by_kprobes;

/*
 * Runs of the module's BPF programs for kprobes at entries, by CPU. On a CPU only one of them runs
 * at a time. The agent subtracts the runs from the hits of the kprobes; the difference is the
 * number of missed events, see kprobe_missed.bpf.c.
 */
ESTAT_ARRAY_MAP(estat_runs, PERCPU_ARRAY, __u64, 1);

static __always_inline void estat_ran(void)
{
	__u32 only = 0;
	__u64 *runs = bpf_map_lookup_elem(&estat_runs, &only);

	if (runs)
		++*runs;
}

/*
 * Read p->member, where p is an argument of the probed function. A function that uses ESTAT_READ
 * has a parameter `typed`, as a probe's body has.
 */
#define ESTAT_READ(p, member) (typed ? (p)->member : BPF_CORE_READ(p, member))

#define ESTAT_FROM_CONTEXT(call, ctx, NARGS) \
	_Pragma("unroll") for (int _i = 0; _i < (NARGS); _i++)(call).arg[_i] = (ctx)[_i]

#define ESTAT_FROM_REGISTERS(call, ctx)      \
	struct estat_call call = {           \
		.arg = ESTAT_REGISTERS(ctx), \
	}

/* A probe's BPF program for fentry, and for kprobe; the latter counts while COUNTS is true. */
#define ESTAT_BY_FENTRY(NAME, SECTION, NARGS)         \
	SEC(SECTION)                                  \
	int NAME##_fentry(__u64 *ctx)                 \
	{                                             \
		struct estat_call call = {};          \
                                                      \
		if (estat_by_kprobes)                 \
			return 0;                     \
		ESTAT_FROM_CONTEXT(call, ctx, NARGS); \
		return NAME(&call, true);             \
	}

#define ESTAT_BY_KPROBE(NAME, SECTION, COUNTS)            \
	SEC(SECTION)                                      \
	int NAME##_kprobe(struct pt_regs *ctx)            \
	{                                                 \
		ESTAT_FROM_REGISTERS(call, ctx);          \
                                                          \
		estat_ran();                              \
		return (COUNTS) ? NAME(&call, false) : 0; \
	}

#define ESTAT_ENTRY(NAME, FUNCTION, NARGS)                                          \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_BY_FENTRY(NAME, "fentry/" #FUNCTION, NARGS)                           \
	ESTAT_BY_KPROBE(NAME, "?kprobe/" #FUNCTION, estat_by_kprobes)               \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/*
 * The entry of a function with more than six arguments, of which the first six can be read. The
 * agent loads the BPF program for fentry if the kernel supports such functions, and sets
 * estat_wide. Else it loads that for kprobe, even if the module's other probes use fentry.
 */
const volatile __u8 estat_wide = 0;

#define ESTAT_WIDE_ENTRY(NAME, FUNCTION, NARGS)                                     \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_BY_FENTRY(NAME, "?fentry/" #FUNCTION, NARGS)                          \
	ESTAT_BY_KPROBE(NAME, "kprobe/" #FUNCTION, estat_by_kprobes || !estat_wide) \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/* The entry of a function, always by kprobe: the function's kernel module can be unloaded. */
#define ESTAT_KPROBE(NAME, FUNCTION)                                                \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_BY_KPROBE(NAME, "kprobe/" #FUNCTION, true)                            \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/* Define a probe, such as ESTAT_ENTRY(name, function, 1), whose body only returns RESULT. */
#define ESTAT_RUN(PROBE, RESULT) \
	PROBE                    \
	{                        \
		return RESULT;   \
	}

/* The value a function returned, in a BPF program for fexit. Needs Linux 5.17. */
static __always_inline __u64 estat_returned(__u64 *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return ret;
}

/*
 * The end of a call, not by kretprobe, which follows at most max(10, 2 x CPUs) concurrent calls.
 * The module keeps the call itself, by thread (ESTAT_LEFT), and sees its end by:
 *
 *	ESTAT_FEXIT(name, function, 2)	the return, by fexit; `call` has the first two arguments
 *					and the return value
 *	ESTAT_INSTEAD(name, function)	with kprobes instead of fentry and fexit: the entry of
 *					another function, which is called at the end of the call
 */
#define ESTAT_FEXIT(NAME, FUNCTION, NARGS)                                          \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	SEC("fexit/" #FUNCTION)                                                     \
	int NAME##_end(__u64 *ctx)                                                  \
	{                                                                           \
		struct estat_call call = {};                                        \
                                                                                    \
		ESTAT_FROM_CONTEXT(call, ctx, NARGS);                               \
		call.ret = estat_returned(ctx);                                     \
		return NAME(&call, true);                                           \
	}                                                                           \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

#define ESTAT_INSTEAD(NAME, FUNCTION)                                               \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	SEC("?kprobe/" #FUNCTION)                                                   \
	int NAME##_end(struct pt_regs *ctx)                                         \
	{                                                                           \
		ESTAT_FROM_REGISTERS(call, ctx);                                    \
                                                                                    \
		return NAME(&call, false);                                          \
	}                                                                           \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/*
 * A function's return alone: `call` has only the return value; the module must know which call
 * ends. Before Linux 5.17, which added bpf_get_func_ret(), the agent probes these functions by
 * kprobe. ESTAT_FULL_EXIT works with fexit on older kernels, too: its function has exactly NARGS
 * arguments on every kernel, and the return value follows them in the context. The value is 64
 * bits: if the function returns a shorter type, cast it.
 */
#define ESTAT_EXIT(NAME, FUNCTION)             ESTAT_EXIT_RETURNING(NAME, FUNCTION, estat_returned(ctx))

#define ESTAT_FULL_EXIT(NAME, FUNCTION, NARGS) ESTAT_EXIT_RETURNING(NAME, FUNCTION, (ctx)[NARGS])

#define ESTAT_EXIT_RETURNING(NAME, FUNCTION, VALUE)                                 \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	SEC("fexit/" #FUNCTION)                                                     \
	int NAME##_fexit(__u64 *ctx)                                                \
	{                                                                           \
		struct estat_call call = {};                                        \
                                                                                    \
		if (estat_by_kprobes)                                               \
			return 0;                                                   \
		call.ret = VALUE;                                                   \
		return NAME(&call, true);                                           \
	}                                                                           \
	SEC("?kretprobe/" #FUNCTION)                                                \
	int NAME##_kretprobe(struct pt_regs *ctx)                                   \
	{                                                                           \
		struct estat_call call = {                                          \
			.ret = ESTAT_RETURNED(ctx),                                 \
		};                                                                  \
                                                                                    \
		return estat_by_kprobes ? NAME(&call, false) : 0;                   \
	}                                                                           \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

#endif /* ESTAT_BPF_PROBE_H */
