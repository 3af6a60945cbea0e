/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the module throttle reads of bios, threads and io.cost. Types have only the members that are
 * read; CO-RE relocates their offsets at load. NAME___flavor stands for the kernel's NAME.
 */
#ifndef ESTAT_MODULES_BLOCK_THROTTLE_TYPES_H
#define ESTAT_MODULES_BLOCK_THROTTLE_TYPES_H

#include "block/types.bpf.h"
#include "cgroup_types.bpf.h"
#include "declare.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/sched.h */
struct task_struct___throttle {
	unsigned long nvcsw; /* how often the thread has slept: its voluntary context switches */
	struct css_set___throttle *cgroups;
};

/* include/linux/cgroup-defs.h */
struct css_set___throttle {
	struct cgroup_subsys_state *subsys[1]; /* by enum cgroup_subsys_id */
};

enum cgroup_subsys_id {
	io_cgrp_id,
};

/* block/blk-mq.h */
struct blk_mq_alloc_data {
	struct request_queue *q;
};

/* block/blk-rq-qos.h */
struct rq_qos {
	struct rq_qos *next;
};

/*
 * block/blk-iocost.c: how much virtual time passes in a second or microsecond, while io.cost takes
 * the disk to be as fast as the disk's model
 */
#define VTIME_PER_SEC  (1ULL << 37)
#define VTIME_PER_USEC (VTIME_PER_SEC / 1000000)

struct ioc {
	struct rq_qos rqos;
	_Bool enabled;
	/*
	 * virtual time that passes in 1 us; VTIME_PER_USEC if io.cost takes the disk to be as fast
	 * as its model
	 */
	__u64 vtime_base_rate;
};

struct ioc_gq {
	__u64 abs_vdebt; /* the cgroup's debt, in virtual time: VTIME_PER_USEC for each us */
};

/* block/blk-cgroup.h, in 5.15 include/linux/blk-cgroup.h */
struct blkcg_policy {
	int plid;
};

struct blkcg_gq___throttle {
	void *pd[1]; /* the policies' data, by plid; that of io.cost is a struct ioc_gq */
};

#pragma clang attribute pop

ESTAT_ADDRESS(blkcg_policy_iocost);

static __always_inline struct gendisk *disk_of_bio(__u64 bio)
{
	return BPF_CORE_READ((struct bio *)bio, bi_bdev, bd_disk);
}

/* The css of the cgroup that the block layer charges for a bio. */
static __always_inline struct cgroup_subsys_state *css_of(__u64 bio)
{
	return (void *)BPF_CORE_READ((struct bio *)bio, bi_blkg, blkcg) +
	       bpf_core_field_offset(struct blkcg, css);
}

/* Element `n` of an array of pointers. */
static __always_inline void *pointer_at(const void *array, __u32 n)
{
	void *pointer = NULL;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), array + n * sizeof(pointer));
	return pointer;
}

/* The address of the css of the current thread's cgroup of the controller io. */
static __always_inline __u64 css_of_thread(void)
{
	struct task_struct___throttle *task = (void *)bpf_get_current_task();
	void *set = BPF_CORE_READ(task, cgroups);

	return (__u64)pointer_at(set + bpf_core_field_offset(struct css_set___throttle, subsys),
				 bpf_core_enum_value(enum cgroup_subsys_id, io_cgrp_id));
}

/* How fast io.cost takes a disk to be; ESTAT_WHOLE is the speed of the disk's model. */
static __always_inline __u64 vrate_of(struct ioc *ioc)
{
	return BPF_CORE_READ(ioc, vtime_base_rate) * ESTAT_WHOLE / VTIME_PER_USEC;
}

/* Nanoseconds that a bio's cgroup owes io.cost. `policy` is blkcg_policy_iocost's address. */
static __always_inline __u64 debt_of(__u64 bio, __u64 policy)
{
	void *blkg = BPF_CORE_READ((struct bio *)bio, bi_blkg);
	struct ioc_gq *of = pointer_at(blkg + bpf_core_field_offset(struct blkcg_gq___throttle, pd),
				       BPF_CORE_READ((struct blkcg_policy *)policy, plid));

	return of ? BPF_CORE_READ(of, abs_vdebt) * 1000 / VTIME_PER_USEC : 0;
}

#endif /* ESTAT_MODULES_BLOCK_THROTTLE_TYPES_H */
