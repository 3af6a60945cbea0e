/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack of kernel functions as a text: a folded line, the format that tools for flame graphs
 * read, such as "entry;do_syscall;read". The id of a text is its hash. The kernel takes half a
 * microsecond to turn an address into a name. So the text is made once for each stack of addresses,
 * and its id is remembered.
 */
#ifndef ESTAT_MODULES_SYS_FOLDED_H
#define ESTAT_MODULES_SYS_FOLDED_H

#include "aggregate.bpf.h"

#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS 0 /* a BPF program that holds a run queue's lock must not allocate */
#define ESTAT_NAMES_VALUE struct estat_long_name

#include "inflight.bpf.h"
#include "name.bpf.h"
#include "thread.bpf.h"

#define FRAMES     64
#define FRAME_NAME 128 /* bytes for a function's name, with " [MODULE]" and the NUL */

/* A text that is being made on a CPU. No BPF program of the module interrupts another one. */
struct folding {
	__u64 frames[FRAMES]; /* return addresses, the innermost first */
	__u64 end;            /* length of the text */
	bool traced; /* the innermost functions run a tracepoint's BPF program, and are left out */
	bool ended;  /* the text is complete */
	struct estat_long_name name;
	/* the rest of the last name, if only its begin fits into the text */
	char beyond[FRAME_NAME];
};

ESTAT_ARRAY_MAP(foldings, PERCPU_ARRAY, struct folding, 1);

/* The id of a stack's text, by a hash of the stack's return addresses. */
ESTAT_HASH_MAP(folded_ids, LRU_HASH, __u64, __u64, 8192);

static __always_inline bool begins(const char *name, const char *text)
{
	__u64 a, b;

	__builtin_memcpy(&a, name, sizeof(a));
	__builtin_memcpy(&b, text, sizeof(b));
	return a == b;
}

/* Is `name` the name of a function by which a tracepoint runs a BPF program? */
static __always_inline bool is_tracing(const char *name)
{
	return begins(name, "__traceiter_") || begins(name, "__bpf_trace_") ||
	       begins(name, "bpf_trace_run");
}

/*
 * Add to the text the name of the function whose code has the address. Not static, so the verifier
 * checks the function once.
 */
__noinline int folded_add(__u64 address)
{
	__u32 only = 0;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);
	__u64 at, begin;
	long n;

	if (!f || f->ended)
		return 0;
	at = estat_masked(f->end, ESTAT_LONG_TEXT_LEN - 1);
	begin = at + (at > 0);
	if (at)
		f->name.text[at] = ';';
	n = BPF_SNPRINTF(f->name.text + begin, FRAME_NAME, "%ps", (void *)address);
	f->end = begin + (n > 0 ? n - 1 : 0);
	f->ended = f->end >= ESTAT_LONG_TEXT_LEN - 1;
	if (f->traced && is_tracing(f->name.text + begin)) {
		f->name.text[at] = 0;
		f->ended = true;
	}
	return 0;
}

/* The hash of the text. Changes blanks of the text to _. */
static __always_inline __u64 folded_hash(struct folding *f)
{
	__u64 hash = ESTAT_NAME_HASH;

	for (__u32 i = 0; i < ESTAT_LONG_TEXT_LEN; i++) {
		char c = f->name.text[i];

		if (!c)
			break;
		if (c == ' ')
			f->name.text[i] = c = '_';
		hash = estat_name_hash(hash, (unsigned char)c);
	}
	return hash;
}

/*
 * The id of the current stack; ctx is the BPF program's context; `traced`: that program is at a
 * tracepoint.
 */
static __noinline __u64 folded(void *ctx, bool traced)
{
	__u64 hash = ESTAT_NAME_HASH, id, *known;
	__u32 only = 0, n;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);
	long bytes;

	if (!f)
		return 0;
	bytes = bpf_get_stack(ctx, f->frames, sizeof(f->frames), 0);
	n = bytes > 0 ? bytes / sizeof(__u64) : 0;
	for (__u32 i = 0; i < FRAMES && i < n; i++)
		hash = (hash ^ f->frames[i]) * 1099511628211ULL;
	known = bpf_map_lookup_elem(&folded_ids, &hash);
	if (known)
		return *known;
	f->end = f->name.text[0] = 0;
	f->traced = traced;
	f->ended = false;
	for (__u32 i = 0; i < FRAMES; i++) {
		__u32 at = FRAMES - 1 - i;

		if (at < n)
			/*
			 * subtract 1 from a return address, because it is that of the instruction
			 * after the call. If the call is a function's last instruction, the return
			 * address belongs to the next function
			 */
			folded_add(f->frames[at] - (at > 0));
	}
	if (!n)
		__builtin_memcpy(f->name.text, "user", 5);
	f->name.text[ESTAT_LONG_TEXT_LEN - 1] = 0;
	id = folded_hash(f);
	estat_name_as(id, &f->name);
	bpf_map_update_elem(&folded_ids, &hash, &id, BPF_ANY);
	return id;
}

#endif /* ESTAT_MODULES_SYS_FOLDED_H */
