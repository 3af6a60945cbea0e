/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling: of each N operations that a CPU sees, one counts, if estat.conf has `sample = 1/N`. The
 * agent multiplies all counters of the module by N. So each BPF program that counts must call
 * estat_counts(), once for an operation or event.
 *
 * The operation that counts is drawn at random among the N, because every Nth would miss what comes
 * in a rhythm: of reads and writes in turn, each second operation is a read.
 */
#ifndef ESTAT_BPF_SAMPLE_H
#define ESTAT_BPF_SAMPLE_H

#include "declare.bpf.h"

const volatile __u8 estat_samples = 1; /* tells the agent that the module can sample */

/* The N operations of which a CPU has seen some: how many, and which one counts, from 0. */
struct estat_draw {
	__u32 seen;
	__u32 drawn;
};

/* The agent creates this map only if N is more than 1. */
ESTAT_ARRAY_MAP(estat_draws, PERCPU_ARRAY, struct estat_draw, 1);

static __always_inline bool estat_counts(void)
{
	__u32 n = estat_module.sample, only = 0;
	struct estat_draw *d;
	bool counts;

	if (n < 2)
		return true;
	d = bpf_map_lookup_elem(&estat_draws, &only);
	if (!d)
		return true;
	if (!d->seen)
		d->drawn = bpf_get_prandom_u32() % n;
	counts = d->seen == d->drawn;
	if (++d->seen >= n)
		d->seen = 0;
	return counts;
}

#endif /* ESTAT_BPF_SAMPLE_H */
