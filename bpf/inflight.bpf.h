/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations under way. The BPF program at an operation's begin stores an entry; the BPF program at
 * the end takes the entry. Except for the kind THREAD, an entry has the id of its operation, often
 * the result of estat_id(). ESTAT_INFLIGHT declares a memory for entries, of one of these kinds:
 *
 *	ESTAT_INFLIGHT(NAME, SETS, N)			N sets of four entries; N is a power of two
 *	ESTAT_INFLIGHT(NAME, NOTED, N, NOTE)		SETS whose entries have a NOTE each
 *	ESTAT_INFLIGHT(NAME, TABLE, TYPE, N, HOME)	N entries, N a power of two; open addressing
 *	ESTAT_INFLIGHT(NAME, HASH, KEY, TYPE, N)	a hash map; the id is a KEY
 *	ESTAT_INFLIGHT(NAME, THREAD, TYPE)		one entry a thread; needs thread.bpf.h
 *
 * TYPE is a struct of the module with a member `__u64 began`. No function finds the entry of an
 * operation that began before the last attachment, because the operation's end may not have been
 * seen, and the id may belong to a new operation.
 */
#ifndef ESTAT_BPF_INFLIGHT_H
#define ESTAT_BPF_INFLIGHT_H

#include "bucket.h"
#include "declare.bpf.h"
#include "walk.bpf.h"

#define ESTAT_INFLIGHT(NAME, POLICY, ...) ESTAT_INFLIGHT_##POLICY(NAME, __VA_ARGS__)

/*
 * The address of a kernel object, which is a number to the verifier. The code negates the address
 * twice, because the verifier takes a negated pointer for a number (check_alu_op in
 * kernel/bpf/verifier.c, Linux 5.15 to 7.3).
 */
static __always_inline __attribute__((unused)) __u64 estat_id(const void *object)
{
	__u64 id = (__u64)object;

	asm("%0 = -%0" : "+r"(id));
	return -id;
}

/*
 * An entry of ESTAT_INFLIGHT_SETS or ESTAT_INFLIGHT_NOTED. `began` holds a time by
 * bpf_ktime_get_ns(), below 2^62, and two flags.
 */
struct estat_begun {
	__u64 id; /* 0: the entry is free */
	__u64 began;
};

#define ESTAT_FLAG_1 (1ULL << 63) /* flags in `began`; each module gives them a meaning */
#define ESTAT_FLAG_2 (1ULL << 62)
#define ESTAT_BEGAN  (ESTAT_FLAG_2 - 1)

/* The compiler omits no ESTAT_STORE and no ESTAT_LOAD, and keeps them in the order of the code. */
#define ESTAT_STORE(to, value) (*(volatile typeof(to) *)&(to) = (value))
#define ESTAT_LOAD(from)       (*(volatile typeof(from) *)&(from))

/* Store 0, after the CPU has done all loads and stores that the compiler puts before this store. */
#ifdef __TARGET_ARCH_x86
#define ESTAT_RELEASE(to) ESTAT_STORE(to, 0)
#else
#define ESTAT_RELEASE(to) __sync_lock_test_and_set(&(to), 0)
#endif

/*
 * The entry with the id in a set; if there is none, a free entry; NULL: the set has neither. If all
 * four entries of a set are free, estat_set_claim() takes the first without this function.
 */
static __noinline __attribute__((unused)) struct estat_begun *
estat_entry_for(struct estat_begun *set, __u64 id)
{
	for (int i = 0; i < 4; i++)
		if (set[i].id == id)
			return &set[i];
	for (int i = 0; i < 4; i++)
		if (!set[i].id)
			return &set[i];
	return NULL;
}

