/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of the modules least, least_bio and least_vfs, and how to count an operation in it. */
#ifndef ESTAT_BENCH_LEAST_H
#define ESTAT_BENCH_LEAST_H

#include "aggregate.bpf.h"

struct value {
	estat_count_t ops ESTAT_HELP("Number of operations measured");
	estat_latency_t
		latency ESTAT_HELP("Histogram of latency: number of operations by microseconds");
};

/* Count in *v an operation that took ns nanoseconds. v is NULL if no slot is free. Returns 0. */
static __always_inline int least_count(struct value *v, __u64 ns)
{
	if (!v)
		return 0;
	estat_add(v->ops, 1);
	estat_count(v->latency, estat_fine_bucket(ns));
	return 0;
}

#endif /* ESTAT_BENCH_LEAST_H */
