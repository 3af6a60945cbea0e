/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side's library: what a module includes to declare itself and its
 * series, and to count an I/O. See modules/block/backend_io.bpf.c for its use.
 *
 * A series is a few maps and variables:
 *   NAME		hash: key -> slot number
 *   NAME_slots		array of slots x shards, which the agent has mapped
 *   NAME_free		stack of free slot numbers, filled by the agent
 *   NAME_by_size	array of slots: latency by size, made only if configured
 *   NAME_state		its counters, in .bss
 *   NAME_recent	guesses of slots, in .bss
 *
 * A shard belongs to one CPU or, where there are more CPUs than shards, to a
 * few. With one CPU a shard and one program that writes, plain additions are
 * exact: a program does not interrupt itself on a CPU (since Linux 6.1 for
 * tracepoints; the kernel counts what it skips, and the agent exports it as
 * estat.module.missed). Else the agent sets `shared` and additions are atomic.
 * Where a program can be preempted (fentry; since Linux 7.0 tracepoints, too), the
 * kernel skips it for the other tasks on that CPU until it goes on.
 */
#ifndef ESTAT_BPF_ESTAT_H
#define ESTAT_BPF_ESTAT_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "abi.h"
#include "bucket.h"
#include "sum.h"

/*
 * Guesses of a series: ESTAT_GUESSES a shard, for 16 shards; more shards share them. Keys that
 * are in use at once, such as those of 24 disks with 4 priorities, seldom want the same one.
 */
#define ESTAT_GUESS_BITS 10
#define ESTAT_GUESSES    (1 << ESTAT_GUESS_BITS)
#define ESTAT_RECENT     (16 * ESTAT_GUESSES)

/* Where in NAME_recent a key's slot is guessed. The barrier keeps the verifier's bound. */
static __always_inline __u32 estat_guess(const void *key, __u32 size, __u32 align, __u32 shard)
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
	/* what differs in any bit makes the highest bits of this product differ */
	sum = shard * ESTAT_GUESSES + (sum * 0x9e3779b97f4a7c15 >> (64 - ESTAT_GUESS_BITS));
	barrier_var(sum);
	return sum % ESTAT_RECENT;
}

/* Are two keys equal? A size is a multiple of its alignment. */
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

/* Help text for a member of a value struct or an event. */
#define ESTAT_HELP(text) __attribute__((btf_decl_tag(text)))

/*
 * Its number. Numbers of metrics and of their instance domains are made of these and of
 * the module's cluster, and archives hold them: once given, a number is that member's for
 * good. It does not change, and when the member has gone no other gets it.
 */
#define ESTAT_NUMBER(NUMBER)      ESTAT_HELP(ESTAT_NUMBER_TAG ESTAT_STRING(NUMBER))
#define ESTAT_STRING(NUMBER)      ESTAT_STRING_OF(NUMBER)
#define ESTAT_STRING_OF(EXPANDED) #EXPANDED

/*
 * Both, for a member of a value struct that makes a metric: numbers are 17 to 30, each once
 * in a group. Members with the names of struct estat_io's have the numbers of those, and
 * estat_max_t makes no metric: they are given a help alone.
 */
#define ESTAT_FIELD(NUMBER, HELP) ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP)

/*
 * Both, for a struct in a value struct, which makes a group of metrics: its number, from 1
 * on, is added to that of the series or view.
 */
#define ESTAT_GROUP(NUMBER, HELP) ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP)

/*
 * Declare the module: its name, which is estat.NAME.*, and its PMID cluster,
 * which must never change once it is in an archive. Once a file, first of all.
 * A module OTHER.NAME has metrics below those of another one.
 */
#define ESTAT_MODULE(NAME, CLUSTER)                         \
	char _license[] SEC("license") = "GPL";             \
	const volatile struct estat_module estat_module = { \
		.abi = ESTAT_ABI_VERSION,                   \
		.cluster = (CLUSTER),                       \
		.name = #NAME,                              \
	}

/* Declare that it is attached only while somebody looks, unless estat.conf says otherwise. */
#define ESTAT_ON_DEMAND const volatile __u8 estat_on_demand = 1

