/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all threads of the host, for gauges of what a module keeps for each thread
 * (thread.bpf.h). A walk that is not partial visits once every thread that exists from the walk's
 * begin to its end. A BPF program runs in an RCU read-side critical section, so a thread that exits
 * stays readable until the run of estat_walk ends; before the next run the thread's memory may be
 * freed.
 */
#ifndef ESTAT_BPF_THREAD_WALK_H
#define ESTAT_BPF_THREAD_WALK_H

#include "inflight.bpf.h"
#include "thread.bpf.h"
#include "told.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head___walk {
	struct list_head___walk *next;
};

struct signal_struct___walk {
	struct list_head___walk thread_head; /* the process' threads */
};

struct task_struct___walk {
	struct list_head___walk tasks; /* all processes */
	struct list_head___walk thread_node;
	struct task_struct___walk *group_leader;
	struct signal_struct___walk *signal;
};

#pragma clang attribute pop

/*
 * Where the walk is: `process` and `thread` are the addresses of the task_structs of the process
 * and the thread that the walk has reached. `link` is the address of the next thread's thread_node
 * or, after the last thread, of the process's thread_head; 0: go on with the next process. `agent`
 * is the agent's process, with which the walk begins. The walk ends when the next process is
 * `agent`.
 */
struct {
	__u64 process, thread, link, agent;
} estat_threads;

/* Can the walk's current thread still be in an operation that began at `began`? */
static __always_inline bool estat_is_in(__u64 began)
{
	return estat_end_is_seen(began) && estat_can_be_in((void *)estat_threads.thread, began);
}

/* Fill in estat_told() for the walk's current thread. */
static __always_inline __attribute__((unused)) void estat_tell_thread(void)
{
	if (estat_told())
		estat_tell_task(estat_threads.thread);
}

static __always_inline __attribute__((unused)) void estat_threads_begin(void)
{
	struct task_struct___walk *task = (void *)bpf_get_current_task();

	estat_threads.agent = (__u64)BPF_CORE_READ(task, group_leader);
	estat_threads.process = 0;
	estat_threads.link = 0;
}

static __always_inline int estat_next_process(void)
{
	struct task_struct___walk *process = (void *)estat_threads.process;

	if (process)
		process = (void *)BPF_CORE_READ(process, tasks.next) -
			  bpf_core_field_offset(struct task_struct___walk, tasks);
	else
		process = (void *)estat_threads.agent;
	if ((__u64)process == estat_threads.agent && estat_threads.process)
		return ESTAT_WALK_END;
	if (BPF_CORE_READ(process, group_leader) != process) /* the process has exited */
		return ESTAT_WALK_END | ESTAT_WALK_PARTIAL;
	estat_threads.process = (__u64)process;
	estat_threads.link = (__u64)BPF_CORE_READ(process, signal, thread_head.next);
	return 0;
}

/*
 * Take one step of the walk: to the next thread, to the end of a process's threads, or to the next
 * process. Sets *thread to the thread; NULL: the step was to no thread. Returns flags of the walk,
 * such as ESTAT_WALK_END; 0: none.
 */
static __always_inline __attribute__((unused)) int
estat_next_thread(struct task_struct___storage **thread)
{
	struct task_struct___walk *process = (void *)estat_threads.process, *task;
	struct list_head___walk *link = (void *)estat_threads.link;
	__u64 head;

	*thread = NULL;
	if (!link)
		return estat_next_process();
	task = (void *)link - bpf_core_field_offset(struct task_struct___walk, thread_node);
	head = (__u64)BPF_CORE_READ(process, signal) +
	       bpf_core_field_offset(struct signal_struct___walk, thread_head);
	estat_threads.link = 0;
	if ((__u64)link == head)
		return 0;
	if (BPF_CORE_READ(task, group_leader) != process) /* the thread exited between two runs */
		return ESTAT_WALK_PARTIAL;
	estat_threads.link = (__u64)BPF_CORE_READ(link, next);
	estat_threads.thread = (__u64)task;
	*thread = (void *)task;
	return 0;
}

/*
 * Define NAME_look(walk), which goes on by one step. If the step is to a thread that has a value in
 * NAME, an ESTAT_PER_THREAD map of TYPE, NAME_look() calls FOUND(t, walk), where `t` points to a
 * copy of the value. Both functions return flags of the walk.
 */
#define ESTAT_LOOK_AT_THREADS(NAME, TYPE, FOUND)                                     \
	__noinline int NAME##_look(__u64 walk)                                       \
	{                                                                            \
		struct task_struct___storage *thread;                                \
		int flags = estat_next_thread(&thread);                              \
		const void *value;                                                   \
		TYPE t;                                                              \
                                                                                     \
		if (!thread)                                                         \
			return flags;                                                \
		value = estat_find_of_thread(thread, (const struct bpf_map *)&NAME); \
		if (value && !bpf_probe_read_kernel(&t, sizeof(t), value))           \
			flags |= FOUND(&t, walk);                                    \
		return flags;                                                        \
	}                                                                            \
	struct NAME##_looked_at /* lets a semicolon follow the macro */

/* Define NAME_look(walk) and estat_walk, for a module whose walk looks only at threads. */
#define ESTAT_WALK_THREADS(NAME, TYPE, FOUND)     \
	ESTAT_LOOK_AT_THREADS(NAME, TYPE, FOUND); \
	ESTAT_WALK_BY(estat_threads_begin(), NAME##_look(walk))

#endif /* ESTAT_BPF_THREAD_WALK_H */
