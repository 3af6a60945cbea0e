/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module keeps by thread, as from a function's entry to its return. There
 * is room for every thread, and what a thread has kept goes with it.
 */
#ifndef ESTAT_BPF_THREAD_H
#define ESTAT_BPF_THREAD_H

#include "declare.bpf.h"

#include "cpu.bpf.h"
#include "storage_types.bpf.h"

/*
 * Before Linux 6.2 the kernel gives no thread's to a program that has interrupted, or on a
 * kernel that preempts programs of fentry taken the CPU from, another one or a system call
 * that just looked one up (bpf_task_storage_trylock() in kernel/bpf/bpf_task_storage.c).
 */
ESTAT_ADDRESS(bpf_task_storage_busy);
ESTAT_ADDRESS(__per_cpu_offset);
extern int LINUX_KERNEL_VERSION __kconfig;

/* How many were refused so. */
__u64 estat_refused;

/* There is none of this thread: count that if it was refused. */
static __always_inline void estat_none_here(void)
{
	__u64 at = estat_address_bpf_task_storage_busy;
	__u32 busy = 0;

	if (!at || LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 2, 0))
		return;
	estat_read_of_cpu(&busy, sizeof(busy), at, estat_address___per_cpu_offset,
			  bpf_get_smp_processor_id());
	if (busy)
		__sync_fetch_and_add(&estat_refused, 1);
}

/* How many maps' a thread's storage is searched for. */
#define ESTAT_MAPS_OF_THREAD 64

/*
 * Where a thread's value of a map is, to be read as bpf_probe_read_kernel() does, or NULL: found
 * without the lock that may be refused. Nobody may change it.
 */
static __always_inline const void *estat_find_of_thread(struct task_struct___storage *task,
							const struct bpf_map *map)
{
	struct hlist_node___storage *node = BPF_CORE_READ(task, bpf_storage, list.first);

	for (int i = 0; i < ESTAT_MAPS_OF_THREAD && node; i++) {
		struct bpf_local_storage_elem *e =
			(void *)node - bpf_core_field_offset(struct bpf_local_storage_elem, snode);

		if (BPF_CORE_READ(e, sdata.smap, map.id) == map->id)
			return (void *)e +
			       bpf_core_field_offset(struct bpf_local_storage_elem, sdata) +
			       bpf_core_field_offset(struct bpf_local_storage_data, data);
		node = BPF_CORE_READ(node, next);
	}
	return NULL;
}

/*
 * Declare a map NAME of TYPE, and three functions:
 *   NAME_here()	the current thread's, or NULL if it has none; or if it is refused:
 *			then that has counted in estat.module.missed
 *   NAME_make()	the same, but one that has none gets one, of zeros; NULL if
 *			there is no memory, or if it is refused: then who asks counts
 *			it as missed, in the series that lacks it
 *   NAME_kept()	as NAME_here(), but that it was refused does not count: for ends of
 *			calls, what is left of which counts later (ESTAT_LEFT)
 */
#define ESTAT_PER_THREAD(NAME, TYPE)                                                  \
	struct {                                                                      \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                              \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                 \
		__type(key, int);                                                     \
		__type(value, TYPE);                                                  \
	} NAME SEC(".maps");                                                          \
	static __always_inline TYPE *NAME##_kept(void)                                \
	{                                                                             \
		return bpf_task_storage_get(&NAME, bpf_get_current_task_btf(), 0, 0); \
	}                                                                             \
	static __always_inline __attribute__((unused)) TYPE *NAME##_here(void)        \
	{                                                                             \
		TYPE *t = NAME##_kept();                                              \
                                                                                      \
		if (!t)                                                               \
			estat_none_here();                                            \
		return t;                                                             \
	}                                                                             \
	static __always_inline TYPE *NAME##_make(void)                                \
	{                                                                             \
		return bpf_task_storage_get(&NAME, bpf_get_current_task_btf(), 0,     \
					    BPF_LOCAL_STORAGE_GET_F_CREATE);          \
	}                                                                             \
	struct NAME##_of_thread /* takes the semicolon */

/*
 * Declare that a thread keeps a call in NAME until ESTAT_FEXIT or ESTAT_INSTEAD ends it: MEMBER is
 * not 0 meanwhile. What the kernel skips of those programs may have been another one's call, so the
 * agent does not count that: what is left of a call counts in STATE.missed, when the thread begins
 * the next one, by NAME_count_left(), or has gone. That is where RCU frees it (sched_process_free):
 * where it exits the program may be skipped, if another one's was preempted in it.
 */
#define ESTAT_LEFT(NAME, TYPE, MEMBER, STATE)                                                     \
	static __always_inline void NAME##_count_left(const TYPE *t)                              \
	{                                                                                         \
		if (t->MEMBER)                                                                    \
			__sync_fetch_and_add(&(STATE).missed, 1);                                 \
	}                                                                                         \
	SEC("tp_btf/sched_process_free")                                                          \
	int NAME##_thread_ends(__u64 *ctx)                                                        \
	{                                                                                         \
		const TYPE *found = estat_find_of_thread((struct task_struct___storage *)*ctx,    \
							 (const struct bpf_map *)&NAME);          \
		TYPE t;                                                                           \
                                                                                                  \
		if (found && !bpf_probe_read_kernel(&t.MEMBER, sizeof(t.MEMBER), &found->MEMBER)) \
			NAME##_count_left(&t);                                                    \
		return 0;                                                                         \
	}                                                                                         \
	struct NAME##_left_of_thread /* takes the semicolon */

#endif /* ESTAT_BPF_THREAD_H */