/*
 * Declare which kernel module the module's probes are in, so that the agent goes
 * with it in and out; and a glob(7) pattern, in which {a,b} can be, that matches
 * a file while it is in use and cannot be unloaded anyway. Only then is it probed
 * by fentry and fexit, which hold it; else by kprobe and kretprobe. An empty
 * pattern matches nothing, and a module that has no programs for kprobes holds it
 * always.
 */
#define ESTAT_NEEDS(MODULE, IN_USE)                       \
	const volatile struct estat_needs estat_needs = { \
		.module = MODULE,                         \
		.in_use = IN_USE,                         \
	}

/*
 * Declare another kernel module, which the module can do without: it is loaded anew when
 * that comes or goes. Its functions are declared by ESTAT_OPTIONAL, and probed by ESTAT_KPROBE,
 * which does not hold it.
 */
#define ESTAT_ALSO(MODULE) const volatile struct estat_needs estat_also = { .module = MODULE }

/*
 * Declare files that show that what is measured is at work: of each of those that a
 * glob(7) pattern, in which {a,b} can be, matches, the last line that matches an
 * extended regex(7) changes then, and at no other time. If it changes, and the module
 * counts nothing, it is blind, and estat.module.error says so.
 */
#define ESTAT_EVIDENCE(FILES, LINES)                            \
	const volatile struct estat_evidence estat_evidence = { \
		.files = FILES,                                 \
		.lines = LINES,                                 \
	}

/*
 * For what counts reads of files: the agent's look at the one is a read, and that it has looked
 * takes time, which the other tells of. (/proc/self/io is not for who has had privileges.)
 */
#define ESTAT_EVIDENCE_OWN_READS \
	ESTAT_EVIDENCE("{/etc/passwd,/proc/self/schedstat}", "^[0-9]+ [0-9]+ [0-9]+")

/*
 * Declare that estat_address_SYMBOL is where the kernel has SYMBOL, or 0. An extern with
 * __ksym would have libbpf read /proc/kallsyms once more for each module.
 */
#define ESTAT_ADDRESS(SYMBOL) const volatile estat_address_t estat_address_##SYMBOL = 0

/* Declare that estat_enumerator_NAME is the kernel's value of NAME, or ESTAT_NO_ENUMERATOR. */
#define ESTAT_ENUMERATOR(NAME) \
	const volatile estat_enumerator_t estat_enumerator_##NAME = ESTAT_NO_ENUMERATOR

/*
 * Declare that the kernel may lack a function that is probed: then the module
 * runs without that probe, and estat.module.error says that it lacks LACKS.
 */
#define ESTAT_OPTIONAL(FUNCTION, LACKS)                                    \
	const volatile struct estat_function estat_function_##FUNCTION = { \
		.lacks = LACKS,                                            \
	}

/* Declare that the probe of OTHER is for kernels that lack FUNCTION, which has one, too. */
#define ESTAT_EITHER(FUNCTION, OTHER)                                        \
	const volatile struct estat_function estat_function_##FUNCTION = {}; \
	const volatile struct estat_function estat_function_##OTHER = {      \
		.unless = #FUNCTION,                                         \
	}

/* The same, but the module runs without if the kernel lacks both, or lets neither be probed. */
#define ESTAT_EITHER_OR(FUNCTION, OTHER, LACKS)                            \
	const volatile struct estat_function estat_function_##FUNCTION = { \
		.lacks = LACKS,                                            \
	};                                                                 \
	const volatile struct estat_function estat_function_##OTHER = {    \
		.unless = #FUNCTION,                                       \
		.lacks = LACKS,                                            \
	}

/*
 * Declare a series: its number, a key struct, a value struct, how many keys it can
 * hold unless estat.conf says otherwise, and from what to what its latency runs.
 * The series with the module's own name (with _ for .) is estat.MODULE.*, another one is
 * estat.MODULE.NAME.*. Numbers are 0 to 14, for good as those of members are; a group
 * in the value takes one, too, and none is taken twice in a module.
 *
 * Keys are compared as bytes. One whose struct has padding begins as `= {}`, which
 * zeroes that, too; an initializer with members need not.
 */
