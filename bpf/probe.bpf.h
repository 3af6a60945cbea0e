/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes on functions. A module writes the body once:
 *
 *	ESTAT_ENTRY(name, function, 2)		called with two arguments
 *	{
 *		struct zio *zio = (struct zio *)call->arg[0];
 *		__u64 size = ESTAT_READ(zio, io_size);
 *		...
 *		return 0;
 *	}
 *
 * and gets programs for fentry and for kprobe, of which the agent loads one. It
 * reads what an argument points to with ESTAT_READ(), and all else with
 * BPF_CORE_READ(), for only fentry's arguments are typed pointers. A function
 * may have more arguments than are named, up to six. Returns with what was known at the entry are
 * in return.bpf.h.
 */
#ifndef ESTAT_BPF_PROBE_H
#define ESTAT_BPF_PROBE_H

#include "declare.bpf.h"

/* The kernel's registers at a function's entry and return, for CO-RE to find. */
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
 * Which of the two counts a call that is entered now. The agent attaches the
 * others before it changes its mind, so that no call is missed or counted twice.
 */
__u32 estat_by_kprobes;

/*
 * How often programs of entries by kprobe have run, by CPU, where they run one at a time. What
 * the agent finds these kprobes hit more often the kernel has skipped, see kprobe_missed.bpf.c.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} estat_runs SEC(".maps");

static __always_inline void estat_ran(void)
{
	__u32 only = 0;
	__u64 *runs = bpf_map_lookup_elem(&estat_runs, &only);

	if (runs)
		++*runs;
}

/* The member of the struct at p; in a probe's body, or what is inlined and told `typed`. */
#define ESTAT_READ(p, member) (typed ? (p)->member : BPF_CORE_READ(p, member))

#define ESTAT_FROM_CONTEXT(call, ctx, NARGS) \
	_Pragma("unroll") for (int _i = 0; _i < (NARGS); _i++)(call).arg[_i] = (ctx)[_i]

#define ESTAT_FROM_REGISTERS(call, ctx)      \
	struct estat_call call = {           \
		.arg = ESTAT_REGISTERS(ctx), \
	}

/* The program for fentry, and that for kprobe, which counts while COUNTS is true. */
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
 * An entry of a function that has more than six arguments, of which the first six can be
 * named. The agent loads the program for fentry where the kernel can do that (estat_wide), else
 * the one for kprobe, however others are attached.
 */
const volatile __u8 estat_wide = 0;

#define ESTAT_WIDE_ENTRY(NAME, FUNCTION, NARGS)                                     \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_BY_FENTRY(NAME, "?fentry/" #FUNCTION, NARGS)                          \
	ESTAT_BY_KPROBE(NAME, "kprobe/" #FUNCTION, estat_by_kprobes || !estat_wide) \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/* An entry, of what is not to be held: a kprobe always. */
#define ESTAT_KPROBE(NAME, FUNCTION)                                                \
	static __always_inline int NAME(const struct estat_call *call, bool typed); \
	ESTAT_BY_KPROBE(NAME, "kprobe/" #FUNCTION, true)                            \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/* What a function returns, in a program for fexit. */
static __always_inline __u64 estat_returned(__u64 *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return ret;
}

/*
 * Where another probe sees the end of a call as well there need be no kretprobe, of which the
 * kernel has but max(10, 2 x CPUs) for calls under way. Then a module keeps the call itself, by
 * thread (ESTAT_LEFT), and ends it by:
 *
 *	ESTAT_FEXIT(name, function, 2)	the return, by fexit; `call` has arguments and value
 *	ESTAT_INSTEAD(name, function)	while there are kprobes in fexit's place: the entry of
 *					another function, that is called at the end
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
 * A return alone, which has only its value: for who knows himself whose call it is. On kernels
 * before 5.17, which lack the helper bpf_get_func_ret(), kprobes are used, but for
 * ESTAT_FULL_EXIT: of a function that has just NARGS arguments on every kernel the value is where
 * an argument more would be. What it returns may be shorter than that.
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
