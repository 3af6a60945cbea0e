/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that make a thread wait, each with a reason. While a thread is in such a function,
 * a mark in `struct waits` says that a wait has this reason. Of nested functions the innermost
 * gives the reason.
 */
#ifndef ESTAT_MODULES_SCHED_SLEEPERS_H
#define ESTAT_MODULES_SCHED_SLEEPERS_H

#include "frames.bpf.h"
#include "probe.bpf.h"
#include "waits.bpf.h"

/* The current thread's times; NULL: the thread is in no operation, or the look-up failed. */
static __always_inline struct waits *waits_here(void)
{
	struct waits *t = threads_kept();

	return t && t->depth ? t : NULL;
}

static __always_inline void set_marks(struct waits *t, __u64 marks)
{
	enum reason was = running(t);

	t->marks = marks;
	if (running(t) != was)
		pass(t, was, bpf_ktime_get_ns());
}

static __noinline int mark(enum reason reason)
{
	struct waits *t = waits_here();

	if (t)
		set_marks(t, t->marks << 8 | (reason & 255));
	return 0;
}

static __noinline int unmark(void)
{
	struct waits *t = waits_here();

	if (t)
		set_marks(t, t->marks >> 8);
	return 0;
}

#define SLEEPER(REASON, FUNCTION, OTHERS...)    \
	ESTAT_OPTIONAL("", FUNCTION, ##OTHERS); \
	SLEEPS(REASON, FUNCTION)
#define SLEEPS(REASON, FUNCTION)                                                        \
	static __always_inline int wait_marks_##FUNCTION(const __u64 *args, bool typed) \
	{                                                                               \
		return mark(reason_##REASON);                                           \
	}                                                                               \
	ESTAT_MULTI_RETURN(wait_out_##FUNCTION, FUNCTION, unmark())                     \
	ESTAT_MULTI_ENTRY(wait_in_##FUNCTION, FUNCTION, wait_marks_##FUNCTION)

SLEEPER(folio, folio_wait_bit, wait_on_page_bit)
SLEEPS(folio, wait_on_page_bit)
SLEEPER(folio, folio_wait_bit_killable, wait_on_page_bit_killable)
SLEEPS(folio, wait_on_page_bit_killable)
SLEEPER(folio, __folio_lock, __lock_page)
SLEEPS(folio, __lock_page)
SLEEPER(folio, __folio_lock_killable, __lock_page_killable)
SLEEPS(folio, __lock_page_killable)
/*
 * Compilers inline the functions in which a reader waits for a folio. So a thread has the mark
 * folio from the entry of filemap_read or filemap_splice_read to the return.
 */
SLEEPER(folio, filemap_read)
SLEEPER(folio, filemap_splice_read)

SLEEPER(journal, jbd2_log_wait_commit)
SLEEPER(journal, start_this_handle)
SLEEPER(journal, jbd2_journal_get_write_access)
SLEEPER(journal, btrfs_commit_transaction)
SLEEPER(log, btrfs_sync_log)
SLEEPER(log, xfs_log_reserve)
SLEEPER(log, xfs_log_force)
SLEEPER(log, xfs_log_force_seq)

SLEEPER(iocost, ioc_rqos_throttle)
SLEEPER(io_latency, blkcg_iolatency_throttle)
SLEEPER(wbt, wbt_wait)
SLEEPER(tag, blk_mq_get_tag)

SLEEPER(reclaim, try_to_free_pages)
SLEEPER(reclaim, try_to_free_mem_cgroup_pages)
SLEEPER(reclaim, try_to_compact_pages)
SLEEPER(reclaim, __mem_cgroup_handle_over_high, mem_cgroup_handle_over_high)
SLEEPS(reclaim, mem_cgroup_handle_over_high)

SLEEPER(network, rpc_wait_bit_killable)
SLEEPER(network, nfs_wait_bit_killable)

/*
 * Functions of ZFS; the module does not keep ZFS loaded. A commit that the intent log cannot serve
 * waits for a transaction group within zil_commit, so the reason of such a wait is txg. OpenZFS has
 * txg_wait_synced_flags since 2.3.3, zil_commit_flags since 2.4.
 */
ESTAT_ALSO("zfs");

#define ZFS_SLEEPER(REASON, FUNCTION)                                                  \
	ESTAT_OPTIONAL("", FUNCTION);                                                  \
	ESTAT_RUN(ESTAT_ENTRY(wait_in_##FUNCTION, FUNCTION, 0), mark(reason_##REASON)) \
	ESTAT_RUN(ESTAT_EXIT(wait_out_##FUNCTION, FUNCTION, 0), unmark())

ZFS_SLEEPER(zil, zil_commit)
ZFS_SLEEPER(zil, zil_commit_flags)
ZFS_SLEEPER(txg, txg_wait_synced)
ZFS_SLEEPER(txg, txg_wait_synced_flags)
ZFS_SLEEPER(txg, txg_wait_open)

/*
 * Tracepoint contention_begin: the thread begins to wait, or to spin, for a contended lock.
 * Tracepoint contention_end: the thread has the lock, or gives up.
 */
ESTAT_OPTIONAL("", __traceiter_contention_begin);
ESTAT_OPTIONAL("", __traceiter_contention_end);

SEC("tp_btf/contention_begin")
int wait_contends(__u64 *ctx)
{
	struct waits *t = waits_here();

	if (!t || t->lock)
		return 0;
	pass(t, running(t), bpf_ktime_get_ns());
	t->lock = ctx[0];
	return 0;
}

/*
 * A thread that waits for a mutex can wait for spin locks meanwhile. The end of a wait for a spin
 * lock does not end the wait for the mutex.
 */
SEC("tp_btf/contention_end")
int wait_has_lock(__u64 *ctx)
{
	struct waits *t = waits_here();

	if (!t || t->lock != ctx[0])
		return 0;
	pass(t, running(t), bpf_ktime_get_ns());
	t->lock = 0;
	return 0;
}

SEC("tp_btf/balance_dirty_pages")
int wait_pauses(__u64 *ctx)
{
	struct waits *t = waits_here();

	if (t)
		t->pauses = true;
	return 0;
}

static __always_inline int sends(enum reason reason)
{
	struct waits *t = waits_here();

	if (t)
		t->submitted = reason;
	return 0;
}

/*
 * In rpc_execute a thread sends a call of RPC, such as NFS's. If the call is asynchronous, another
 * thread does it, and the sender can wait for a page, for example. Such a wait has the reason
 * network, because the sender has sent a call.
 */
ESTAT_OPTIONAL("", rpc_execute);

SEC("fentry/rpc_execute")
int wait_sends_call(__u64 *ctx)
{
	return sends(reason_network);
}

/* Bios that wait for io.max, each with the address of the thread that sent the bio. */
ESTAT_HASH_MAP(limited, LRU_HASH, __u64, __u64, 4096);
/* Linux 5.15 checks io.max in blk_throtl_bio, newer kernels in __blk_throtl_bio. */
ESTAT_OPTIONAL("reason io_max", __blk_throtl_bio, blk_throtl_bio);

static __always_inline int limits(__u64 bio, bool waits)
{
	struct waits *t = waits ? waits_here() : NULL;
	__u64 thread = bpf_get_current_task();

	if (!t)
		return 0;
	bpf_map_delete_elem(&released, &thread);
	bpf_map_update_elem(&limited, &bio, &thread, BPF_ANY);
	t->limited = true;
	return 0;
}

SEC("fexit/__blk_throtl_bio")
int wait_limits(__u64 *ctx)
{
	return limits(estat_id((void *)ctx[0]), ctx[1] & 1);
}

SEC("fexit/blk_throtl_bio")
int wait_limits_old(__u64 *ctx)
{
	return limits(estat_id((void *)ctx[0]), ctx[1] & 1);
}

/* A bio goes on: io.max did not hold it, or holds it no longer. */
static __always_inline int sends_bio(const __u64 *args, bool typed)
{
	__u64 bio = estat_id((void *)args[0]), now;
	__u64 *thread = bpf_map_lookup_elem(&limited, &bio);

	if (!thread)
		return sends(reason_device);
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&released, thread, &now, BPF_ANY);
	bpf_map_delete_elem(&limited, &bio);
	return 0;
}

ESTAT_MULTI_TRACEPOINT(wait_sends_bio, block_bio_queue, submit_bio_noacct_nocheck, sends_bio)

#endif /* ESTAT_MODULES_SCHED_SLEEPERS_H */
