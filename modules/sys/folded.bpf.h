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

/*
 * There is room for at least so many texts. The map's flags are 0, which allocates the texts'
 * memory at load, because a BPF program must not allocate while a run queue is locked.
 */
#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS 0
#define ESTAT_NAMES_VALUE struct estat_long_name

#include "inflight.bpf.h"
#include "name.bpf.h"
#include "thread.bpf.h"

#define FRAMES     64
#define FRAME_NAME 128 /* bytes for a function's name, with " [MODULE]" and the NUL */

/* A text that is being made on a CPU. No BPF program that makes a text interrupts another one. */
struct folding {
	__u64 frames[FRAMES]; /* the innermost first; from frames[1] on, return addresses */
	__u64 n;              /* number of frames */
	__u64 end;            /* length of the text */
	__u64 hash;           /* of the frames; later of the text's pieces taken so far */
	bool traced; /* the innermost functions run a tracepoint's BPF program, and are left out */
	bool ended;  /* the text is complete */
	struct estat_long_name name;
	/* the rest of the last name, if only its begin fits into the text */
	char beyond[FRAME_NAME];
};

ESTAT_ARRAY_MAP(foldings, PERCPU_ARRAY, struct folding, 1);

/* The id of a stack's text, by a hash of the stack's frames. */
ESTAT_HASH_MAP(folded_ids, LRU_HASH, __u64, __u64, 8192);

/* Are the first 8 characters of `name` those of `text`? */
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
 * folded_frames(), folded_add() and folded_hash() are not static, so the verifier checks each of
 * them once. If they were static, the verifier would check them in each BPF program, and for each
 * length of a stack.
 */

/* Set f->hash to the hash of the frames. */
__noinline int folded_frames(void)
{
	__u32 only = 0;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);

	if (!f)
		return 0;
	f->hash = ESTAT_NAME_HASH;
	for (__u32 i = 0; i < FRAMES && i < f->n; i++)
		f->hash = (f->hash ^ f->frames[i]) * 1099511628211ULL;
	return 0;
}

/*
 * Add to the text the name of the function of f->frames[frame], if the stack has that frame and the
 * text is not complete. If f->traced is set and the function runs a tracepoint's BPF program, the
 * name is not added, and the text is complete.
 */
__noinline int folded_add(__u32 frame)
{
	__u32 only = 0;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);
	__u64 at, begin, address;
	long n;

	if (!f || f->ended || frame >= f->n || frame >= FRAMES)
		return 0;
	/*
	 * subtract 1 from a return address, because it is that of the instruction after the call.
	 * If the call is a function's last instruction, the return address belongs to the next
	 * function
	 */
	address = f->frames[frame] - (frame > 0);
	at = estat_masked(f->end, ESTAT_LONG_TEXT_LEN - 1);
	begin = at + (at > 0);
	if (at)
		f->name.text[at] = ';';
	n = BPF_SNPRINTF(f->name.text + begin, FRAME_NAME, "%ps", (void *)address);
	/* n is the length of the whole name with its NUL, of which the text has FRAME_NAME bytes */
	if (n > FRAME_NAME)
		n = FRAME_NAME;
	f->end = begin + (n > 0 ? n - 1 : 0);
	f->ended = f->end >= ESTAT_LONG_TEXT_LEN - 1;
	if (f->traced && is_tracing(f->name.text + begin)) {
		f->name.text[at] = 0;
		f->ended = true;
	}
	return 0;
}

#define PIECE 32 /* characters that a folded_hash() call takes; divisor of ESTAT_LONG_TEXT_LEN */

/*
 * Add a piece of the text, from `from`, to f->hash. Changes blanks of the piece to _.
 * Returns 1 if the text can have more pieces, else 0.
 */
__noinline int folded_hash(__u32 from)
{
	__u32 only = 0;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);

	if (!f)
		return 0;
	for (__u32 i = 0; i < PIECE; i++) {
		char *c = &f->name.text[(from + i) & (ESTAT_LONG_TEXT_LEN - 1)];

		if (!*c)
			return 0;
		if (*c == ' ')
			*c = '_';
		f->hash = estat_name_hash(f->hash, (unsigned char)*c);
	}
	return 1;
}

/*
 * The id of the text of the current stack. Notes the text for the agent, if the stack is a new one.
 * ctx is the BPF program's context; `traced`: that program is at a tracepoint.
 */
static __noinline __u64 folded(void *ctx, bool traced)
{
	__u64 hash, id, *known;
	__u32 only = 0;
	struct folding *f = bpf_map_lookup_elem(&foldings, &only);
	long bytes;

	if (!f)
		return 0;
	bytes = bpf_get_stack(ctx, f->frames, sizeof(f->frames), 0);
	f->n = bytes > 0 ? bytes / sizeof(__u64) : 0;
	folded_frames();
	hash = f->hash;
	known = bpf_map_lookup_elem(&folded_ids, &hash);
	if (known)
		return *known;
	f->end = f->name.text[0] = 0;
	f->traced = traced;
	f->ended = false;
	for (__u32 i = 0; i < FRAMES; i++)
		folded_add(FRAMES - 1 - i);
	if (!f->n)
		__builtin_memcpy(f->name.text, "user", 5);
	f->name.text[ESTAT_LONG_TEXT_LEN - 1] = 0;
	f->hash = ESTAT_NAME_HASH;
	for (__u32 from = 0; from < ESTAT_LONG_TEXT_LEN && folded_hash(from); from += PIECE)
		;
	id = f->hash;
	estat_name_as(id, &f->name);
	bpf_map_update_elem(&folded_ids, &hash, &id, BPF_ANY);
	return id;
}

#endif /* ESTAT_MODULES_SYS_FOLDED_H */
