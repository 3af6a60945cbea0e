// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runq: how long threads that could run waited for a CPU, and how long they ran then, by cgroup.
 *
 * The kernel keeps when a thread entered a run queue and when the thread got the CPU (struct
 * sched_info, kernel/sched/stats.h, Linux 5.15 to 7.3). Just after tracepoint sched_switch the
 * kernel adds the wait to /proc/PID/schedstat. rq->clock does not change in between, so the module
 * counts the same wait, to the nanosecond. The tracepoints of wakeups are not probed.
 */
#include "aggregate.bpf.h"

/*
 * There is room for at least so many names of cgroups. The map's flags are 0, which allocates the
 * names' memory at load, because the BPF programs run while a run queue is locked, and must not
 * allocate then.
 */
#define ESTAT_NAMES       300
#define ESTAT_NAMES_FLAGS 0

#include "cgroup.bpf.h"
#include "moved.bpf.h"

ESTAT_MODULE(runq, 28);
ESTAT_EVIDENCE("/proc/self/schedstat", "");

struct key {
	estat_cgroup_t cgroup;
};

struct value {
	struct estat_latency;
	struct estat_latency slice ESTAT_GROUP(
		1, "How long a thread runs: from the switch to the thread to the next switch away\n"
		   "from it");
};

ESTAT_SERIES(
	runq, 0, struct key, struct value, 256,
	"A thread's wait for a CPU, by the thread's cgroup (v2): from the enqueuing on a run\n"
	"queue, after a wakeup, a fork or a preemption, to tracepoint sched_switch. A move to\n"
	"another CPU's run queue does not end the wait, except on kernels without SCHEDSTATS:\n"
	"there the time on the former CPUs' run queues is left out. Waits while cpu.max throttles\n"
	"the cgroup are included. The kernel's own figures are in /proc/schedstat and\n"
	"/proc/PID/schedstat: run_delay is the sum of the waits, pcount is their number. Not\n"
	"counted: the idle task; a thread that goes on without a switch. Linux 5.15 to 7.3, on\n"
	"kernels with SCHED_INFO");
ESTAT_ONE_WRITER(runq);
ESTAT_OVERFLOW(runq);

static __always_inline struct value *value_of(struct task_struct *thread)
{
	struct cgroup *cgroup = thread->cgroups->dfl_cgrp;
	struct key key = { .cgroup = cgroup->kn->id };

	return ESTAT_GET_NAMED(runq, &key, estat_name_cgroup_v2(estat_id(cgroup)));
}

SEC("tp_btf/sched_switch")
int runq_switch(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	const struct rq *rq = rq_of(prev->pid ? prev : next);
	__u64 now = rq->clock, queued = next->sched_info.last_queued;
	struct value *v;

	if (prev->pid) {
		v = value_of(prev);
		if (v)
			estat_count_latency(&v->slice, now - prev->sched_info.last_arrival);
	}
	if (!next->pid || !queued)
		return 0;
	now = waited(next, rq, now - queued);
	v = value_of(next);
	estat_count_latency(v, now);
	return 0;
}
