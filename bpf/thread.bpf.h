/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module keeps for each thread, for example from a function's entry to its return. The
 * kernel allocates each value and frees it with the thread's task_struct, so the number of threads
 * with a value has no limit but memory.
 */
#ifndef ESTAT_BPF_THREAD_H
#define ESTAT_BPF_THREAD_H

#include "declare.bpf.h"

#include "cpu.bpf.h"
#include "storage_types.bpf.h"

/*
 * The kernel's per-CPU lock of task storage, a counter that is not 0 while locked. Before Linux 6.2
 * a lookup in task storage fails while this CPU's lock is taken: if the lookup interrupts or, on a
 * preemptible kernel, preempts another use of task storage by a BPF program, a system call or the
 * end of a thread. See bpf_task_storage_trylock() in kernel/bpf/bpf_task_storage.c. The address is
 * 0 on Linux 7.2 and 7.3, which have no such lock.
 */
ESTAT_ADDRESS(bpf_task_storage_busy);
ESTAT_ADDRESS(__per_cpu_offset);
/* If the kernel has this function (since Linux 6.2), a lookup in task storage needs no lock. */
ESTAT_ADDRESS(bpf_task_storage_get_recur);

/*
 * A lookup has returned NULL. If lookups need the lock of task storage, and this CPU's lock is
 * taken, the lookup failed: count the event as missed.
 */
static __always_inline void estat_lookup_failed(void)
{
	__u64 at = estat_address_bpf_task_storage_busy;
	__u32 busy = 0;

	if (!at || estat_address_bpf_task_storage_get_recur)
		return;
	estat_read_of_cpu(&busy, sizeof(busy), at, estat_address___per_cpu_offset,
			  bpf_get_smp_processor_id());
	if (busy)
		estat_count_missed();
}

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___state {
	/* flags, such as ESTAT_TASK_*; 0: the thread runs, or waits for a CPU */
	unsigned int __state;
};

#pragma clang attribute pop

/* From include/linux/sched.h, Linux 5.15 to 7.3. */
#define ESTAT_TASK_UNINTERRUPTIBLE 0x2
#define ESTAT_TASK_NOLOAD          0x400 /* set, with 0x2, while a kernel thread is idle */

/* Nanoseconds. From this age on, estat_can_be_in() depends on how the thread waits. */
#define ESTAT_LONG_NS 1000000000

/*
 * For a walk: can a thread still be in an operation that began at `began`? If the kernel did not
 * run the BPF program at the operation's end, the module still keeps the operation. So after a
 * second the operation counts only as long as the thread waits uninterruptibly (in state D).
 */
static __always_inline __attribute__((unused)) bool estat_can_be_in(const void *thread, __u64 began)
{
	const struct task_struct___state *task = thread;
	unsigned int state = BPF_CORE_READ(task, __state);

	return bpf_ktime_get_ns() - began < ESTAT_LONG_NS ||
	       (state & ESTAT_TASK_UNINTERRUPTIBLE && !(state & ESTAT_TASK_NOLOAD));
}

/*
 * The most elements of a thread's storage list that a lookup searches. The list has one element for
 * each map that keeps a value of the thread.
 */
#define ESTAT_MAPS_OF_THREAD 64

/*
 * The address of a thread's value in a map, or NULL. The lookup takes no per-CPU lock, so it
 * cannot fail because of that lock. The value is read-only; read it with bpf_probe_read_kernel().
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
 * Declare a map NAME of TYPE, and four functions that return the current thread's value or NULL:
 *   NAME_here()	NULL if the thread has no value, or if the lookup failed; a failed lookup
 *			counts in estat.module.missed
 *   NAME_make()	creates a value of zeros if the thread has none; NULL if there is no
 *			memory or the kernel's lock is taken: the event then counts as missed
 *   NAME_try()		does what NAME_make() does, but does not count the event as missed
 *   NAME_kept()	does what NAME_here() does, but does not count a failed lookup. After a
 *			failed lookup at the end of a call the call stays in NAME; if the module
 *			declares ESTAT_LEFT, the call counts as missed later
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
			estat_lookup_failed();                                        \
		return t;                                                             \
	}                                                                             \
	static __always_inline TYPE *NAME##_try(void)                                 \
	{                                                                             \
		return bpf_task_storage_get(&NAME, bpf_get_current_task_btf(), 0,     \
					    BPF_LOCAL_STORAGE_GET_F_CREATE);          \
	}                                                                             \
	static __always_inline __attribute__((unused)) TYPE *NAME##_make(void)        \
	{                                                                             \
		TYPE *t = NAME##_try();                                               \
                                                                                      \
		if (!t)                                                               \
			estat_count_missed();                                         \
		return t;                                                             \
	}                                                                             \
	struct NAME##_of_thread /* lets a semicolon follow the macro */

/*
 * A thread keeps a call in NAME from the call's entry to its end, at which the BPF program of an
 * ESTAT_EXIT, or of the OTHER of an ESTAT_INSTEAD, runs; meanwhile MEMBER is not 0. If the kernel
 * does not run the BPF program at the end, the call is left in NAME. A left call counts as missed
 * when the thread begins its next call (the module calls NAME_count_left()), or when the thread is
 * freed. If the kernel suppresses runs of the BPF programs at the end, the agent does not add these
 * runs to estat.module.missed (probes_end_calls()), because a run may be for a call that the module
 * does not keep. The thread's end is seen at sched_process_free, not at sched_process_exit, where
 * since Linux 7.0 the kernel suppresses a run of the BPF program while a run for another thread is
 * preempted on that CPU.
 */
#define ESTAT_LEFT(NAME, TYPE, MEMBER)                                                            \
	static __always_inline void NAME##_count_left(const TYPE *t)                              \
	{                                                                                         \
		if (t->MEMBER)                                                                    \
			estat_count_missed();                                                     \
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
	struct NAME##_left_of_thread /* lets a semicolon follow the macro */

#endif /* ESTAT_BPF_THREAD_H */
