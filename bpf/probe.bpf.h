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
 * and gets BPF programs for fentry and for kprobe. The agent loads one of the two, or none;
 * docs/architecture.md says which. ESTAT_EXIT probes the return of a function. ESTAT_CALL, in
 * return.bpf.h, probes both the entry and the return.
 *
 * The body reads members of a struct that an argument points to with ESTAT_READ(), because the
 * verifier knows the types of arguments at fentry and fexit, but not at kprobe. The body reads
 * members of any other struct with BPF_CORE_READ(). The function can have more arguments than the
 * body reads. If the function has more than six, NARGS is ESTAT_MANY_ARGS.
 */
#ifndef ESTAT_BPF_PROBE_H
#define ESTAT_BPF_PROBE_H

#include "declare.bpf.h"

/* struct pt_regs: the registers at a function's entry and return; CO-RE relocates the members. */
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
 * A probe can have BPF programs for kprobe and for fentry. This variable says which of them count a
 * call that is entered now. 1: those for kprobe; 0: those for fentry. To switch, the agent first
 * attaches the new BPF programs and then changes this variable, so that each call counts once.
 */
__u32 estat_by_kprobes;

/*
 * How many times the module's BPF programs for kprobes at entries, other than those of the OTHER of
 * an ESTAT_INSTEAD, have run on each CPU. On a CPU only one such program runs at a time. The agent
 * subtracts these runs from the hits of the kprobes; the growth of the difference is the number of
 * missed events (programs_kprobe_missed()).
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

#define ESTAT_FROM_CONTEXT(call, ctx, NARGS)                                                      \
	_Pragma("unroll") for (int _i = 0; _i < (NARGS) && _i < ESTAT_ARGS; _i++)(call).arg[_i] = \
		(ctx)[_i]

#define ESTAT_FROM_REGISTERS(call, ctx)      \
	struct estat_call call = {           \
		.arg = ESTAT_REGISTERS(ctx), \
	}

/* A hash of a probe's name (FNV-1a); the compiler computes it. */
static __always_inline __u64 estat_probe_number(const char *name, __u32 length)
{
	__u64 hash = 0xcbf29ce484222325;

#pragma unroll
	for (__u32 i = 0; i < length; i++)
		hash = (hash ^ name[i]) * 0x100000001b3;
	return hash;
}

#define ESTAT_PROBE_NUMBER(NAME) estat_probe_number(#NAME, sizeof(#NAME) - 1)

/* Declare a probe's struct estat_probe, and the body that the probe's BPF programs run. */
#define ESTAT_PROBE(NAME, NARGS)                                               \
	const volatile struct estat_probe NAME##_probe = { .nargs = (NARGS) }; \
	static __always_inline int NAME(const struct estat_call *call, bool typed);

