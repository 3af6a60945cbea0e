/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of counters by key, and how a BPF program counts in these tables. A module includes this
 * file. See modules/block/backend_io.bpf.c for an example.
 *
 * A series or table NAME is a set of maps and variables:
 *   NAME		hash map: key to slot number
 *   NAME_slots		array map with the first slots, for each shard: key and values
 *   NAME_pages		array of maps like NAME_slots, which the agent adds as keys come
 *   NAME_free		stack map of free slot numbers, which the agent fills
 *   NAME_by_size	array map, one entry for each slot: latency by size; created only if
 *			estat.conf has latency_by_size
 *   NAME_state		struct estat_state, in .bss
 *   NAME_slot_cache	slot numbers of keys counted before, in .bss
 *   NAME_overflow_slot	number of the overflow key's slot, in .rodata; 0: no overflow key
 *   NAME_paging	struct estat_paging, in .rodata
 *
 * A shard belongs to one CPU or, on a host with more CPUs than shards, to several CPUs. If each
 * shard belongs to one CPU, and only one BPF program counts in each table or ESTAT_ONE_WRITER is
 * declared, plain additions are exact since Linux 6.1, because the kernel suppresses a run that
 * would interrupt another run of the same BPF program (before 6.1, not on tracepoints). The events
 * of suppressed runs count in estat.module.missed. In all other cases the agent sets
 * estat_module.shared, and additions are atomic. With preempt=full or lazy a task can be preempted
 * in a BPF program at fentry or fexit, and since Linux 7.0 at a tracepoint. Until the preempted
 * task runs on, the kernel suppresses the runs of that BPF program for all other tasks on that CPU.
 */
#ifndef ESTAT_BPF_AGGREGATE_H
#define ESTAT_BPF_AGGREGATE_H

#include "value.bpf.h"

/*
 * A module whose operations are rare, such as commits of a journal, or long, such as waits, defines
 * ESTAT_RARE before it includes any header. Then up to sixteen CPUs share a shard, or more on a
 * host with little memory, and a slot cache is an eighth as large as in other modules. The price,
 * on a host with more than one CPU: additions are atomic, and other CPUs write the same cache
 * lines.
 */
#ifdef ESTAT_RARE
const volatile __u8 estat_rare = 1;
#define ESTAT_CACHE_BITS 7
#else
#define ESTAT_CACHE_BITS 10
#endif

/*
 * A slot cache has ESTAT_CACHE_ENTRIES entries for each of 16 shards; shards whose numbers are
 * equal modulo 16 share entries. With the 1024 entries of a module without ESTAT_RARE, and 96 keys
 * in use at once (24 disks with 4 priorities), about one key in eleven shares its entry with
 * another key.
 */
#define ESTAT_CACHE_ENTRIES (1 << ESTAT_CACHE_BITS)
#define ESTAT_CACHE_SIZE    (16 * ESTAT_CACHE_ENTRIES)

/*
 * A key's index in the slot cache. barrier_var makes the compiler keep the last operation, a
 * modulo, without which the verifier knows no bound of the index.
 */
static __always_inline __u32 estat_cache_index(const void *key, __u32 size, __u32 align,
					       __u32 shard)
{
	__u64 sum = 0;

	if (align >= 8) {
#pragma unroll
		for (__u32 i = 0; i < size / 8; i++)
			sum = sum * 31 + ((const __u64 *)key)[i];
	} else if (align >= 4) {
#pragma unroll
		for (__u32 i = 0; i < size / 4; i++)
			sum = sum * 31 + ((const __u32 *)key)[i];
	} else {
#pragma unroll
		for (__u32 i = 0; i < size; i++)
			sum = sum * 31 + ((const __u8 *)key)[i];
	}
	/* the highest bits of this product depend on all bits of sum */
	sum = shard * ESTAT_CACHE_ENTRIES + (sum * 0x9e3779b97f4a7c15 >> (64 - ESTAT_CACHE_BITS));
	barrier_var(sum);
	return sum % ESTAT_CACHE_SIZE;
}

