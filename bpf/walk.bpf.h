/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks: the BPF program estat_walk, which the agent runs, looks at all operations under way and
 * sets the gauges of their keys.
 */
#ifndef ESTAT_BPF_WALK_H
#define ESTAT_BPF_WALK_H

#include "bucket.h"
#include "declare.bpf.h"

/*
 * Members of a value struct: gauges of operations under way. Only walks write them, and only in
 * shard 0.
 */
struct estat_inflight {
	estat_ages_t inflight_time ESTAT_FIELD(27,
					       "Sum of the times of all operations, ended or under "
					       "way; its rate is the mean number under way");
	estat_under_way_t inflight ESTAT_FIELD(29, "Number of operations under way");
	estat_oldest_t oldest ESTAT_FIELD(30, "Age of the oldest operation under way");
};

struct estat_all_told estat_all_told;

/* a walk stores details only of operations that are at least so many microseconds old */
#define ESTAT_TELL_US 100000

/*
 * The struct for details of the operation that the walk has just counted; NULL: store no details.
 */
static __always_inline __attribute__((unused)) struct estat_told *estat_told(void)
{
	__u32 n = estat_all_told.last;

	return n ? &estat_all_told.operations[estat_masked(n - 1, ESTAT_TOLD - 1)] : NULL;
}

/*
 * A walk has found an operation that is the oldest of its key so far, `us` microseconds old. `had`
 * is 1 + the index of the key's struct in estat_all_told.operations, or 0 if the key has none yet.
 * Clears the struct for the operation's details, and returns the new `had`: a key without a struct
 * gets one if the operation is at least ESTAT_TELL_US old and a struct is free.
 */
__noinline int estat_tell_of(__u64 us, __u64 had, __u64 walk)
{
	struct estat_told *t;

	if (estat_all_told.walk != walk) {
		estat_all_told.walk = walk;
		estat_all_told.n = 0;
	}
	if (!had && us >= ESTAT_TELL_US && estat_all_told.n < ESTAT_TOLD)
		had = ++estat_all_told.n;
	estat_all_told.last = had;
	t = estat_told();
	if (t)
		__builtin_memset(t, 0, sizeof(*t));
	return had;
}

/*
 * Count an operation that a walk has found. *g are the gauges of a group. The operation was in the
 * group from time `from` to time `to`, and stands for `counts` operations. If the operation has
 * left the group but is still under way, `counts` is 0: only its time in the group is added,
 * because the group's latency_sum gets that time only when the operation ends.
 */
static __always_inline __attribute__((unused)) void
estat_found(struct estat_inflight *g, __u64 from, __u64 to, __u32 counts, __u64 walk)
{
	struct estat_gauge none = { .stamp = walk };
	__u64 ns = to > from ? to - from : 0, us = ns / 1000;

	if (g->inflight.stamp != walk)
		*g = (struct estat_inflight){ none, none, none };
	g->inflight_time.value += ns * (counts ? counts : 1);
	g->inflight.value += counts;
	estat_all_told.last = 0;
	if (counts && g->oldest.value >> ESTAT_TOLD_BITS < us)
		g->oldest.value = us << ESTAT_TOLD_BITS |
				  estat_tell_of(us, g->oldest.value & ESTAT_TOLD_MASK, walk);
}

#define ESTAT_GAUGES(VALUE) ((struct estat_inflight *)&(VALUE).inflight_time)

/*
 * SERIES_gauged(key): the value with the key's gauges; NULL: no slot is free, and SERIES has no
 *	overflow key
 * SERIES_found(key, began, walk): count an operation that a walk found. Returns flags of the walk.
 */
