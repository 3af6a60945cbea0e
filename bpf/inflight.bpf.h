/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations under way. The BPF program at an operation's begin stores an entry; the BPF program at
 * the end takes the entry. A number, the id, tells which operation an entry is of: often the
 *address of a kernel object, by estat_id(). ESTAT_INFLIGHT declares a memory of entries and its
 *policy:
 *
 *	ESTAT_INFLIGHT(NAME, SETS, N)			N sets of four entries, a power of two.
 *							A set that is full loses its oldest entry.
 *	ESTAT_INFLIGHT(NAME, TABLE, TYPE, N, HOME)	N entries, open addressing
 *	ESTAT_INFLIGHT(NAME, HASH, KEY, TYPE, N)	a hash map; the id is a KEY
 *	ESTAT_INFLIGHT(NAME, THREAD, TYPE)		one entry a thread; needs thread.bpf.h
 *
 * TYPE is a struct of the module with a member `__u64 began`. An entry from before the last attach
 * is never found: its end was not seen, and its id may be of a new operation.
 */
#ifndef ESTAT_BPF_INFLIGHT_H
#define ESTAT_BPF_INFLIGHT_H

#include "bucket.h"
#include "declare.bpf.h"

#define ESTAT_INFLIGHT(NAME, POLICY, ...) ESTAT_INFLIGHT_##POLICY(NAME, __VA_ARGS__)

/*
 * The address of a kernel object as a number. Of a pointer the verifier allows no arithmetic but
 * this: the result of a negation is a number. Linux 5.15 to 7.3 (check_alu_op,
 * kernel/bpf/verifier.c).
 */
static __always_inline __attribute__((unused)) __u64 estat_id(const void *object)
{
	__u64 id = (__u64)object;

	asm("%0 = -%0" : "+r"(id));
	return -id;
}

/* An entry of SETS. `began` is a time by bpf_ktime_get_ns(), below 2^62, and two flags. */
struct estat_begun {
	__u64 id; /* 0: the entry is free */
	__u64 began;
};

#define ESTAT_FLAG_1 (1ULL << 63) /* each module gives the flags a meaning */
#define ESTAT_FLAG_2 (1ULL << 62)
#define ESTAT_BEGAN  (ESTAT_FLAG_2 - 1)

/* A store that the compiler leaves where it is. */
#define ESTAT_STORE(to, value) (*(volatile typeof(to) *)&(to) = (value))
#define ESTAT_LOAD(from)       (*(volatile typeof(from) *)&(from))

/* The entry for an operation in a set that is not empty: that of its id, a free one, the oldest. */
static __noinline __attribute__((unused)) struct estat_begun *
estat_entry_for(struct estat_begun *set, __u64 id)
{
	struct estat_begun *oldest = &set[0];

	for (int i = 0; i < 4; i++)
		if (set[i].id == id)
			return &set[i];
	for (int i = 0; i < 4; i++)
		if (!set[i].id)
			return &set[i];
	for (int i = 1; i < 4; i++)
		if ((set[i].began & ESTAT_BEGAN) < (oldest->began & ESTAT_BEGAN))
			oldest = &set[i];
	ESTAT_STORE(oldest->began, 0); /* the old operation may end now on another CPU */
	return oldest;
}

/*
 * Another CPU may take or walk the set meanwhile: `began` of a free entry is 0 and is stored last,
 * so an id never has the time of an older operation.
 */
static __always_inline __attribute__((unused)) void estat_set_begin(struct estat_begun *set,
								    __u64 id, __u64 began)
{
	struct estat_begun *e = set;

	if (set[0].id | set[1].id | set[2].id | set[3].id)
		e = estat_entry_for(set, id);
	ESTAT_STORE(e->id, id);
	ESTAT_STORE(e->began, began);
}

static __always_inline __attribute__((unused)) struct estat_begun *
estat_set_find(struct estat_begun *set, __u64 id)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		if (set[i].id == id)
			return estat_since_attach(set[i].began & ESTAT_BEGAN) ? &set[i] : NULL;
	return NULL;
}

/* Free an entry that NAME_find() returned. */
static __always_inline __attribute__((unused)) void estat_free(struct estat_begun *e)
{
	ESTAT_STORE(e->began, 0);
	ESTAT_STORE(e->id, 0);
}