static __always_inline struct estat_begun *estat_set_claim(struct estat_begun *set, __u64 id)
{
	return set[0].id | set[1].id | set[2].id | set[3].id ? estat_entry_for(set, id) : set;
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

/*
 * Free the entry of an operation that has ended. Returns e->began; 0: another operation has got the
 * entry.
 */
static __always_inline __attribute__((unused)) __u64 estat_free(struct estat_begun *e, __u64 id)
{
	__u64 began = e->began;

	if (ESTAT_LOAD(e->id) != id)
		return 0;
	ESTAT_STORE(e->began, 0);
	ESTAT_RELEASE(e->id);
	return began;
}

/*
 * Nanoseconds from an operation's begin to `now`; 0 if `now` is earlier. `began` is the begin, with
 * or without the module's flags. -1: `began` is 0, which is what NAME_remove() returns for an
 * operation without an entry.
 */
static __always_inline __attribute__((unused)) __s64 estat_since(__u64 began, __u64 now)
{
	__s64 ns = now - (began & ESTAT_BEGAN);

	if (!began)
		return -1;
	return ns < 0 ? 0 : ns;
}

/*
 * NAME_begin(id, began): store an entry; `began` is the operation's begin, with the module's flags
 * NAME_find(id): the operation's entry, or NULL
 * NAME_remove(id): the operation ends. Returns the time of the operation's begin, with the flags;
 *	0: the operation has no entry.
 * NAME_take(id, now): the operation ends. Returns the nanoseconds since the operation's begin; -1:
 *	the operation has no entry.
 * NAME_end(id, now): does what NAME_take() does. If the operation has no entry, its begin was not
 *	seen, or another operation got its entry: then the operation counts as missed.
 */
#define ESTAT_INFLIGHT_SETS(NAME, N)                                                               \
	struct estat_begun NAME[4 * (N)] __attribute__((aligned(64))); /* a set is a cache line */ \
	ESTAT_SETS(NAME, N, 4)                                                                     \
	static __always_inline __attribute__((unused)) void NAME##_begin(__u64 id, __u64 began)    \
	{                                                                                          \
		ESTAT_STORE(NAME##_claim(id)->began, began);                                       \
	}                                                                                          \
	struct estat_begun /* lets a semicolon follow the macro */

/*
 * NOTE is a struct of the module, of 16 bytes: what the module notes of an operation. In memory the
 * four notes of a set follow the set's four entries.
 *
 * NAME_begin(id, began, note): as NAME_begin() of ESTAT_INFLIGHT_SETS, and stores `note`
 * NAME_note(e): the note of entry *e
 */
#define ESTAT_INFLIGHT_NOTED(NAME, N, NOTE)                                                 \
	struct estat_begun NAME[8 * (N)] __attribute__((aligned(64)));                      \
	ESTAT_SETS(NAME, N, 8)                                                              \
	static __always_inline NOTE *NAME##_note(const struct estat_begun *e)               \
	{                                                                                   \
		_Static_assert(sizeof(NOTE) == sizeof(*e), "a NOTE must have 16 bytes");    \
		return (NOTE *)(e + 4);                                                     \
	}                                                                                   \
	static __always_inline                                                              \
		__attribute__((unused)) void NAME##_begin(__u64 id, __u64 began, NOTE note) \
	{                                                                                   \
		struct estat_begun *e = NAME##_claim(id);                                   \
		__u64 *to = (__u64 *)NAME##_note(e), words[2];                              \
                                                                                            \
		__builtin_memcpy(words, &note, sizeof(words));                              \
		ESTAT_STORE(to[0], words[0]);                                               \
		ESTAT_STORE(to[1], words[1]);                                               \
		ESTAT_STORE(e->began, began);                                               \
	}                                                                                   \
	struct estat_begun /* lets a semicolon follow the macro */

/* How many other sets are tried for an operation whose own set is full. */
#define ESTAT_OTHER_SETS 8

/*
 * NAME_set(id, n): the number of an operation's own set (n = 0), or of the nth set tried after it
 * NAME_at(at): the entry with the index `at`, modulo NAME_entries; the set with the number s begins
 * at index 4 * s
 * NAME_moved: at least the number of entries that are not in their operation's own set
 * NAME_lost: when an entry was last given to another operation, because all sets tried were full
 * NAME_elsewhere(id, wanted): the index of an entry with the id `wanted`, in the sets tried after
 *	the own set of `id`; -1: none
 * NAME_claim(id): an entry for an operation. Another CPU may walk the set at that time. So that
 *	the walk does not see a new id beside the time of an older operation, a free entry has 0 as
 *	`began`, and the caller stores `began` last. If two CPUs claim a free entry at once, one of
 *	the two operations has no entry.
 *
 * Some functions are not static, so that the verifier checks them once, and not at each call.
 */
#define ESTAT_SETS(NAME, N, STRIDE)                                                               \
	__u64 NAME##_moved, NAME##_lost;                                                          \
	static __always_inline __u64 NAME##_set(__u64 id, __u32 n)                                \
	{                                                                                         \
		__u64 own = id * 0x9e3779b97f4a7c15 >> 40;                                        \
                                                                                                  \
		return estat_masked(own + n * (n + 1) / 2, (N)-1);                                \
	}                                                                                         \
	enum { NAME##_entries = 4 * (N) };                                                        \
	/* two additions to the pointer: Linux 5.15's verifier cannot bound the indexes' sum */   \
	static __always_inline struct estat_begun *NAME##_at(__u64 at)                            \
	{                                                                                         \
		struct estat_begun *set = &NAME[(STRIDE)*estat_masked(at / 4, (N)-1)];            \
                                                                                                  \
		barrier_var(set);                                                                 \
		return set + estat_masked(at, 3);                                                 \
	}                                                                                         \
	static __always_inline struct estat_begun *NAME##_own(__u64 id)                           \
	{                                                                                         \
		return &NAME[(STRIDE)*NAME##_set(id, 0)];                                         \
	}                                                                                         \
	__noinline int NAME##_elsewhere(__u64 id, __u64 wanted)                                   \
	{                                                                                         \
		for (__u32 n = 1; n <= ESTAT_OTHER_SETS; n++) {                                   \
			__u64 at = 4 * NAME##_set(id, n);                                         \
                                                                                                  \
			for (int i = 0; i < 4; i++)                                               \
				if (NAME##_at(at + i)->id == wanted)                              \
					return at + i;                                            \
		}                                                                                 \
		return -1;                                                                        \
	}                                                                                         \
	__noinline int NAME##_move(__u64 id)                                                      \
	{                                                                                         \
		__u64 own = 4 * NAME##_set(id, 0), oldest = own;                                  \
		int at = NAME##_elsewhere(id, 0);                                                 \
                                                                                                  \
		if (at >= 0) {                                                                    \
			__sync_fetch_and_add(&NAME##_moved, 1);                                   \
			return at;                                                                \
		}                                                                                 \
		for (int i = 1; i < 4; i++)                                                       \
			if ((NAME##_at(own + i)->began & ESTAT_BEGAN) <                           \
			    (NAME##_at(oldest)->began & ESTAT_BEGAN))                             \
				oldest = own + i;                                                 \
		NAME##_lost = bpf_ktime_get_ns();                                                 \
		/* no other CPU shall see the new id beside the time of the old operation */      \
		ESTAT_STORE(NAME##_at(oldest)->began, 0);                                         \
		return oldest;                                                                    \
	}                                                                                         \
	static __always_inline __attribute__((unused)) struct estat_begun *NAME##_claim(__u64 id) \
	{                                                                                         \
		struct estat_begun *e = estat_set_claim(NAME##_own(id), id);                      \
                                                                                                  \
		if (ESTAT_SELDOM(!e))                                                             \
			e = NAME##_at(NAME##_move(id));                                           \
		ESTAT_STORE(e->id, id);                                                           \
		return e;                                                                         \
	}                                                                                         \
	static __always_inline __attribute__((unused)) struct estat_begun *NAME##_find(__u64 id)  \
	{                                                                                         \
		struct estat_begun *e = estat_set_find(NAME##_own(id), id);                       \
		int at;                                                                           \
                                                                                                  \
		if (e || !NAME##_moved)                                                           \
			return e;                                                                 \
		at = NAME##_elsewhere(id, id);                                                    \
		e = NAME##_at(at);                                                                \
		return at >= 0 && estat_since_attach(e->began & ESTAT_BEGAN) ? e : NULL;          \
	}                                                                                         \
	__noinline __u64 NAME##_remove_moved(__u64 id)                                            \
	{                                                                                         \
		struct estat_begun *e = NAME##_find(id);                                          \
		__u64 began = e ? estat_free(e, id) : 0;                                          \
                                                                                                  \
		if (began)                                                                        \
			__sync_fetch_and_add(&NAME##_moved, -1);                                  \
		return began;                                                                     \
	}                                                                                         \
	static __always_inline __attribute__((unused)) __u64 NAME##_remove(__u64 id)              \
	{                                                                                         \
		struct estat_begun *e = estat_set_find(NAME##_own(id), id);                       \
                                                                                                  \
		if (e)                                                                            \
			return estat_free(e, id);                                                 \
		return NAME##_moved ? NAME##_remove_moved(id) : 0;                                \
	}                                                                                         \
	static __always_inline __attribute__((unused)) __s64 NAME##_take(__u64 id, __u64 now)     \
	{                                                                                         \
		return estat_since(NAME##_remove(id), now);                                       \
	}                                                                                         \
	static __always_inline __attribute__((unused)) __s64 NAME##_end(__u64 id, __u64 now)      \
	{                                                                                         \
		__s64 ns = NAME##_take(id, now);                                                  \
                                                                                                  \
		if (ESTAT_SELDOM(ns < 0))                                                         \
			estat_count_missed();                                                     \
		return ns;                                                                        \
	}

/* How many entries of an ESTAT_INFLIGHT_TABLE are tried for an id. */
#define ESTAT_TRIES 32

/*
 * HOME(id), modulo N, is the index of the first entry to try for an id. TYPE also has a member
 * `__u64 id`, which is 0 in a free entry.
 *
 * NAME_find(id): the operation's entry, or NULL. The first entry is compared without a call.
 *
 * NAME_begin(id): claim an entry for an operation. The caller fills in the other members, `began`
 * last. If the ESTAT_TRIES entries are all used, the new operation gets the oldest of them. The
 * operation that loses the entry counts as missed, unless it began before the last attachment.
 * NULL: another CPU got that oldest entry first, and the new operation counts as missed.
 *
 * NAME_done(e): the operation has ended and is counted, but its entry stays until NAME_free(), so
 * that NAME_find() finds the entry without a search. Such an entry is the oldest, so a new
 * operation without a free entry gets it first, and the operation that loses the entry does not
 * count as missed. A walk has to skip entries for which NAME_is_done() is true.
 *
 * NAME_free(e, id): the operation has ended. False if another CPU has given the entry to a new
 * operation and counted the old operation as missed. If another CPU does this between the check and
 * the store, the store frees the entry of the new operation: that operation is then missed instead
 * of the old one. NAME_free() stores by ESTAT_RELEASE, so the caller's earlier loads from the entry
 * stay before that store, also on arm64, which does not order loads and stores by itself.
 */
#define ESTAT_INFLIGHT_TABLE(NAME, TYPE, N, HOME)                                              \
	TYPE NAME[N];                                                                          \
	__u64 NAME##_lost;                                                                     \
	enum { NAME##_entries = (N) };                                                         \
	static __always_inline __attribute__((unused)) TYPE *NAME##_at(__u64 at)               \
	{                                                                                      \
		return &NAME[estat_masked(at, (N)-1)];                                         \
	}                                                                                      \
	static __always_inline TYPE *NAME##_entry(__u64 id, __u32 tries)                       \
	{                                                                                      \
		return &NAME[estat_masked(HOME(id) + tries * (tries + 1) / 2, (N)-1)];         \
	}                                                                                      \
	static __always_inline bool NAME##_owns(const TYPE *e, __u64 id)                       \
	{                                                                                      \
		return e->id == id && estat_since_attach(e->began);                            \
	}                                                                                      \
	/* also true of an operation that began before the last attachment */                  \
	static __always_inline bool NAME##_is_done(const TYPE *e)                              \
	{                                                                                      \
		return e->began <= estat_any_time();                                           \
	}                                                                                      \
	static __always_inline __attribute__((unused)) void NAME##_done(TYPE *e)               \
	{                                                                                      \
		ESTAT_STORE(e->began, estat_any_time());                                       \
	}                                                                                      \
	static __noinline TYPE *NAME##_search(__u64 id)                                        \
	{                                                                                      \
		for (int i = 1; i < ESTAT_TRIES; i++) {                                        \
			TYPE *e = NAME##_entry(id, i);                                         \
                                                                                               \
			if (NAME##_owns(e, id))                                                \
				return e;                                                      \
		}                                                                              \
		return NULL;                                                                   \
	}                                                                                      \
	static __always_inline TYPE *NAME##_find(__u64 id)                                     \
	{                                                                                      \
		TYPE *e = NAME##_entry(id, 0);                                                 \
                                                                                               \
		return NAME##_owns(e, id) ? e : NAME##_search(id);                             \
	}                                                                                      \
	/* also claims an entry with the same id, of an older operation that ended unseen */   \
	static __always_inline bool NAME##_claim(TYPE *e, __u64 id)                            \
	{                                                                                      \
		return e->id == id || (!e->id && !__sync_val_compare_and_swap(&e->id, 0, id)); \
	}                                                                                      \
	static __noinline TYPE *NAME##_claim_oldest(__u64 id)                                  \
	{                                                                                      \
		TYPE *e, *oldest = NAME##_entry(id, 0);                                        \
		bool awaited;                                                                  \
		__u64 old;                                                                     \
                                                                                               \
		for (int i = 1; i < ESTAT_TRIES; i++) {                                        \
			e = NAME##_entry(id, i);                                               \
			if (NAME##_claim(e, id))                                               \
				return e;                                                      \
			if (e->began < oldest->began)                                          \
				oldest = e;                                                    \
		}                                                                              \
		awaited = !NAME##_is_done(oldest);                                             \
		old = oldest->id;                                                              \
		if (__sync_val_compare_and_swap(&oldest->id, old, id) != old)                  \
			oldest = NULL;                                                         \
		if (!oldest || (old && awaited)) {                                             \
			NAME##_lost = bpf_ktime_get_ns();                                      \
			estat_count_missed();                                                  \
		}                                                                              \
		return oldest;                                                                 \
	}                                                                                      \
	static __always_inline TYPE *NAME##_begin(__u64 id)                                    \
	{                                                                                      \
		TYPE *e = NAME##_entry(id, 0);                                                 \
                                                                                               \
		return NAME##_claim(e, id) ? e : NAME##_claim_oldest(id);                      \
	}                                                                                      \
	static __always_inline bool NAME##_free(TYPE *e, __u64 id)                             \
	{                                                                                      \
		if (ESTAT_LOAD(e->id) != id)                                                   \
			return false;                                                          \
		ESTAT_STORE(e->began, 0);                                                      \
		ESTAT_RELEASE(e->id);                                                          \
		return true;                                                                   \
	}                                                                                      \
	struct NAME##_inflight /* lets a semicolon follow the macro */

/*
 * NAME_begin(id, e): an operation begins. Copies *e, in which the caller has set `began`, to the
 *	entry with the id, if there is one, else to a new entry. Without room the operation counts
 *	as missed.
 * NAME_find(id): the operation's entry, or NULL
 * NAME_free(id): the operation has ended.
 * NAME_take(id, taken): the operation has ended. Copies the operation's entry to *taken. False: the
 *	operation has no entry.
 */
#define ESTAT_INFLIGHT_HASH(NAME, KEY, TYPE, N)                                              \
	ESTAT_HASH_MAP(NAME, HASH, KEY, TYPE, N);                                            \
	static __always_inline __attribute__((unused)) void NAME##_begin(KEY id, TYPE *e)    \
	{                                                                                    \
		if (bpf_map_update_elem(&NAME, &id, e, BPF_ANY))                             \
			estat_count_missed();                                                \
	}                                                                                    \
	static __always_inline __attribute__((unused)) void NAME##_free(KEY id)              \
	{                                                                                    \
		bpf_map_delete_elem(&NAME, &id);                                             \
	}                                                                                    \
	static __always_inline __attribute__((unused)) TYPE *NAME##_find(KEY id)             \
	{                                                                                    \
		TYPE *e = bpf_map_lookup_elem(&NAME, &id);                                   \
                                                                                             \
		if (!e || estat_since_attach(e->began))                                      \
			return e;                                                            \
		NAME##_free(id);                                                             \
		return NULL;                                                                 \
	}                                                                                    \
	static __always_inline __attribute__((unused)) bool NAME##_take(KEY id, TYPE *taken) \
	{                                                                                    \
		TYPE *e = NAME##_find(id);                                                   \
                                                                                             \
		if (!e)                                                                      \
			return false;                                                        \
		*taken = *e;                                                                 \
		NAME##_free(id);                                                             \
		return true;                                                                 \
	}                                                                                    \
	struct NAME##_inflight /* lets a semicolon follow the macro */

/*
 * NAME_begin(): the thread's operation begins now. Sets `began` in the thread's entry, leaves the
 * other members as they were (0 in a new entry), and returns the entry. NULL: NAME_make() has
 * failed, and the operation counts as missed.
 * NAME_find(): the thread's entry; NULL: the thread has no operation under way, or the lookup
 * failed.
 * NAME_free(e): the operation has ended.
 */
#define ESTAT_INFLIGHT_THREAD(NAME, TYPE)                                        \
	ESTAT_PER_THREAD(NAME, TYPE);                                            \
	static __always_inline __attribute__((unused)) TYPE *NAME##_begin(void)  \
	{                                                                        \
		TYPE *e = NAME##_make();                                         \
                                                                                 \
		if (e)                                                           \
			e->began = bpf_ktime_get_ns();                           \
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
