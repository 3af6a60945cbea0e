/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a queued thread that moves between CPUs has waited on the CPUs that it has left. As the
 * thread leaves, the kernel forgets when the thread was queued, and adds the wait to the sums of
 * the run queue (sched_info_dequeue). So the wait is the growth of the sum of waits since the
 * module's last event on the CPU that the thread leaves. On kernels without SCHEDSTATS, which have
 * no such sums, the wait is 0.
 */
#ifndef ESTAT_MODULES_SCHED_MOVED_H
#define ESTAT_MODULES_SCHED_MOVED_H

#include "inflight.bpf.h"
#include "rq_types.bpf.h"

#define HAS_SUMS bpf_core_field_exists(((struct rq *)0)->rq_sched_info)

/*
 * The sums of a CPU's run queue after the last event that the module saw. The queue's lock is held
 * at each event, so no two CPUs write at once.
 */
struct seen {
	__u64 pcount; /* 0: no event yet */
	__u64 run_delay;
} __attribute__((aligned(64)));

#define CPUS 1024

struct seen seen[CPUS];

static __always_inline struct seen *seen_of(const struct rq *rq)
{
	return &seen[estat_masked(rq->cpu, CPUS - 1)];
}

/* Threads that have moved and do not run yet; the index is a hash of the thread's address. */
struct moved {
	__u64 thread; /* 0: none */
	__u64 ns;
};

#define MOVED 1024

struct moved moved[MOVED];

static __always_inline struct moved *moved_of(__u64 thread)
{
	return &moved[estat_masked(thread * 0x9e3779b97f4a7c15 >> 40, MOVED - 1)];
}

static __always_inline const struct rq *rq_of(const struct task_struct *thread)
{
	return thread->se.cfs_rq->rq;
}

SEC("tp_btf/sched_migrate_task")
int runq_move(__u64 *ctx)
{
	struct task_struct *thread = (struct task_struct *)ctx[0];
	__u64 id = estat_id(thread), pcount, ns;
	struct moved *m = moved_of(id);
	const struct rq *rq = rq_of(thread);
	struct seen *s = seen_of(rq);

	if (!HAS_SUMS || thread->on_rq != TASK_ON_RQ_MIGRATING || !s->pcount)
		return 0;
	pcount = rq->rq_sched_info.pcount;
	ns = rq->rq_sched_info.run_delay - s->run_delay;
	if (s->pcount != pcount || (m->thread && m->thread != id)) {
		/*
		 * a switch on the CPU was not seen, so `ns` can include other threads' waits; or *m
		 * is in use by another thread that has moved
		 */
		estat_count_missed();
		ns = 0;
	}
	if (ns) {
		m->ns = m->thread == id ? m->ns + ns : ns;
		m->thread = id;
	}
	s->pcount = pcount;
	s->run_delay = rq->rq_sched_info.run_delay;
	return 0;
}

/*
 * A thread gets the CPU after ns nanoseconds on the CPU's run queue: return the thread's whole
 * wait, on all CPUs.
 */
static __always_inline __u64 waited(struct task_struct *thread, const struct rq *rq, __u64 ns)
{
	struct seen *s = seen_of(rq);
	__u64 id = estat_id(thread);
	struct moved *m = moved_of(id);

	if (!HAS_SUMS)
		return ns;
	/* after this tracepoint the kernel adds this wait to the sums of the run queue */
	s->pcount = rq->rq_sched_info.pcount + 1;
	s->run_delay = rq->rq_sched_info.run_delay + ns;
	if (ESTAT_SELDOM(m->thread == id)) {
		ns += m->ns;
		m->thread = 0;
	}
	return ns;
}

#endif /* ESTAT_MODULES_SCHED_MOVED_H */