static __always_inline __attribute__((unused)) __s64 estat_set_take(struct estat_begun *set,
								    __u64 id, __u64 now)
{
	struct estat_begun *e = estat_set_find(set, id);
	__s64 ns;

	if (!e)
		return -1;
	ns = now - (e->began & ESTAT_BEGAN);
	if (ESTAT_LOAD(e->id) != id) /* another CPU has replaced the entry */
		return -1;
	estat_free(e);
	return ns < 0 ? 0 : ns;
}

/*
 * NAME_begin(id, began): an operation begins; `began` is the time, with the module's flags
 * NAME_find(id): the operation's entry, or NULL
 * NAME_take(id, now): the operation ends: nanoseconds since its begin, or -1 if it has no entry.
 *The caller then counts the operation as missed.
 */
#define ESTAT_INFLIGHT_SETS(NAME, N)                                                               \
	struct estat_begun NAME[4 * (N)] __attribute__((aligned(64))); /* a set is a cache line */ \
	static __always_inline struct estat_begun *NAME##_set(__u64 id)                            \
	{                                                                                          \
		return &NAME[4 * estat_masked(id * 0x9e3779b97f4a7c15 >> 40, (N)-1)];              \
	}                                                                                          \
	static __always_inline __attribute__((unused)) void NAME##_begin(__u64 id, __u64 began)    \
	{                                                                                          \
		estat_set_begin(NAME##_set(id), id, began);                                        \
	}                                                                                          \
	static __always_inline __attribute__((unused)) struct estat_begun *NAME##_find(__u64 id)   \
	{                                                                                          \
		return estat_set_find(NAME##_set(id), id);                                         \
	}                                                                                          \
	static __always_inline __attribute__((unused)) __s64 NAME##_take(__u64 id, __u64 now)      \
	{                                                                                          \
		return estat_set_take(NAME##_set(id), id, now);                                    \
	}                                                                                          \
	struct estat_begun /* lets a semicolon follow the macro */

/*
 * NAME_begin(id, e): an operation begins; *e, with `began` filled in, is copied. Without room the
 *	operation counts as missed.
 * NAME_find(id): the operation's entry, or NULL
 * NAME_free(id): the operation has ended.
 */
#define ESTAT_INFLIGHT_HASH(NAME, KEY, TYPE, N)                                           \
	ESTAT_HASH_MAP(NAME, HASH, KEY, TYPE, N);                                         \
	static __always_inline __attribute__((unused)) void NAME##_begin(KEY id, TYPE *e) \
	{                                                                                 \
		if (bpf_map_update_elem(&NAME, &id, e, BPF_ANY))                          \
			estat_count_missed();                                             \
	}                                                                                 \
	static __always_inline __attribute__((unused)) void NAME##_free(KEY id)           \
	{                                                                                 \
		bpf_map_delete_elem(&NAME, &id);                                          \
	}                                                                                 \
	static __always_inline __attribute__((unused)) TYPE *NAME##_find(KEY id)          \
	{                                                                                 \
		TYPE *e = bpf_map_lookup_elem(&NAME, &id);                                \
                                                                                          \
		if (!e || estat_since_attach(e->began))                                   \
			return e;                                                         \
		NAME##_free(id);                                                          \
		return NULL;                                                              \
	}                                                                                 \
	struct NAME##_inflight /* lets a semicolon follow the macro */

/*
 * NAME_begin(): the thread's operation begins now. Returns the thread's entry, in which only
 *`began` is set, or NULL if there is no memory; the operation then counts as missed. NAME_find():
 *the thread's entry, or NULL NAME_free(e): the operation has ended.
 */
#define ESTAT_INFLIGHT_THREAD(NAME, TYPE)                                        \
	ESTAT_PER_THREAD(NAME, TYPE);                                            \
	static __always_inline __attribute__((unused)) TYPE *NAME##_begin(void)  \
	{                                                                        \
		TYPE *e = NAME##_make();                                         \
                                                                                 \
		if (e)                                                           \
			e->began = bpf_ktime_get_ns();                           \
		else                                                             \
			estat_count_missed();                                    \
		return e;                                                        \
	}                                                                        \
	static __always_inline __attribute__((unused)) TYPE *NAME##_find(void)   \
	{                                                                        \
		TYPE *e = NAME##_here();                                         \
                                                                                 \
		return e && estat_since_attach(e->began) ? e : NULL;             \
	}                                                                        \
	static __always_inline __attribute__((unused)) void NAME##_free(TYPE *e) \
	{                                                                        \
		e->began = 0;                                                    \
	}                                                                        \
	struct NAME##_inflight /* lets a semicolon follow the macro */

#endif /* ESTAT_BPF_INFLIGHT_H */