#define ESTAT_SERIES(NAME, NUMBER, KEY, VALUE, KEYS, HELP)                                     \
	_Static_assert(sizeof(HELP) > 1, "say what " #NAME " measures");                       \
	_Static_assert((NUMBER) >= 0 && (NUMBER) <= 14, "the number of " #NAME " is 0 to 14"); \
	ESTAT_MAPS(NAME, KEY, VALUE, KEYS, ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP))

/*
 * Declare a table: what a series has, but it is not served, and so has no number.
 * Views are made of it, or of a series.
 */
#define ESTAT_TABLE(NAME, KEY, VALUE, KEYS) ESTAT_MAPS(NAME, KEY, VALUE, KEYS, )

/*
 * Declare a view: a series by some of the axes of a table or series ("pool op"),
 * which the agent adds up, so that an operation is counted once. The same rules for
 * its name and its number. One of a series can be of some keys only: it ends with an axis that
 * is an enum and, as a glob(7), its values of those: "pool if stage=commit".
 */
#define ESTAT_VIEW(NAME, NUMBER, TABLE, AXES, HELP)                                            \
	_Static_assert(sizeof(HELP) > 1, "say what " #NAME " measures");                       \
	_Static_assert((NUMBER) >= 0 && (NUMBER) <= 14, "the number of " #NAME " is 0 to 14"); \
	const volatile struct estat_view estat_view_##NAME ESTAT_NUMBER(NUMBER)                \
		ESTAT_HELP(HELP) = {                                                           \
			.table = #TABLE,                                                       \
			.axes = AXES,                                                          \
		}

/*
 * Declare that a series or view, or a group in the value of the series with the module's own
 * name, is a layer of the stack that an I/O passes, and where: its total, which must be of
 * operations that do not contain one another, is in estat.layer.*. bpf/abi.h has the ranks.
 * ABOVE names the layers, as estat.layer.* has them, whose operations wait for this one's,
 * with blanks between; for one that does not run those above it stand in. If they do not wait
 * for all of them, it ends with the axis and, as a glob(7), its values of those that they do wait
 * for: "zpl zvol if priority=sync?". ESTAT_TOP_LAYER is one for which no layer waits: kernels
 * refuse a text that is empty.
 */
#define ESTAT_TOP_LAYER(NAME, RANK) const volatile estat_rank_t estat_layer_##NAME = (RANK)

#define ESTAT_LAYER(NAME, RANK, ABOVE) \
	const volatile estat_rank_t estat_layer_##NAME ESTAT_HELP(ABOVE) = (RANK)

/*
 * Declare how the command estat shows a series or view, if not by all its axes: a text of parts
 * with "; " between, which the help text of its domain hands on, so that archives have it, too.
 *
 *	rows NAME, AXIS	 what a row is called, and what rows of one name are told apart by. {A}
 *			 is the key's value of its axis A; {A:2} its first two characters;
 *			 {A?x=X|y=Y} X where it is x, Y where it is y; {A!B=x} it, unless
 *			 the axis B is x. Keys that are called alike are one row.
 *	nested		 rows are parts of one another: they have no total.
 *	every N s	 how often it prints if the command line does not say.
 *
 * For NAME events it is how a record is printed: lines of a legend, and a last line, in which
 * {date:W} is its time and {P:W/D} parameter P, divided by D, at least W characters wide, to the
 * left if W is negative.
 */
#define ESTAT_SHOWN(NAME, TEXT) const volatile __u8 estat_shown_##NAME ESTAT_HELP(TEXT) = 1

/*
 * Declare that, though more than one program counts in a series or table, one key
 * is counted by one of them only: then no additions need be atomic.
 */
#define ESTAT_ONE_WRITER(NAME) const volatile __u8 estat_one_writer_##NAME = 1

/*
 * Declare of a series or table that there can be more keys than slots for them, such as clients
 * of a server. Those that find none are counted together, as the instance `other`, and every ten
 * seconds the agent takes slots from who was the least busy meanwhile: so those who are busy
 * have their own.
 */
#define ESTAT_OTHERS(NAME) const volatile __u8 estat_others_##NAME = 1

#define ESTAT_MAPS(NAME, KEY, VALUE, KEYS, TAG)     \
	struct NAME##_slot {                        \
		__u32 used;                         \
		KEY key;                            \
		VALUE value;                        \
	} __attribute__((aligned(64)));             \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_HASH);    \
		__uint(max_entries, KEYS);          \
		__type(key, KEY);                   \
		__type(value, __u32);               \
	} NAME SEC(".maps") TAG;                    \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_ARRAY);   \
		__uint(map_flags, BPF_F_MMAPABLE);  \
		__uint(max_entries, KEYS);          \
		__type(key, __u32);                 \
		__type(value, struct NAME##_slot);  \
	} NAME##_slots SEC(".maps");                \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_STACK);   \
		__uint(max_entries, KEYS);          \
		__uint(value_size, sizeof(__u32));  \
	} NAME##_free SEC(".maps");                 \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_ARRAY);   \
		__uint(map_flags, BPF_F_MMAPABLE);  \
		__uint(max_entries, KEYS);          \
		__type(key, __u32);                 \
		__type(value, struct estat_matrix); \
	} NAME##_by_size SEC(".maps");              \
	struct estat_state NAME##_state;            \
	const volatile __u32 NAME##_others = 0;     \
	ESTAT_TAKE(NAME, KEY)                       \
	ESTAT_GET(NAME, KEY, VALUE)                 \
	ESTAT_COUNT_BY_SIZE(NAME, KEY)

