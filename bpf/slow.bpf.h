/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event records of slow operations. A module includes this file, declares the struct `slow` and,
 * after the series or table NAME, the records of NAME:
 *
 *	struct slow {
 *		ESTAT_SLOW_OPERATION;
 *		estat_nsec_t stage_queue ESTAT_PARAMETER(20, "Time in ...");
 *		estat_dev_t disk ESTAT_PARAMETER(40, "...");
 *	};
 *	ESTAT_SLOW(NAME, struct key, struct slow, "From ... to ...");
 *
 *	if (NAME_is_slow(v, ns))
 *		NAME_record(...);	which calls NAME_begin_slow(&key)
 *
 * Members with the numbers 1 to 19 describe the operation. 20 to 39 are the operation's stages,
 * stage_*, in the order of time. 40 to 63 are the axes of the operation's key.
 *
 * The key's threshold is the member `used` of the slot. `used` is in the same cache line as the
 * slot's key, which the BPF program has just compared. So an operation that is not slow costs only
 * a shift and a comparison.
 */
#ifndef ESTAT_BPF_SLOW_H
#define ESTAT_BPF_SLOW_H

#include "aggregate.bpf.h"
#include "event.bpf.h"

/*
 * How many records the ring holds. A key can have ESTAT_SLOW_BURST records at once, and then one
 * every ESTAT_SLOW_NS.
 */
#define ESTAT_SLOW_RECORDS 128
#define ESTAT_SLOW_BURST   10
#define ESTAT_SLOW_NS      1000000000ULL

/*
 * For bench/slow, GNUmakefile builds modules with ESTAT_CAN_BE_SLOW defined as false. These modules
 * compare no latency with the threshold. bench/slow measures what the comparison costs.
 */
#ifndef ESTAT_CAN_BE_SLOW
#define ESTAT_CAN_BE_SLOW true
#endif

/* Members that each struct `slow` begins with. */
#define ESTAT_SLOW_OPERATION                                                               \
	estat_nsec_t latency ESTAT_PARAMETER(1, "Latency, as counted in estat.M.latency"); \
	estat_nsec_t time ESTAT_PARAMETER(2, "Time of all stages");                        \
	estat_bytes_t bytes ESTAT_PARAMETER(3, "Bytes, as counted in estat.M.bytes")

struct estat_slow estat_slow;

/*
 * From the time `next` on, a key may have ESTAT_SLOW_BURST records at once. Each record of the key
 * moves `next` ahead by ESTAT_SLOW_NS, counted from now if `next` is past.
 */
struct estat_slow_key {
	__u64 next;
};

/*
 * Is an operation slow that took `ns` nanoseconds? The caller has found that `ns` is at least the
 * key's threshold, *used; this function compares `ns` with the module's threshold, estat_slow.ns.
 * If the operation is not slow, and the key's threshold is the lower one, as in a new slot, the
 * function raises the key's threshold to the module's or, if that is 0, to ESTAT_SLOW_NEVER.
 */
static __noinline bool estat_is_slow(__u32 *used, __u64 ns)
{
	__u64 slow = estat_slow.ns, first = slow >> ESTAT_SLOW_SHIFT;
	__u32 had = *used;

	if (slow && ns > slow)
		return true;
	if (!slow || first > ESTAT_SLOW_NEVER)
		first = ESTAT_SLOW_NEVER;
	if (had && had < first)
		__sync_val_compare_and_swap(used, had, (__u32)first);
	return false;
}

/*
 * May the key have one more record now? If so, count the record; if not, count the operation as
 * withheld.
 */
static __noinline bool estat_slow_take(struct estat_slow_key *key)
{
	__u64 now = bpf_ktime_get_ns(), next = key->next > now ? key->next : now;

	if (next - now > (ESTAT_SLOW_BURST - 1) * ESTAT_SLOW_NS) {
		__sync_fetch_and_add(&estat_slow.withheld, 1);
		return false;
	}
	key->next = next + ESTAT_SLOW_NS;
	return true;
}

/*
 * NAME_begin_slow(key): the record of a slow operation, for estat_event_end(). NULL: the record is
 * withheld, or the key is NULL. The key is copied to the stack, because Linux 5.15 looks up no key
 * whose address is an argument of a function that is not static.
 */
#define ESTAT_SLOW(NAME, KEY, EVENT, HELP) ESTAT_SLOW_OF(NAME, KEY, EVENT, HELP)
#define ESTAT_SLOW_OF(NAME, KEY, EVENT, HELP)                                            \
	ESTAT_EVENTS(EVENT, ESTAT_SLOW_RECORDS, HELP);                                   \
	struct {                                                                         \
		__uint(type, BPF_MAP_TYPE_LRU_HASH);                                     \
		__uint(max_entries, 256);                                                \
		__type(key, KEY);                                                        \
		__type(value, struct estat_slow_key);                                    \
	} estat_slow_keys SEC(".maps");                                                  \
	static __always_inline bool NAME##_is_slow(const void *value, __u64 ns)          \
	{                                                                                \
		struct NAME##_slot *s =                                                  \
			(void *)value - __builtin_offsetof(struct NAME##_slot, value);   \
                                                                                         \
		if (!ESTAT_CAN_BE_SLOW)                                                  \
			return false;                                                    \
		return ESTAT_SELDOM(ns >> ESTAT_SLOW_SHIFT >= s->used) &&                \
		       estat_is_slow(&s->used, ns);                                      \
	}                                                                                \
	static __always_inline EVENT *NAME##_begin_slow(const KEY *key)                  \
	{                                                                                \
		struct estat_slow_key first = {}, *k;                                    \
		KEY of;                                                                  \
                                                                                         \
		if (!key)                                                                \
			return NULL;                                                     \
		of = *key;                                                               \
		k = bpf_map_lookup_elem(&estat_slow_keys, &of);                          \
		if (!k) {                                                                \
			bpf_map_update_elem(&estat_slow_keys, &of, &first, BPF_NOEXIST); \
			k = bpf_map_lookup_elem(&estat_slow_keys, &of);                  \
		}                                                                        \
		if (!k || !estat_slow_take(k))                                           \
			return NULL;                                                     \
		return estat_event_begin();                                              \
	}                                                                                \
	struct NAME##_slot /* lets a semicolon follow the macro */

#endif /* ESTAT_BPF_SLOW_H */