/* Are two keys equal? `size` is a multiple of `align`. */
static __always_inline bool estat_same(const void *a, const void *b, __u32 size, __u32 align)
{
	__u64 differs = 0;

	if (align >= 8) {
#pragma unroll
		for (__u32 i = 0; i < size / 8; i++)
			differs |= ((const __u64 *)a)[i] ^ ((const __u64 *)b)[i];
	} else if (align >= 4) {
#pragma unroll
		for (__u32 i = 0; i < size / 4; i++)
			differs |= ((const __u32 *)a)[i] ^ ((const __u32 *)b)[i];
	} else {
#pragma unroll
		for (__u32 i = 0; i < size; i++)
			differs |= ((const __u8 *)a)[i] ^ ((const __u8 *)b)[i];
	}
	return !differs;
}

/*
 * Declare a series: number, key struct, value struct, greatest number of keys (which estat.conf can
 * change), and help text, which says where the latency begins and ends. A series that has the
 * module's name (with _ for .) has the metrics estat.MODULE.*, any other series has
 * estat.MODULE.NAME.*. NUMBER is 0 to 14, never changes, and is used once in a module. A group G in
 * the value (ESTAT_GROUP) uses the number NUMBER + G.
 *
 * Keys are compared as bytes. If the key struct has padding, initialize a key with `= {}`, which
 * zeroes the padding; an initializer that names members may leave padding unset.
 */
#define ESTAT_SERIES(NAME, NUMBER, KEY, VALUE, KEYS, HELP)                                         \
	_Static_assert(sizeof(HELP) > 1, "say what " #NAME " measures");                           \
	_Static_assert((NUMBER) >= 0 && (NUMBER) <= 14, "the number of " #NAME " is not 0 to 14"); \
	ESTAT_MAPS(NAME, KEY, VALUE, KEYS, ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP))

/* Declare a table: a series that is not exported. ESTAT_VIEW makes exported series of it. */
#define ESTAT_TABLE(NAME, KEY, VALUE, KEYS) ESTAT_MAPS(NAME, KEY, VALUE, KEYS, )

/*
 * Declare that no key of NAME is counted by two BPF programs, so additions need not be atomic if
 * each shard belongs to one CPU. The agent ignores the declaration if NAME has an overflow key.
 */
#define ESTAT_ONE_WRITER(NAME) const volatile __u8 estat_one_writer_##NAME = 1

/*
 * Declare that series or table NAME can meet more keys than it has slots, such as the clients of a
 * server. The overflow key, whose instance is `other`, counts all keys without a slot. Every ten
 * seconds the agent evicts at most about an eighth of the keys: the idlest, and only keys that have
 * counted fewer events in that time than the overflow key has. The keys without a slot that count
 * next get the evicted keys' slots.
 */
#define ESTAT_OVERFLOW(NAME) const volatile __u8 estat_overflow_##NAME = 1

/*
 * The ring buffer, shared by all modules, that the agent polls. A record means only that in some
 * series few slots are free.
 */
struct estat_wake_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

#define ESTAT_SLOT_ARRAY(NAME, ENTRIES)            \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, ENTRIES);      \
		__type(key, __u32);                \
		__type(value, struct NAME##_slot); \
	}

#define ESTAT_MAPS(NAME, KEY, VALUE, KEYS, TAG)                 \
	struct NAME##_slot {                                    \
		__u32 used;                                     \
		KEY key;                                        \
		VALUE value;                                    \
	} __attribute__((aligned(64)));                         \
	struct {                                                \
		__uint(type, BPF_MAP_TYPE_HASH);                \
		__uint(max_entries, KEYS);                      \
		__type(key, KEY);                               \
		__type(value, __u32);                           \
	} NAME SEC(".maps") TAG;                                \
	ESTAT_SLOT_ARRAY(NAME, KEYS) NAME##_slots SEC(".maps"); \
	struct {                                                \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);       \
		__uint(max_entries, 1);                         \
		__type(key, __u32);                             \
		__array(values, ESTAT_SLOT_ARRAY(NAME, 1));     \
	} NAME##_pages SEC(".maps");                            \
	struct {                                                \
		__uint(type, BPF_MAP_TYPE_STACK);               \
		__uint(max_entries, KEYS);                      \
		__uint(value_size, sizeof(__u32));              \
	} NAME##_free SEC(".maps");                             \
	struct {                                                \
		__uint(type, BPF_MAP_TYPE_ARRAY);               \
		__uint(map_flags, BPF_F_MMAPABLE);              \
		__uint(max_entries, KEYS);                      \
		__type(key, __u32);                             \
		__type(value, struct estat_matrix);             \
	} NAME##_by_size SEC(".maps");                          \
	struct estat_wake_ring estat_wake SEC(".maps");         \
	struct estat_state NAME##_state;                        \
	const volatile __u32 NAME##_overflow_slot = 0;          \
	const volatile struct estat_paging NAME##_paging = {};  \
	ESTAT_SLOT(NAME)                                        \
	ESTAT_TAKE(NAME, KEY)                                   \
	ESTAT_GET(NAME, KEY, VALUE)                             \
	ESTAT_COUNT_BY_SIZE(NAME, KEY)

