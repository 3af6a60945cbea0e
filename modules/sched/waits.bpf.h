/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits the time of a thread in an operation by reason: what the thread waits for. A thread runs,
 * waits for a CPU (queued), or waits for something else (blocked):
 *
 *	running		-- sched_switch --> queued, if preempted, else blocked
 *	blocked		-- sched_wakeup --> queued
 *	queued		-- sched_switch --> running
 *
 * Each change adds the time since the change before to one reason, so the reasons' times add up to
 * the time that has passed. The sums only grow. The part of an operation's time that has a reason
 * is the reason's sum at the operation's end less the sum at the operation's begin. This holds for
 * an operation within another operation, too.
 *
 * A BPF program that runs in the thread can be preempted, and then the BPF program at sched_switch
 * adds to the same sums. So `since` changes by cmpxchg, and only the BPF program that has changed
 * `since` adds the time. A wakeup is never at the same time as a switch of the thread, because the
 * kernel's lock of the run queue orders the two.
 */
#ifndef ESTAT_MODULES_SCHED_WAITS_H
#define ESTAT_MODULES_SCHED_WAITS_H

#include "inflight.bpf.h"
#include "thread.bpf.h"

enum reason {
	reason_on_cpu,
	reason_run_queue,
	reason_lock,
	reason_folio,
	reason_device,
	reason_journal,
	reason_log,
	reason_dirty_throttle,
	reason_io_max,
	reason_iocost,
	reason_io_latency,
	reason_wbt,
	reason_tag,
	reason_reclaim,
	reason_network,
	reason_zil,
	reason_txg,
	reason_asynchronous,
	reason_other,
};

#define REASONS 19
/* at most so many operations of a thread, one within the other, are measured */
#define NESTED 4

enum where {
	where_running,
	where_queued,
	where_blocked,
};

struct begun {
	__u64 id;
	__u64 since; /* when the operation began */
	__u64 sums[REASONS];
};

/* An operation's time, and the same time by reason. */
struct split {
	__u64 ns;
	__u64 parts[REASONS];
};

struct waits {
	__u64 since; /* when `sums` last grew, or the outermost operation began */
	/*
	 * reasons of the functions of sleepers.bpf.h that the thread is in, a byte each: the lowest
	 * byte is that of the innermost function, 0 is none
	 */
	__u64 marks;
	__u64 lock;  /* address of the lock for which the thread waits or spins; 0: none */
	__u32 depth; /* how many operations of the thread are under way; 0: measure no waits */
	__u32 where;
	__u32 blocked; /* the reason why the thread is blocked */
	/*
	 * where the outermost operation sent its latest I/O: reason_device: to a device;
	 * reason_network: over the network; 0: the operation sent no I/O
	 */
	__u32 submitted;
	bool limited;       /* a bio of the outermost operation waited for io.max */
	bool pauses;        /* balance_dirty_pages has announced a pause, which has not begun */
	struct split ended; /* the times of the operation that ended last */
	__u64 sums[REASONS];
	struct begun begun[NESTED];
};

ESTAT_PER_THREAD(threads, struct waits);

/*
 * By the address of a thread: when io.max last released one of the thread's bios. The entry is
 * deleted when io.max holds a bio of the thread. So if a thread waits for io.max and has no entry,
 * io.max still holds the bio.
 */
ESTAT_HASH_MAP(released, LRU_HASH, __u64, __u64, 4096);

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/sched.h */
struct task_struct {
	unsigned int __state;
	unsigned in_iowait : 1;
};

#pragma clang attribute pop

/* The state of a thread that pauses in balance_dirty_pages, as in vfs/writeback.bpf.c. */
#define TASK_KILLABLE 0x102

static __noinline int add_time(struct waits *t, __u32 reason, __u64 ns)
{
	if (reason < REASONS)
		__sync_fetch_and_add(&t->sums[reason], ns);
	return 0;
}

/*
 * Add the time from t->since to `now` to a reason, and set t->since to `now`. Do neither if `now`
 * is the earlier time, because this CPU's clock can be some ns behind the clock of the CPU that set
 * t->since; nor if another BPF program changes t->since meanwhile.
 */
static __noinline int pass(struct waits *t, __u32 reason, __u64 now)
{
	__u64 since = ESTAT_LOAD(t->since);

	if (now > since && __sync_val_compare_and_swap(&t->since, since, now) == since)
		add_time(t, reason, now - since);
	return 0;
}

/* The reason to which the time of a running thread counts. */
static __always_inline enum reason running(const struct waits *t)
{
	if (t->lock)
		return reason_lock;
	return (t->marks & 255) == reason_reclaim ? reason_reclaim : reason_on_cpu;
}

/*
 * The reason why a running thread blocks. A wait for a page has reason_folio only if the outermost
 * operation has sent no I/O.
 */