#define ESTAT_FOUND(SERIES, KEY)                                                           \
	static __always_inline typeof(SERIES##_find(NULL)) SERIES##_gauged(const KEY *key) \
	{                                                                                  \
		__u32 *found = bpf_map_lookup_elem(&SERIES, key);                          \
		long slot = found ? *found : SERIES##_take(key);                           \
		__u16 cached; /* walks do not use the slot cache */                        \
                                                                                           \
		if (slot >= 0)                                                             \
			return SERIES##_at(key, slot, 0, &cached);                         \
		return SERIES##_overflow_slot ? SERIES##_overflow(0) : NULL;               \
	}                                                                                  \
	ESTAT_FOUND_IN(SERIES, found, KEY, *v)

/*
 * Define SERIES_NAME(), which counts for one group what SERIES_found() counts for the whole value.
 * VALUE: an expression for the group, in which `v` points to the value, such as v->queue.
 */
#define ESTAT_FOUND_IN(SERIES, NAME, KEY, VALUE)                                                   \
	static __noinline __attribute__((unused)) int SERIES##_##NAME(const KEY *key, __u64 began, \
								      __u64 walk)                  \
	{                                                                                          \
		typeof(SERIES##_find(key)) v = SERIES##_gauged(key);                               \
                                                                                                   \
		if (v)                                                                             \
			estat_found(ESTAT_GAUGES(VALUE), began, walk, estat_module.sample, walk);  \
		return v ? 0 : ESTAT_WALK_PARTIAL;                                                 \
	}

/* The argument TELL of ESTAT_WALK in a module that knows only the key of an operation. */
#define estat_tells_nothing(e) ((void)(e))

/*
 * Define estat_walk. BEGIN is code that runs before the walk's first step, to set where the walk
 * begins. LOOK takes one step of the walk, such as to the next thread, and returns flags of the
 * walk. A run of estat_walk takes at most ESTAT_WALK_STEP steps. LOOK can use these variables:
 * `walk` is the time of the walk, `raw_ahead` is by how many nanoseconds CLOCK_MONOTONIC_RAW is
 * ahead of CLOCK_MONOTONIC, `from` is the number of the run's first step, `i` is how many steps of
 * the run are done. A branch of LOOK may depend on `from`, which is constant in a run, but not on
 * from + i, because the verifier would then follow every step.
 */
#define ESTAT_WALK_BY(BEGIN, LOOK)                                                       \
	SEC("raw_tp")                                                                    \
	int estat_walk(__u64 *ctx)                                                       \
	{                                                                                \
		__u64 from = ctx[0], walk = ctx[1];                                      \
		__u64 __attribute__((unused)) raw_ahead = ctx[2];                        \
		int flags = 0;                                                           \
                                                                                         \
		if (!from)                                                               \
			BEGIN;                                                           \
		for (__u32 i = 0; i < ESTAT_WALK_STEP && !(flags & ESTAT_WALK_END); i++) \
			flags |= LOOK;                                                   \
		return flags;                                                            \
	}                                                                                \
	struct estat_walk /* lets a semicolon follow the macro */

/*
 * Walk the entries of NAME, an ESTAT_INFLIGHT of the kind SETS, NOTED or TABLE, for the gauges of
 * SERIES. KEY_OF(e, key) fills in the key of entry *e, and returns false if the operation does not
 * count. The walk skips an entry that NAME_find() does not find: the entry belongs to an older
 * operation with the same id, whose end was missed. TELL(e) fills in estat_told() from entry *e;
 * see told.bpf.h.
 *
 * At the time NAME_lost an operation last lost its entry, or got none, so walks do not see that
 * operation. As long as a walk finds an operation that began before NAME_lost, the walk assumes
 * that the lost operation is still under way, too, and returns ESTAT_WALK_PARTIAL.
 *
 * NAME_look() is not static, so the verifier checks the function once and not for each entry.
 */
#define ESTAT_WALK(NAME, SERIES, KEY, KEY_OF, TELL)                                              \
	ESTAT_FOUND(SERIES, KEY)                                                                 \
	__noinline int NAME##_look(__u64 at, __u64 walk)                                         \
	{                                                                                        \
		typeof(NAME##_at(0)) e = NAME##_at(at);                                          \
		__u64 id = ESTAT_LOAD(e->id), began = ESTAT_LOAD(e->began) & ESTAT_BEGAN;        \
		KEY key = {};                                                                    \
		int flags = 0;                                                                   \
                                                                                                 \
		if (id && estat_end_is_seen(began) && NAME##_find(id) == e && KEY_OF(e, &key) && \
		    ESTAT_LOAD(e->id) == id && (ESTAT_LOAD(e->began) & ESTAT_BEGAN) == began)    \
			flags = SERIES##_found(&key, began, walk) |                              \
				(began <= NAME##_lost ? ESTAT_WALK_PARTIAL : 0);                 \
		else                                                                             \
			return 0;                                                                \
		if (estat_told())                                                                \
			TELL(e);                                                                 \
		return flags;                                                                    \
	}                                                                                        \
	SEC("raw_tp")                                                                            \
	int estat_walk(__u64 *ctx)                                                               \
	{                                                                                        \
		__u64 from = ctx[0], walk = ctx[1];                                              \
		int flags = from + ESTAT_WALK_STEP >= NAME##_entries ? ESTAT_WALK_END : 0;       \
                                                                                                 \
		for (__u32 i = 0; i < ESTAT_WALK_STEP && i < NAME##_entries; i++)                \
			if (ESTAT_LOAD(NAME##_at(from + i)->id)) /* most entries are free */     \
				flags |= NAME##_look(from + i, walk);                            \
		return flags;                                                                    \
	}                                                                                        \
	struct NAME##_walk /* lets a semicolon follow the macro */

/*
 * Does what ESTAT_WALK does, for a NAME that is an ESTAT_INFLIGHT of the kind HASH with ids of the
 * type ID. KEY_OF and TELL also get the id: KEY_OF(id, e, key), TELL(id, e).
 */
#define ESTAT_WALK_HASH(NAME, ID, TYPE, SERIES, KEY, KEY_OF, TELL)                    \
	ESTAT_FOUND(SERIES, KEY)                                                      \
	static long NAME##_look(void *map, const ID *id, TYPE *e, __u64 *state)       \
	{                                                                             \
		TYPE copy = *e;                                                       \
		KEY key = {};                                                         \
                                                                                      \
		if (estat_end_is_seen(copy.began) && KEY_OF(*id, &copy, &key) &&      \
		    ESTAT_LOAD(e->began) == copy.began) {                             \
			state[1] |= SERIES##_found(&key, copy.began, state[0]);       \
			if (estat_told())                                             \
				TELL(*id, &copy);                                     \
		}                                                                     \
		return 0;                                                             \
	}                                                                             \
	SEC("raw_tp")                                                                 \
	int estat_walk(__u64 *ctx)                                                    \
	{                                                                             \
		__u64 state[] = { ctx[1], ESTAT_WALK_END }; /* time, flags of walk */ \
                                                                                      \
		if (bpf_for_each_map_elem(&NAME, NAME##_look, state, 0) < 0)          \
			state[1] |= ESTAT_WALK_PARTIAL;                               \
		return state[1];                                                      \
	}                                                                             \
	struct NAME##_walk /* lets a semicolon follow the macro */

#endif /* ESTAT_BPF_WALK_H */
