/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of the module wait: the functions that the code of vfs calls when an operation begins, when
 * its call returns and the operation may go on, and when the operation ends. An operation of aio or
 * io_uring can go on after its call has returned. The map `left` keeps the time from the begin of
 * the operation to the return of the call, by reason.
 */
#ifndef ESTAT_MODULES_SCHED_LEFT_H
#define ESTAT_MODULES_SCHED_LEFT_H

#include "vfs/operation.bpf.h"
#include "waits.bpf.h"

/*
 * For each operation that goes on after its call has returned: the time from the begin to the
 * return of the call, as a total and by reason. The key is the operation's id.
 */
ESTAT_HASH_MAP(left, LRU_HASH, __u64, struct split, 8192);

static __always_inline void vfs_begun(__u64 id, __u64 what)
{
	if (WHAT_IS(what) == object_none)
		return;
	if (WHAT_IS(what) == object_iocb)
		bpf_map_delete_elem(&left, &id);
	waits_begin(id);
}

static __always_inline void vfs_left(__u64 id)
{
	struct waits *t = waits_end(id) ? threads_kept() : NULL;

	if (t)
		bpf_map_update_elem(&left, &id, &t->ended, BPF_ANY);
}

static __always_inline bool vfs_taken(__u64 id)
{
	return waits_end(id);
}

#endif /* ESTAT_MODULES_SCHED_LEFT_H */
