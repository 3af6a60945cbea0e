// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * throttle: how long bios wait for a limit: io.max, io.cost, io.latency, wbt, or the number of
 * tags.
 */
#include "disk.bpf.h"

#include "cgroup.bpf.h"
#include "throttle_call.bpf.h"

ESTAT_MODULE(throttle, 29);
ESTAT_ON_DEMAND;
ESTAT_IO_CGROUPS;
/*
 * Linux 5.15 has neither __blk_throtl_bio() nor submit_bio_noacct_nocheck(): there blk_throtl_bio()
 * checks io.max, and submit_bio_noacct() submits the bios that io.max releases.
 */
ESTAT_OPTIONAL("waits for io.max", __blk_throtl_bio, blk_throtl_bio);
ESTAT_OPTIONAL("waits for io.max", submit_bio_noacct_nocheck, submit_bio_noacct);
ESTAT_OPTIONAL("waits for a tag", blk_mq_get_tag);
ESTAT_OPTIONAL("", wbt_wait);
ESTAT_OPTIONAL("", ioc_rqos_throttle);
ESTAT_OPTIONAL("", blkcg_iolatency_throttle);

struct throttle_key {
	estat_dev_t disk;
	enum limiter limiter;
	estat_charged_t cgroup;
};

struct throttle_value {
	struct estat_latency;
	estat_gauge_share_t vrate ESTAT_FIELD(
		17, "Of limiter io_cost: the speed that io.cost assumes for the disk, in percent "
		    "of the speed in the disk's model (cost.vrate of io.stat), at the cgroup's\n"
		    "latest bio");
	estat_gauge_nsec_t debt ESTAT_FIELD(
		18, "Of limiter io_cost: the cgroup's debt at its latest bio. A debt is time of "
		    "the disk that the cgroup has used without a wait, for metadata, swap, merged "
		    "bios or a killed thread, and has not paid for. Only on kernels with "
		    "KALLSYMS_ALL");
};

ESTAT_OVERFLOW(throttle);
ESTAT_SERIES(
	throttle, 0, struct throttle_key, struct throttle_value, 512,
	"Waits of bios for a limit. A bio that does not wait does not count. Limiter io_max: from\n"
	"the check of the limit (function __blk_throtl_bio) to the release of the bio. The other\n"
	"limiters: a call of ioc_rqos_throttle, blkcg_iolatency_throttle, wbt_wait or\n"
	"blk_mq_get_tag in which the thread sleeps. The cgroup is the one that the block layer\n"
	"charges; for limiter tag it is the thread's cgroup, and requests without a bio count,\n"
	"too. Not counted: the wait of a thread that returns to user space while its cgroup is in\n"
	"debt. Linux 5.15 or newer");
ESTAT_LAYOUT(throttle, "rows {limiter}, {cgroup}");

static __always_inline struct throttle_value *value_of(struct cgroup_subsys_state *css,
						       struct gendisk *disk, enum limiter limiter)
{
	struct throttle_key key = {
		.disk = dev_at(disk),
		.limiter = limiter,
		.cgroup = BPF_CORE_READ(css, cgroup, kn, id),
	};

	return ESTAT_GET_NAMED(throttle, &key, note_hidden(disk); estat_name_cgroup((__u64)css));
}

static __noinline int waited(__u64 css, __u64 disk, enum limiter limiter, __u64 ns)
{
	if (disk)
		estat_count_latency(value_of((void *)css, (void *)disk, limiter), ns);
	return 0;
}

static __always_inline int bio_waited(__u64 bio, enum limiter limiter, __u64 ns)
{
	return waited((__u64)css_of(bio), (__u64)disk_of_bio(bio), limiter, ns);
}

static __always_inline int released(const struct estat_call *call)
{
	__s64 ns = held_take(estat_id((void *)call->arg[0]), bpf_ktime_get_ns());

	return ns < 0 ? 0 : bio_waited(call->arg[0], limiter_io_max, ns);
}

ESTAT_RUN(ESTAT_ENTRY(throttle_check, __blk_throtl_bio, 1), check(call, typed))
ESTAT_RUN(ESTAT_ENTRY(throttle_check_old, blk_throtl_bio, 1), check(call, typed))
ESTAT_RUN(LIMITER_RETURNS(throttle_checked, __blk_throtl_bio, 1), checked(call, typed))
ESTAT_RUN(LIMITER_RETURNS(throttle_checked_old, blk_throtl_bio, 1), checked(call, typed))
ESTAT_RUN(ESTAT_ENTRY(throttle_release, submit_bio_noacct_nocheck, 1), released(call))
ESTAT_RUN(ESTAT_ENTRY(throttle_release_old, submit_bio_noacct, 1), released(call))

/* A limiter's function, whose arguments are rq_qos and bio, has returned: count the bio's wait. */
static __always_inline int returned(enum limiter limiter)
{
	__u64 bio;
	__s64 ns = call_ends(limiter, &bio);

	return ns < 0 ? 0 : bio_waited(bio, limiter, ns);
}

ESTAT_ENTRY(throttle_wbt, wbt_wait, 2)
{
	struct bio *bio = (struct bio *)call->arg[1];

	if ((__u8)ESTAT_READ(bio, bi_opf) == REQ_OP_READ) /* wbt lets each read pass */
		return 0;
	return call_begins(limiter_wbt, call->arg[1], typed);
}

ESTAT_ENTRY(throttle_cost, ioc_rqos_throttle, 2)
{
	__u64 bio = call->arg[1], policy = estat_address_blkcg_policy_iocost;
	struct ioc *ioc = (void *)call->arg[0] - bpf_core_field_offset(struct ioc, rqos);
	struct throttle_value *v = NULL;

	if (BPF_CORE_READ(ioc, enabled))
		v = value_of(css_of(bio), disk_of_bio(bio), limiter_io_cost);
	if (v)
		estat_set(v->vrate, vrate_of(ioc));
	if (v && policy)
		estat_set(v->debt, debt_of(bio, policy));
	return call_begins(limiter_io_cost, bio, typed);
}

ESTAT_RUN(ESTAT_ENTRY(throttle_latency, blkcg_iolatency_throttle, 2),
	  call_begins(limiter_io_latency, call->arg[1], typed))
ESTAT_RUN(LIMITER_RETURNS(throttle_wbt_end, wbt_wait, 0), returned(limiter_wbt))
ESTAT_RUN(LIMITER_RETURNS(throttle_cost_end, ioc_rqos_throttle, 0), returned(limiter_io_cost))
ESTAT_RUN(LIMITER_RETURNS(throttle_latency_end, blkcg_iolatency_throttle, 0),
	  returned(limiter_io_latency))

static __always_inline int tag_returned(void)
{
	__u64 data;
	__s64 ns = call_ends(limiter_tag, &data);
	struct blk_mq_alloc_data *of = (void *)data;

	if (ns < 0)
		return 0;
	return waited(css_of_thread(), (__u64)BPF_CORE_READ(of, q, disk), limiter_tag, ns);
}

ESTAT_RUN(ESTAT_ENTRY(throttle_tag, blk_mq_get_tag, 1),
	  call_begins(limiter_tag, call->arg[0], typed))
ESTAT_RUN(LIMITER_RETURNS(throttle_tag_end, blk_mq_get_tag, 0), tag_returned())