static __always_inline enum reason blocks(const struct waits *t, struct task_struct *task)
{
	enum reason mark = t->marks & 255;

	if (t->lock)
		return reason_lock;
	if (t->pauses && task->__state == TASK_KILLABLE)
		return reason_dirty_throttle;
	if (mark && mark != reason_folio)
		return mark;
	if (t->submitted == reason_network)
		return reason_network;
	if (!BPF_CORE_READ_BITFIELD(task, in_iowait))
		return reason_other;
	if (t->limited)
		return reason_io_max;
	if (t->submitted)
		return t->submitted;
	return mark ? reason_folio : reason_device;
}

/*
 * The thread is not blocked any more. If the thread waited for io.max, the time after io.max has
 * released the thread's bio has the reason device.
 */
static __always_inline void unblock(struct waits *t, struct task_struct *task, __u64 now)
{
	__u64 id = estat_id(task), *at = NULL;

	if (t->blocked == reason_io_max)
		at = bpf_map_lookup_elem(&released, &id);
	if (at)
		pass(t, reason_io_max, *at < now ? *at : now);
	pass(t, at ? reason_device : t->blocked, now);
}

/* The times of a thread; NULL: the thread is in no operation, or the look-up failed. */
static __always_inline struct waits *waits_of(struct task_struct *task)
{
	struct waits *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (!t)
		estat_lookup_failed();
	return t && t->depth ? t : NULL;
}

SEC("tp_btf/sched_switch")
int wait_switches(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct waits *t = waits_of(prev);

	if (t) {
		pass(t, running(t), bpf_ktime_get_ns());
		t->where = ctx[0] & 1 || !prev->__state ? where_queued : where_blocked;
		if (t->where == where_blocked) {
			t->blocked = blocks(t, prev);
			t->pauses = false;
		}
	}
	t = waits_of(next);
	if (!t)
		return 0;
	if (t->where == where_queued)
		pass(t, reason_run_queue, bpf_ktime_get_ns());
	else if (t->where == where_blocked) /* its wakeup was not seen */
		unblock(t, next, bpf_ktime_get_ns());
	t->where = where_running;
	return 0;
}

SEC("tp_btf/sched_wakeup")
int wait_wakes(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct waits *t = waits_of(task);

	if (!t || t->where != where_blocked)
		return 0;
	unblock(t, task, bpf_ktime_get_ns());
	t->where = where_queued;
	return 0;
}

#define COPIES_OF_SUMS 4

/*
 * Copy the sums, at most COPIES_OF_SUMS times: again if a preemption or an interrupt has changed
 * the sums during the copy. Returns t->since as it was at the begin of the last copy: when the sums
 * last grew, or when the outermost operation began. waits_end() finds out if the last copy is torn.
 */
static __noinline __u64 copy_sums(struct waits *t, __u64 *sums)
{
	__u64 since = 0;

	for (int n = 0; n < COPIES_OF_SUMS && since != ESTAT_LOAD(t->since); n++) {
		since = ESTAT_LOAD(t->since);
		for (int i = 0; i < REASONS; i++)
			sums[i] = ESTAT_LOAD(t->sums[i]);
	}
	return since;
}

/* The current thread begins an operation. */
static __noinline int waits_begin(__u64 id)
{
	struct waits *t = threads_try();
	struct begun *b;
	__u32 depth;

	if (!t)
		return 0;
	depth = t->depth;
	if (depth >= NESTED) /* take the operations under way as ended unseen: begin anew */
		depth = 0;
	b = &t->begun[depth];
	if (!depth) {
		t->marks = t->lock = t->submitted = 0;
		t->limited = t->pauses = false;
		t->where = where_running;
		ESTAT_STORE(t->depth, 1);
		ESTAT_STORE(t->since, bpf_ktime_get_ns());
	} else {
		t->depth = depth + 1;
		pass(t, running(t), bpf_ktime_get_ns());
	}
	b->since = copy_sums(t, b->sums);
	b->id = id;
	return 0;
}

/*
 * An operation ends: set t->ended. False: the current thread is in no operation `id`, or the times
 * by reason do not add up, because the sums changed during each copy, here or in waits_begin().
 */
static __noinline bool waits_end(__u64 id)
{
	struct waits *t = threads_kept();
	struct begun *b = NULL;
	__u64 sum = 0;

	if (!t)
		return false;
	for (int i = NESTED - 1; i >= 0 && !b; i--)
		if (i < (int)t->depth && t->begun[i].id == id) {
			b = &t->begun[i];
			t->depth = i;
		}
	if (!b)
		return false;
	pass(t, running(t), bpf_ktime_get_ns());
	t->ended.ns = copy_sums(t, t->ended.parts) - b->since;
	for (int i = 0; i < REASONS; i++) {
		t->ended.parts[i] -= b->sums[i];
		sum += t->ended.parts[i];
	}
	return sum == t->ended.ns;
}

#endif /* ESTAT_MODULES_SCHED_WAITS_H */
