/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling: one of N operations counts, if estat.conf has `sample = 1/N`. The agent multiplies all
 * counters of the module's series by N. The draw is at random, because if reads and writes
 * alternate, counting every second operation would count only reads, or only writes. A module draws
 * as early as it can, so that an operation that is not drawn costs little.
 */
#ifndef ESTAT_BPF_SAMPLE_H
#define ESTAT_BPF_SAMPLE_H

#include "declare.bpf.h"

const volatile __u8 estat_samples = 1; /* tells the agent that the module can sample */

/*
 * Of each N consecutive operations on a CPU one is drawn. `seen`: how many of the current N
 * operations the CPU has seen; `drawn`: the index, from 0 to N - 1, of the operation that counts.
 */
struct estat_draw {
	__u32 seen;
	__u32 drawn;
};

/* The agent creates this map only if N is more than 1. */
ESTAT_ARRAY_MAP(estat_draws, PERCPU_ARRAY, struct estat_draw, 1);

/*
 * Does the operation count? Of each N calls on a CPU one returns true, so call the function once
 * for each operation.
 */
static __always_inline __attribute__((unused)) bool estat_counts(void)
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

/*
 * Does the operation count? The answer depends only on the operation's id and on `time`, such as
 * the operation's begin in nanoseconds. So all BPF programs that pass the same id and time get the
 * same answer, and need not store the answer.
 */
static __always_inline __attribute__((unused)) bool estat_counts_by(__u64 id, __u64 time)
{
	__u64 sum = id + time * 0x9e3779b97f4a7c15;

	sum ^= sum >> 32;
	sum *= 0xd6e8feb86659fd93; /* the upper bits now depend on all bits of the time */
	return (sum >> 32) * estat_module.sample >> 32 == 0;
}

#endif /* ESTAT_BPF_SAMPLE_H */