/*
 * NAME_take(key): a slot for a key that has none, or -1 if none is free. Two
 * CPUs may do so at once: the second finds the key there and gives its slot
 * back. The agent reads the key from the slot of shard 0 once `used` is set,
 * so the exchange is there for its barrier.
 */
#define ESTAT_TAKE(NAME, KEY)                                              \
	static __noinline long NAME##_take(const KEY *key)                 \
	{                                                                  \
		__u32 slot, index, *found;                                 \
		struct NAME##_slot *s;                                     \
		long err;                                                  \
                                                                           \
		if (NAME##_state.full)                                     \
			return -1;                                         \
		err = bpf_map_pop_elem(&NAME##_free, &slot);               \
		if (err) {                                                 \
			if (err == -ENOENT)                                \
				NAME##_state.full = 1;                     \
			return -1;                                         \
		}                                                          \
		index = slot * (estat_module.shard_mask + 1);              \
		s = bpf_map_lookup_elem(&NAME##_slots, &index);            \
		if (!s)                                                    \
			return -1;                                         \
		s->key = *key;                                             \
		if (bpf_map_update_elem(&NAME, key, &slot, BPF_NOEXIST)) { \
			bpf_map_push_elem(&NAME##_free, &slot, BPF_ANY);   \
			NAME##_state.full = 0;                             \
			found = bpf_map_lookup_elem(&NAME, key);           \
			return found ? *found : -1;                        \
		}                                                          \
		__sync_lock_test_and_set(&s->used, 1);                     \
		__sync_fetch_and_add(&NAME##_state.taken, 1);              \
		return slot;                                               \
	}

/*
 * NAME_find(key): this CPU's values for a key, or NULL if it has no slot.
 * NAME_insert(key): the same for a key that NAME_find has not found: it gets a slot, or
 * with ESTAT_OTHERS the one for all others; NULL if there is none for it, then it was dropped.
 * NAME_get(key): the one and, if need be, the other.
 *
 * NAME_recent guesses the slot, of which there are 65,536 at most, by a few bits of the key,
 * and the slot's own key says whether the guess is right: that takes a third of the time that
 * the hash takes. A slot has its key in every shard that has written to it. What is seldom
 * needed is a function of its own, so that what each I/O runs is short.
 */
#define ESTAT_GET(NAME, KEY, VALUE)                                                              \
	__u16 NAME##_recent[ESTAT_RECENT] __attribute__((aligned(64)));                          \
	static __always_inline VALUE *NAME##_at(const KEY *key, __u32 slot, __u32 shard,         \
						__u16 *recent)                                   \
	{                                                                                        \
		__u32 index = slot * (estat_module.shard_mask + 1) | shard;                      \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);              \
                                                                                                 \
		if (!s)                                                                          \
			return NULL;                                                             \
		if (!s->used) {                                                                  \
			s->key = *key;                                                           \
			__sync_lock_test_and_set(&s->used, 1);                                   \
		}                                                                                \
		*recent = slot;                                                                  \
		return &s->value;                                                                \
	}                                                                                        \
	static __always_inline __u16 *NAME##_guess(const KEY *key, __u32 shard)                  \
	{                                                                                        \
		return &NAME##_recent[estat_guess(key, sizeof(*key), __alignof__(*key), shard)]; \
	}                                                                                        \
	static __noinline VALUE *NAME##_seek(const KEY *key, __u32 shard, __u16 *recent)         \
	{                                                                                        \
		__u32 *slot = bpf_map_lookup_elem(&NAME, key);                                   \
                                                                                                 \
		return slot ? NAME##_at(key, *slot, shard, recent) : NULL;                       \
	}                                                                                        \
	static __always_inline VALUE *NAME##_find(const KEY *key)                                \
	{                                                                                        \
		__u32 mask = estat_module.shard_mask, shard = bpf_get_smp_processor_id() & mask; \
		__u16 *recent = NAME##_guess(key, shard);                                        \
		__u32 index = *recent * (mask + 1) | shard;                                      \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);              \
                                                                                                 \
		if (s && s->used && estat_same(&s->key, key, sizeof(*key), __alignof__(*key)))   \
			return &s->value;                                                        \
		return NAME##_seek(key, shard, recent);                                          \
	}                                                                                        \
	static __always_inline VALUE *NAME##_other(__u32 shard)                                  \
	{                                                                                        \
		__u32 index = NAME##_others * (estat_module.shard_mask + 1) | shard;             \
		struct NAME##_slot *s = bpf_map_lookup_elem(&NAME##_slots, &index);              \
                                                                                                 \
		if (!s)                                                                          \
			return NULL;                                                             \
		s->used = 1;                                                                     \
		return &s->value;                                                                \
	}                                                                                        \
	static __noinline __attribute__((unused)) VALUE *NAME##_insert(const KEY *key)           \
	{                                                                                        \
		__u32 shard = bpf_get_smp_processor_id() & estat_module.shard_mask;              \
		long slot = NAME##_take(key);                                                    \
		VALUE *v = NULL;                                                                 \
                                                                                                 \
		if (slot >= 0)                                                                   \
			v = NAME##_at(key, slot, shard, NAME##_guess(key, shard));               \
		else if (NAME##_others)                                                          \
			v = NAME##_other(shard);                                                 \
		if (!v)                                                                          \
			__sync_fetch_and_add(&NAME##_state.dropped, 1);                          \
		return v;                                                                        \
	}                                                                                        \
	static __always_inline __attribute__((unused)) VALUE *NAME##_get(const KEY *key)         \
	{                                                                                        \
		VALUE *v = NAME##_find(key);                                                     \
                                                                                                 \
		return v ? v : NAME##_insert(key);                                               \
	}

/*
 * NAME_count_by_size(key, ns, bytes): latency by size, if configured. Call it
 * after NAME_get has found the key. The matrix has no shards, so it is atomic.
 * NAME_count_io(v, key, ns, bytes, failed): an I/O, in v, which NAME_get has found, and by size.
 */
#define ESTAT_COUNT_BY_SIZE(NAME, KEY)                                                  \
	static __always_inline __attribute__((unused)) void NAME##_count_by_size(       \
		const KEY *key, __u64 ns, __u64 bytes)                                  \
	{                                                                               \
		__u32 *slot, others;                                                    \
		__u64 row, bucket;                                                      \
		struct estat_matrix *m;                                                 \
                                                                                        \
		if (!estat_module.latency_by_size)                                      \
			return;                                                         \
		others = NAME##_others;                                                 \
		slot = bpf_map_lookup_elem(&NAME, key);                                 \
		if (!slot && others)                                                    \
			slot = &others;                                                 \
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
		estat_count_io(v, ns, bytes, failed);                                   \
		if (!failed)                                                            \
			NAME##_count_by_size(key, ns, bytes);                           \
	}                                                                               \
	struct NAME##_slot /* takes the semicolon */

struct estat_io;
static __always_inline void estat_count_io(struct estat_io *v, __u64 ns, __u64 bytes, bool failed);

/* Latency alone: the value of a series or group that moves no bytes. */
struct estat_latency {
	estat_count_t ops ESTAT_HELP("Number of operations measured");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
	estat_sumsq_t latency_sumsq ESTAT_HELP("Sum of squared latencies");
	estat_max_t latency_max ESTAT_HELP("Highest latency");
	estat_latency_t
		latency ESTAT_HELP("Histogram of latency: number of operations by microseconds");
};

/* The same of what can fail: estat_count_end(). */
struct estat_latency_errors {
	struct estat_latency;
	estat_count_t errors ESTAT_HELP("Number of operations that failed");
};

/* The value of nearly every series. */
struct estat_io {
	estat_count_t ops ESTAT_HELP("Number of operations that succeeded");
	estat_count_t errors ESTAT_HELP("Number of operations that failed");
	estat_bytes_t bytes ESTAT_HELP("Bytes transferred");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
	estat_sumsq_t latency_sumsq ESTAT_HELP("Sum of squared latencies");
	estat_max_t latency_max ESTAT_HELP("Highest latency");
	estat_latency_t
		latency ESTAT_HELP("Histogram of latency: number of operations by microseconds");
	estat_size_t size ESTAT_HELP("Histogram of size: number of operations by bytes");
};

extern const volatile struct estat_module estat_module;

/*
 * When the programs were attached, by bpf_ktime_get_ns(); the agent sets it. With attach = demand
 * they come and go: what was under way as they went has ended unseen, so what a module keeps of
 * something that began earlier is nobody's, though something else with its number may end.
 */
__u64 estat_attached;

/* Add n to a 64-bit counter of this CPU's shard. */
#define estat_add(counter, n) estat_counter_add(&(counter), (n), estat_module.shared)

/* Set a gauge. The exchange is there for its barrier: who sees the stamp sees the value. */
static __always_inline void estat_gauge_set(struct estat_gauge *gauge, __u64 value)
{
	gauge->value = value;
	__sync_lock_test_and_set(&gauge->stamp, bpf_ktime_get_ns());
}

#define estat_set(gauge, value) estat_gauge_set(&(gauge), (value))

/* A share, 0 of nothing. Exact for parts below 2^44. */
static __always_inline __u64 estat_share(__u64 part, __u64 whole)
{
	return whole ? part * ESTAT_WHOLE / whole : 0;
}

/* Count one in a histogram. The barrier keeps the check that the verifier needs. */
static __always_inline void estat_bucket_add(estat_u64 *histogram, __u32 buckets, __u64 bucket,
					     bool shared)
{
	barrier_var(bucket);
	if (bucket < buckets)
		estat_counter_add(&histogram[bucket], 1, shared);
}

#define estat_count(histogram, bucket) estat_count_shared(histogram, bucket, estat_module.shared)
#define estat_count_shared(histogram, bucket, shared) \
	estat_bucket_add(histogram, sizeof(histogram) / sizeof((histogram)[0]), bucket, shared)

/* Count an operation that took ns in anything that has estat_latency's members. */
#define estat_count_latency(v, ns) estat_count_latency_shared(v, ns, estat_module.shared)
#define estat_count_latency_shared(v, ns, shared)                                  \
	do {                                                                       \
		__u64 _ns = (ns);                                                  \
		bool _shared = (shared);                                           \
                                                                                   \
		estat_counter_add(&(v)->ops, 1, _shared);                          \
		estat_counter_add(&(v)->latency_sum, _ns, _shared);                \
		estat_sum_add_square(&(v)->latency_sumsq, _ns, _shared);           \
		estat_max_raise(&(v)->latency_max, _ns, _shared);                  \
		estat_count_shared((v)->latency, estat_fine_bucket(_ns), _shared); \
	} while (0)

/* The same, or that it has failed, in anything that has the member errors, too. */
#define estat_count_end(v, ns, failed)              \
	do {                                        \
		if (failed)                         \
			estat_add((v)->errors, 1);  \
		else                                \
			estat_count_latency(v, ns); \
	} while (0)

/* Count an operation of bytes that took ns, or has failed. */
static __always_inline __attribute__((unused)) void estat_count_io(struct estat_io *v, __u64 ns,
								   __u64 bytes, bool failed)
{
	bool shared = estat_module.shared; /* read once: each time is a load */

	if (failed) {
		estat_counter_add(&v->errors, 1, shared);
		return;
	}
	estat_count_latency_shared(v, ns, shared);
	estat_counter_add(&v->bytes, bytes, shared);
	estat_count_shared(v->size, estat_size_bucket(bytes), shared);
}

#endif /* ESTAT_BPF_ESTAT_H */