/*
 * NAME_paged(slot, shard): a slot in a page; NULL: the slot is in NAME_slots, or its page does not
 * exist. NAME_slot(slot, shard): a slot in NAME_slots or in a page; NULL: its page does not exist.
 * NAME_find first looks in NAME_slots for the slot that the slot cache has. If that is the key's
 * slot, NAME_find looks in no page.
 */
#define ESTAT_SLOT(NAME)                                                                         \
	static __noinline struct NAME##_slot *NAME##_paged(__u32 slot, __u32 shard)              \
	{                                                                                        \
		__u32 number = slot - NAME##_paging.first, page = number >> NAME##_paging.shift; \
		__u32 index = (number & ((1U << NAME##_paging.shift) - 1)) *                     \
				      (estat_module.shard_mask + 1) |                            \
			      shard;                                                             \
		void *slots = bpf_map_lookup_elem(&NAME##_pages, &page);                         \
                                                                                                 \
		return slots ? bpf_map_lookup_elem(slots, &index) : NULL;                        \
	}                                                                                        \
	static __always_inline struct NAME##_slot *NAME##_slot(__u32 slot, __u32 shard)          \
	{                                                                                        \
		__u32 index = slot * (estat_module.shard_mask + 1) | shard;                      \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);              \
                                                                                                 \
		return s ? s : NAME##_paged(slot, shard);                                        \
	}

/*
 * NAME_take(key): give a slot to a key that has none. Returns the slot's number; -1 if no slot is
 * free or the slot's page does not exist. If two CPUs take a slot for the same key at once, the
 * second CPU finds the key in the hash map, puts its own slot back, and returns the key's slot. The
 * agent reads the key in the slot's shard 0 once the agent sees `used` set. So the atomic exchange
 * stores `used` after the key.
 */
#define ESTAT_TAKE(NAME, KEY)                                                                      \
	static __noinline long NAME##_take(const KEY *key)                                         \
	{                                                                                          \
		__u32 slot, *found;                                                                \
		struct NAME##_slot *s;                                                             \
		long err;                                                                          \
                                                                                                   \
		if (NAME##_state.full)                                                             \
			return -1;                                                                 \
		err = bpf_map_pop_elem(&NAME##_free, &slot);                                       \
		if (err) {                                                                         \
			if (err == -ENOENT)                                                        \
				NAME##_state.full = 1;                                             \
			return -1;                                                                 \
		}                                                                                  \
		s = NAME##_slot(slot, 0);                                                          \
		if (!s)                                                                            \
			return -1;                                                                 \
		s->key = *key;                                                                     \
		if (bpf_map_update_elem(&NAME, key, &slot, BPF_NOEXIST)) {                         \
			bpf_map_push_elem(&NAME##_free, &slot, BPF_ANY);                           \
			NAME##_state.full = 0;                                                     \
			found = bpf_map_lookup_elem(&NAME, key);                                   \
			return found ? *found : -1;                                                \
		}                                                                                  \
		__sync_lock_test_and_set(&s->used, 1);                                             \
		__sync_fetch_and_add(&NAME##_state.taken, 1);                                      \
		if ((__s32)(NAME##_state.taken - NAME##_state.wake) >= 0 && !NAME##_state.woken && \
		    !__sync_lock_test_and_set(&NAME##_state.woken, 1))                             \
			bpf_ringbuf_output(&estat_wake, &slot, sizeof(slot), BPF_RB_FORCE_WAKEUP); \
		return slot;                                                                       \
	}

/*
 * NAME_find(key): the values of a key in this CPU's shard, or NULL if the key has no slot.
 * NAME_insert(key): give a slot to a key that NAME_find did not find, and return its values. If no
 * slot is free, return the overflow key's values or, without ESTAT_OVERFLOW, count the operation in
 * NAME_state.dropped and return NULL. NAME_get(key): NAME_find, then NAME_insert if needed.
 * ESTAT_GET_NAMED does the same, but notes names before NAME_insert.
 *
 * NAME_slot_cache stores slot numbers modulo 65,536; an index is made of a hash of the key and of
 * the shard's number. A cached slot number is right if this CPU's shard of that slot stores the
 * key; a shard stores the key when the shard first counts the key. A lookup in the slot cache takes
 * a third of the time of a lookup in the hash map. Code that runs seldom is in functions of its
 * own, to keep short what runs for each I/O.
 */
#define ESTAT_GET(NAME, KEY, VALUE)                                                               \
	__u16 NAME##_slot_cache[ESTAT_CACHE_SIZE] __attribute__((aligned(64)));                   \
	static __always_inline VALUE *NAME##_at(const KEY *key, __u32 slot, __u32 shard,          \
						__u16 *cached)                                    \
	{                                                                                         \
		struct NAME##_slot *s = NAME##_slot(slot, shard);                                 \
                                                                                                  \
		if (!s)                                                                           \
			return NULL;                                                              \
		if (!s->used) {                                                                   \
			s->key = *key;                                                            \
			__sync_lock_test_and_set(&s->used, 1);                                    \
		}                                                                                 \
		*cached = slot;                                                                   \
		return &s->value;                                                                 \
	}                                                                                         \
	static __always_inline __u16 *NAME##_cached(const KEY *key, __u32 shard)                  \
	{                                                                                         \
		return &NAME##_slot_cache[estat_cache_index(key, sizeof(*key), __alignof__(*key), \
							    shard)];                              \
	}                                                                                         \
	static __always_inline bool NAME##_is(const struct NAME##_slot *s, const KEY *key)        \
	{                                                                                         \
		return s && s->used && estat_same(&s->key, key, sizeof(*key), __alignof__(*key)); \
	}                                                                                         \
	static __noinline VALUE *NAME##_look_up(const KEY *key, __u32 shard, __u16 *cached)       \
	{                                                                                         \
		struct NAME##_slot *s = NAME##_paged(*cached, shard);                             \
		__u32 *slot;                                                                      \
                                                                                                  \
		if (NAME##_is(s, key))                                                            \
			return &s->value;                                                         \
		slot = bpf_map_lookup_elem(&NAME, key);                                           \
		return slot ? NAME##_at(key, *slot, shard, cached) : NULL;                        \
	}                                                                                         \
	static __always_inline VALUE *NAME##_find(const KEY *key)                                 \
	{                                                                                         \
		__u32 mask = estat_module.shard_mask, shard = bpf_get_smp_processor_id() & mask;  \
		__u16 *cached = NAME##_cached(key, shard);                                        \
		__u32 index = *cached * (mask + 1) | shard;                                       \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);               \
                                                                                                  \
		if (ESTAT_SELDOM(!NAME##_is(s, key)))                                             \
			return NAME##_look_up(key, shard, cached);                                \
		return &s->value;                                                                 \
	}                                                                                         \
	static __always_inline VALUE *NAME##_overflow(__u32 shard)                                \
	{                                                                                         \
		__u32 index = NAME##_overflow_slot * (estat_module.shard_mask + 1) | shard;       \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);               \
                                                                                                  \
		if (!s)                                                                           \
			return NULL;                                                              \
		s->used = 1;                                                                      \
		return &s->value;                                                                 \
	}                                                                                         \
	static __noinline __attribute__((unused)) VALUE *NAME##_insert(const KEY *key)            \
	{                                                                                         \
		__u32 shard = bpf_get_smp_processor_id() & estat_module.shard_mask;               \
		long slot = NAME##_take(key);                                                     \
		VALUE *v = NULL;                                                                  \
                                                                                                  \
		if (slot >= 0)                                                                    \
			v = NAME##_at(key, slot, shard, NAME##_cached(key, shard));               \
		else if (NAME##_overflow_slot)                                                    \
			v = NAME##_overflow(shard);                                               \
		if (!v)                                                                           \
			__sync_fetch_and_add(&NAME##_state.dropped, 1);                           \
		return v;                                                                         \
	}                                                                                         \
	static __always_inline __attribute__((unused)) VALUE *NAME##_get(const KEY *key)          \
	{                                                                                         \
		VALUE *v = NAME##_find(key);                                                      \
                                                                                                  \
		return v ? v : NAME##_insert(key);                                                \
	}

/*
 * Does what NAME_get(KEY) does. If the key has no slot, first runs NOTE, which notes the names of
 * the key.
 */
#define ESTAT_GET_NAMED(NAME, KEY, NOTE)                        \
	({                                                      \
		typeof(NAME##_find(KEY)) _v = NAME##_find(KEY); \
                                                                \
		if (ESTAT_SELDOM(!_v)) {                        \
			NOTE;                                   \
			_v = NAME##_insert(KEY);                \
		}                                               \
		_v;                                             \
	})

/*
 * NAME_count_by_size(key, ns, bytes): count in the matrix of latency by size, if estat.conf has
 * latency_by_size; the caller has called NAME_get(key). The matrix has no shards, so additions are
 * atomic. NAME_count_io(v, key, ns, bytes, failed): count an I/O in v, the key's values, and, if
 * the I/O has not failed, in the matrix; nothing if v is NULL.
 */
#define ESTAT_COUNT_BY_SIZE(NAME, KEY)                                                  \
	static __always_inline __attribute__((unused)) void NAME##_count_by_size(       \
		const KEY *key, __u64 ns, __u64 bytes)                                  \
	{                                                                               \
		__u32 *slot, overflow;                                                  \
		__u64 row, bucket;                                                      \
		struct estat_matrix *m;                                                 \
                                                                                        \
		if (!estat_module.latency_by_size)                                      \
			return;                                                         \
		overflow = NAME##_overflow_slot;                                        \
		slot = bpf_map_lookup_elem(&NAME, key);                                 \
		if (!slot && overflow)                                                  \
			slot = &overflow;                                               \
		if (!slot)                                                              \
			return;                                                         \
		m = bpf_map_lookup_elem(&NAME##_by_size, slot);                         \
		if (!m)                                                                 \
			return;                                                         \
		row = estat_size_bucket(bytes);                                         \
		bucket = estat_latency_bucket(estat_fine_bucket(ns));                   \
		barrier_var(row);                                                       \
		barrier_var(bucket);                                                    \
		if (row < ESTAT_SIZE_BUCKETS && bucket < ESTAT_LATENCY_BUCKETS)         \
			__sync_fetch_and_add(&m->row[row][bucket], 1);                  \
	}                                                                               \
	static __always_inline __attribute__((unused)) void NAME##_count_io(            \
		struct estat_io *v, const KEY *key, __u64 ns, __u64 bytes, bool failed) \
	{                                                                               \
		if (!v)                                                                 \
			return;                                                         \
		estat_count_io(v, ns, bytes, failed);                                   \
		if (!failed)                                                            \
			NAME##_count_by_size(key, ns, bytes);                           \
	}                                                                               \
	struct NAME##_slot /* lets a semicolon follow the macro */

#endif /* ESTAT_BPF_AGGREGATE_H */
