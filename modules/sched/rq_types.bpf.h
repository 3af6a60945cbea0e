/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's types, with only the members that modules read. */
#ifndef ESTAT_MODULES_SCHED_RQ_TYPES_H
#define ESTAT_MODULES_SCHED_RQ_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/sched.h */
struct sched_info {
	unsigned long pcount; /* in struct rq: how many times a thread got the CPU */
	__u64 run_delay;
	__u64 last_arrival;
	__u64 last_queued; /* when the thread was queued; 0: the thread is not queued, or runs */
};

/* kernel/sched/sched.h */
struct cfs_rq {
	struct rq *rq; /* the member exists only with FAIR_GROUP_SCHED, which distributions set */
};

/* include/linux/sched.h */
struct sched_entity {
	struct cfs_rq *cfs_rq; /* of the task's group and CPU, whatever the task's class */
};

struct task_struct {
	int pid;
	unsigned int on_rq; /* one byte in 7.2 and 7.3 */
	struct sched_entity se;
	struct sched_info sched_info;
	struct css_set *cgroups;
};

/* kernel/sched/sched.h */
struct rq {
	int cpu;
	__u64 clock;
	struct sched_info rq_sched_info; /* the sums of /proc/schedstat; only with SCHEDSTATS */
};
#pragma clang attribute pop

/* task_struct.on_rq of a queued thread that moves to another CPU (kernel/sched/sched.h) */
#define TASK_ON_RQ_MIGRATING 2

#endif /* ESTAT_MODULES_SCHED_RQ_TYPES_H */
