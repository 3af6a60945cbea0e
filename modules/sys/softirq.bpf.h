/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU does: the handler that runs, the softirq that runs, and since when other softirqs
 * wait.
 */
#ifndef ESTAT_MODULES_SYS_SOFTIRQ_H
#define ESTAT_MODULES_SYS_SOFTIRQ_H

#include "aggregate.bpf.h"

/* include/linux/interrupt.h; a vector N that has no name here is shown as vector_N */
enum vector {
	vector_hi,
	vector_timer,
	vector_net_tx,
	vector_net_rx,
	vector_block,
	vector_irq_poll,
	vector_tasklet,
	vector_sched,
	vector_hrtimer,
	vector_rcu,
};

#define VECTORS 16

/*
 * What a CPU does. The kernel takes all pending vectors at once, then runs them in turn, and a
 * vector can be raised again while it waits for its turn. So there are two sets of times.
 */
struct cpu {
	__u64 handler_began; /* by bpf_ktime_get_ns(); 0: no handler runs */
	__u64 softirq_began;
	__u64 waited;  /* ns that the running softirq waited, plus 1; 0: not known */
	__u32 pending; /* vectors raised since the kernel last took them, a bit each */
	__u32 taken;   /* vectors that the kernel has taken and not run yet */
	/* 0 or 1: raised[set] has times of pending vectors, raised[1 - set] of taken vectors */
	__u32 set;
	/* when the vector was raised first since the kernel last took it; 0: not known */
	__u64 raised[2][VECTORS];
};

ESTAT_ARRAY_MAP(cpus, PERCPU_ARRAY, struct cpu, 1);

static __always_inline struct cpu *this_cpu(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&cpus, &only);
}

SEC("tp_btf/softirq_raise")
int irq_softirq_raised(__u64 *ctx)
{
	__u32 vector = estat_masked(ctx[0], VECTORS - 1);
	struct cpu *c = this_cpu();

	if (!c || c->pending >> vector & 1)
		return 0;
	c->raised[c->set & 1][vector] = bpf_ktime_get_ns();
	c->pending |= 1U << vector;
	return 0;
}

/*
 * If this vector is in `pending` and not in `taken`, the kernel has just taken all pending vectors.
 * If an interrupt raises a vector after the kernel has taken them and before this BPF program ends,
 * the wait of the vector can remain unknown.
 */
SEC("tp_btf/softirq_entry")
int irq_softirq_begins(__u64 *ctx)
{
	__u32 vector = estat_masked(ctx[0], VECTORS - 1), bit = 1U << vector;
	__u64 now = bpf_ktime_get_ns(), *raised;
	struct cpu *c = this_cpu();

	if (!c)
		return 0;
	c->softirq_began = now;
	c->waited = 0;
	if (!(c->taken & bit)) {
		if (!(c->pending & bit))
			return 0;
		c->set ^= 1;
		c->taken = c->pending;
		c->pending = 0;
	}
	raised = &c->raised[~c->set & 1][vector];
	if (estat_since_attach(*raised))
		c->waited = now - *raised + 1;
	*raised = 0;
	c->taken &= ~bit;
	return 0;
}

#endif /* ESTAT_MODULES_SYS_SOFTIRQ_H */
