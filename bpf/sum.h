/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters, maxima and 128-bit sums. Plain C: modules use it in the kernel, and qa/unit tests it in
 * user space. With `shared` the functions use atomic operations, because several CPUs or BPF
 * programs may write at once.
 */
#ifndef ESTAT_BPF_SUM_H
#define ESTAT_BPF_SUM_H

#include <stdbool.h>

#include "bucket.h"

static ESTAT_INLINE void estat_counter_add(estat_u64 *counter, estat_u64 n, bool shared)
{
	if (shared)
		__sync_fetch_and_add(counter, n);
	else
		*counter += n;
}

/*
 * Raise a maximum to `value`. If other writers raise the maximum four times meanwhile, `value` can
 * be lost.
 */
static ESTAT_INLINE void estat_max_raise(estat_max_t *max, estat_u64 value, bool shared)
{
	estat_u64 old = *max;

	if (!ESTAT_SELDOM(value > old))
		return;
	if (!shared) {
		*max = value;
		return;
	}
	for (int i = 0; i < 4 && value > old; i++) {
		estat_u64 seen = __sync_val_compare_and_swap(max, old, value);

		if (seen == old)
			return;
		old = seen;
	}
}

/* Add to a 128-bit sum. The carry follows from the value of sum->lo before the addition. */
static ESTAT_INLINE void estat_sum_add(estat_sumsq_t *sum, estat_u64 lo, estat_u64 hi, bool shared)
{
	estat_u64 old;

	if (shared) {
		old = __sync_fetch_and_add(&sum->lo, lo);
	} else {
		old = sum->lo;
		sum->lo = old + lo;
	}
	if (ESTAT_SELDOM(old + lo < old))
		hi++;
	if (ESTAT_SELDOM(hi))
		estat_counter_add(&sum->hi, hi, shared);
}

/* Add the square of `ns` to a sum; exact for any 64-bit `ns`. */
static ESTAT_INLINE void estat_sum_add_square(estat_sumsq_t *sum, estat_u64 ns, bool shared)
{
	estat_u64 h = ns >> 32, l = ns & 0xffffffff, mid;

	if (!ESTAT_SELDOM(h)) {
		estat_sum_add(sum, ns * ns, 0, shared);
		return;
	}
	/* (h 2^32 + l)^2 = h^2 2^64 + h l 2^33 + l^2 */
	mid = h * l;
	estat_sum_add(sum, l * l, h * h, shared);
	estat_sum_add(sum, mid << 33, mid >> 31, shared);
}

#endif /* ESTAT_BPF_SUM_H */
