/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bucket of a latency or a size. Modules use this file in the kernel. qa/unit tests the
 * functions in user space, against the edges in lib/histogram.c.
 */
#ifndef ESTAT_BPF_BUCKET_H
#define ESTAT_BPF_BUCKET_H

#include "abi.h"

#define ESTAT_INLINE inline __attribute__((always_inline))

/*
 * Marks a condition that is seldom true: the compiler moves the code for that case away from the
 * code that runs for each I/O.
 */
#define ESTAT_SELDOM(condition) __builtin_expect(!!(condition), 0)

/*
 * Lower edges of a decade's thirty fine buckets, as the two highest digits of a latency. The table
 * is weak, not static: libbpf writes no offset of a static variable into the BTF, and the kernel
 * rejects such BTF.
 */
__attribute__((weak)) const unsigned char estat_fine_digits[32] = {
	10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28,
	30, 33, 36, 40, 43, 46, 50, 55, 60, 65, 70, 75, 80, 85, 90,
};

/*
 * index & mask. The asm hides the range of `index` from the compiler. Otherwise the compiler omits
 * a mask that cannot change `index`, but the verifier needs the mask.
 */
static ESTAT_INLINE estat_u64 estat_masked(estat_u64 index, estat_u64 mask)
{
	asm("" : "+r"(index));
	return index & mask;
}

/*
 * The index in estat_fine_digits of the bucket of a latency's two highest digits (10 to 99). The
 * index is computed, because a table would take a cache line of its own at each count.
 */
static ESTAT_INLINE estat_u64 estat_fine_of(estat_u64 digits)
{
	if (digits < 30)
		return digits < 20 ? digits - 10 : digits / 2;
	if (digits < 50)
		return (3 * digits + 62) * 205 >> 11;        /* / 10 */
	return digits < 90 ? (digits * 205 >> 10) + 11 : 29; /* / 5 */
}

/*
 * The fine bucket of a latency in nanoseconds. Division is slow in BPF, so below a second the code
 * multiplies by the reciprocal and shifts. The quotient is exact for all latencies of each branch
 * (qa/unit tests it).
 */
static ESTAT_INLINE estat_u64 estat_fine_bucket(estat_u64 ns)
{
	estat_u64 digits, decade;

	if (ns < 1000)
		return 0;
	if (ns < 10000) {
		digits = (ns * 1374389535ULL) >> 37; /* / 1e2 */
		decade = 0;
	} else if (ns < 100000) {
		digits = (ns * 274877907ULL) >> 38; /* / 1e3 */
		decade = 1;
	} else if (ns < 1000000) {
		digits = (ns * 3518437209ULL) >> 45; /* / 1e4 */
		decade = 2;
	} else if (ns < 10000000) {
		digits = (ns * 175921861ULL) >> 44; /* / 1e5 */
		decade = 3;
	} else if (ns < 100000000) {
		digits = (ns * 1125899907ULL) >> 50; /* / 1e6 */
		decade = 4;
	} else if (ns < 1000000000) {
		digits = (ns * 1801439851ULL) >> 54; /* / 1e7 */
		decade = 5;
	} else if (ns < ESTAT_LATENCY_INF_NS) {
		digits = ns / 100000000;
		decade = 6;
	} else {
		return ESTAT_FINE_LAST;
	}
	return 1 + decade * ESTAT_FINE_DECADE + estat_fine_of(digits);
}

/* The exported latency bucket that contains a fine bucket. */
static ESTAT_INLINE estat_u64 estat_latency_bucket(estat_u64 fine)
{
	estat_u64 decade = (fine - 1) / ESTAT_FINE_DECADE;
	estat_u64 in_decade = (fine - 1) % ESTAT_FINE_DECADE;

	if (fine == 0)
		return 0;
	if (fine >= ESTAT_FINE_LAST)
		return ESTAT_LATENCY_LAST;
	return 9 * decade + estat_fine_digits[estat_masked(in_decade, 31)] / 10;
}

/*
 * Returns n, and hides the range of n from the verifier. The range of n, such as that of sectors
 * times 512, can tell the verifier that a branch on n is never taken. If the verifier follows this
 * branch nevertheless, Linux 6.18 prints a WARNING (fixed in 2026).
 */
static ESTAT_INLINE estat_u64 estat_forget(estat_u64 n)
{
#ifdef __bpf__
	estat_u64 zero;

	asm volatile("%0 = r10; %0 -= r10" : "=r"(zero));
	n += zero;
#endif
	return n;
}

/*
 * Placed in a branch that changes n and another variable. Without the macro the compiler turns the
 * branch into two conditional moves. BPF has no conditional moves, so each of the two becomes a
 * branch.
 */
#define ESTAT_KEEP_BRANCH(n) asm volatile("" : "+r"(n))

/*
 * The size bucket of a number of bytes: 0 for 0, else 1 + the index of the number's highest bit
 * that is set, but at most ESTAT_SIZE_LAST.
 */
static ESTAT_INLINE estat_u64 estat_size_bucket(estat_u64 bytes)
{
	estat_u64 b = 1;

	bytes = estat_forget(bytes);
	if (!bytes)
		return 0;
	if (bytes >> 30)
		return ESTAT_SIZE_LAST;
	if (bytes >> 16) {
		bytes >>= 16;
		b += 16;
		ESTAT_KEEP_BRANCH(b);
	}
	if (bytes >> 8) {
		bytes >>= 8;
		b += 8;
		ESTAT_KEEP_BRANCH(b);
	}
	if (bytes >> 4) {
		bytes >>= 4;
		b += 4;
		ESTAT_KEEP_BRANCH(b);
	}
	if (bytes >> 2) {
		bytes >>= 2;
		b += 2;
		ESTAT_KEEP_BRANCH(b);
	}
	return b + (bytes >> 1);
}

#endif /* ESTAT_BPF_BUCKET_H */
