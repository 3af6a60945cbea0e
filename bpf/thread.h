/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module keeps by thread, as from a function's entry to its return. There
 * is room for every thread, and what a thread has kept goes with it.
 */
#ifndef ESTAT_THREAD_H
#define ESTAT_THREAD_H

#include "estat.h"

/*
 * Declare a map NAME of TYPE, and two functions:
 *   NAME_here()	the current thread's, or NULL if it has none
 *   NAME_make()	the same, but one that has none gets one, of zeros; NULL if
 *			there is no memory or, before Linux 6.2, if the thread has
 *			interrupted another one that was just making its own
 */
#define ESTAT_PER_THREAD(NAME, TYPE)                                                  \
	struct {                                                                      \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                              \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                 \
		__type(key, int);                                                     \
		__type(value, TYPE);                                                  \
	} NAME SEC(".maps");                                                          \
	static __always_inline __attribute__((unused)) TYPE *NAME##_here(void)        \
	{                                                                             \
		return bpf_task_storage_get(&NAME, bpf_get_current_task_btf(), 0, 0); \
	}                                                                             \
	static __always_inline TYPE *NAME##_make(void)                                \
	{                                                                             \
		return bpf_task_storage_get(&NAME, bpf_get_current_task_btf(), 0,     \
					    BPF_LOCAL_STORAGE_GET_F_CREATE);          \
	}                                                                             \
	struct NAME##_of_thread /* takes the semicolon */

#endif /* ESTAT_THREAD_H */