/* A probe of a function's entry. The body reads the first NARGS arguments. */
#define ESTAT_ENTRY(NAME, FUNCTION, NARGS)                                           \
	ESTAT_PROBE(NAME, NARGS)                                                     \
	SEC("fentry/" #FUNCTION)                                                     \
	int NAME##_fentry(__u64 *ctx)                                                \
	{                                                                            \
		struct estat_call call = {};                                         \
                                                                                     \
		if (estat_by_kprobes)                                                \
			return 0;                                                    \
		ESTAT_FROM_CONTEXT(call, ctx, NARGS);                                \
		return NAME(&call, true);                                            \
	}                                                                            \
	SEC("?kprobe/" #FUNCTION)                                                    \
	int NAME##_kprobe(struct pt_regs *ctx)                                       \
	{                                                                            \
		ESTAT_FROM_REGISTERS(call, ctx);                                     \
                                                                                     \
		if (NAME##_probe.by != ESTAT_BY_OTHER)                               \
			estat_ran();                                                 \
		return estat_by_kprobes || NAME##_probe.by ? NAME(&call, false) : 0; \
	}                                                                            \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/*
 * Define a probe, such as ESTAT_ENTRY(name, function, 1), whose body only evaluates and returns the
 * expression RESULT.
 */
#define ESTAT_RUN(PROBE, RESULT) \
	PROBE                    \
	{                        \
		return RESULT;   \
	}

/*
 * Element N of an fexit program's context. The load is in asm, because the verifier allows only
 * constant offsets, and compilers can merge two loads into one load with a variable offset. The asm
 * is not volatile, so that clang drops a load that is not used: the verifier rejects a BPF program
 * that loads what a void function returns.
 */
#define ESTAT_ELEMENT(ctx, N)                                                            \
	({                                                                               \
		__u64 _element;                                                          \
                                                                                         \
		asm("%0 = *(u64 *)(%1 + %2)" : "=r"(_element) : "r"(ctx), "i"(8 * (N))); \
		_element;                                                                \
	})

enum bpf_func_id___estat {
	BPF_FUNC_get_func_ret___estat,
};

/*
 * The value that a function returned, in a BPF program for fexit. bpf_get_func_ret() exists since
 * Linux 5.17. On older kernels the value follows the function's `nargs` arguments in the context.
 */
static __always_inline __u64 estat_returned(__u64 *ctx, __u8 nargs)
{
	__u64 ret = 0;

	if (bpf_core_enum_value_exists(enum bpf_func_id___estat, BPF_FUNC_get_func_ret___estat)) {
		bpf_get_func_ret(ctx, &ret);
		return ret;
	}
	switch (nargs) {
	case 0:
		return ESTAT_ELEMENT(ctx, 0);
	case 1:
		return ESTAT_ELEMENT(ctx, 1);
	case 2:
		return ESTAT_ELEMENT(ctx, 2);
	case 3:
		return ESTAT_ELEMENT(ctx, 3);
	case 4:
		return ESTAT_ELEMENT(ctx, 4);
	case 5:
		return ESTAT_ELEMENT(ctx, 5);
	}
	return ESTAT_ELEMENT(ctx, 6);
}

/*
 * The two BPF programs of a probe of a return. The BPF program for fexit runs the body if the
 * condition TYPED is true, the BPF program for kretprobe if UNTYPED is true.
 */
#define ESTAT_BY_RETURN(NAME, FUNCTION, NARGS, TYPED, UNTYPED)                    \
	SEC("fexit/" #FUNCTION)                                                   \
	int NAME##_fexit(__u64 *ctx)                                              \
	{                                                                         \
		struct estat_call call = {};                                      \
                                                                                  \
		if (!(TYPED))                                                     \
			return 0;                                                 \
		/* for the verifier only arguments read from `ctx` have a type */ \
		ESTAT_FROM_CONTEXT(call, ctx, NARGS);                             \
		call.ret = estat_returned(ctx, NAME##_probe.returns);             \
		return NAME(&call, true);                                         \
	}                                                                         \
	SEC("?kretprobe/" #FUNCTION)                                              \
	int NAME##_kretprobe(struct pt_regs *ctx)                                 \
	{                                                                         \
		struct estat_call call = {};                                      \
                                                                                  \
		if (!(UNTYPED))                                                   \
			return 0;                                                 \
		call.ret = ESTAT_RETURNED(ctx);                                   \
		return NAME(&call, false);                                        \
	}                                                                         \
	static __always_inline int NAME(const struct estat_call *call, bool typed)

/*
 * A probe of a function's return. The body gets the return value and, by fexit only, the first
 * NARGS arguments. A kretprobe gets no arguments: if the body needs arguments, the module must keep
 * them by thread at the entry. The return value has 64 bits: cast the value if the function returns
 * a shorter type.
 */
#define ESTAT_EXIT(NAME, FUNCTION, NARGS)                                       \
	ESTAT_PROBE(NAME, NARGS)                                                \
	ESTAT_BY_RETURN(NAME, FUNCTION, NARGS,                                  \
			!estat_by_kprobes || NAME##_probe.by == ESTAT_BY_OTHER, \
			estat_by_kprobes || NAME##_probe.by)

#endif /* ESTAT_BPF_PROBE_H */
