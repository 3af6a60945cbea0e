/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bucket of a latency or a size. Plain C: modules use it in the kernel, and qa/unit tests it in
 * user space against the edges in lib/histogram.c.
 */
#ifndef ESTAT_BPF_BUCKET_H
#define ESTAT_BPF_BUCKET_H

#include "abi.h"

#define ESTAT_INLINE inline __attribute__((always_inline))

/*
 * Lower edges of a decade's thirty fine buckets, as the two highest digits of a latency. The tables
 * are weak, not static: libbpf writes no offset of a static variable into the BTF, and the kernel
 * rejects such BTF.
 */
__attribute__((weak)) const unsigned char estat_fine_digits[32] = {
	10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28,
	30, 33, 36, 40, 43, 46, 50, 55, 60, 65, 70, 75, 80, 85, 90,
};

/* By the two highest digits of a latency (10 to 99): its bucket's index in estat_fine_digits. */
__attribute__((weak)) const unsigned char estat_fine_of[128] = {
	0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
	10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 16, 16, 16, 17, 17, 17, 17,
	18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 21, 22, 22, 22, 22, 22,
	23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 25, 25, 25, 25, 25, 26, 26, 26, 26, 26,
	27, 27, 27, 27, 27, 28, 28, 28, 28, 28, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29,
};

/*
 * index & mask. The asm hides the index, else the compiler omits the mask that the verifier needs.
 */
static ESTAT_INLINE estat_u64 estat_masked(estat_u64 index, estat_u64 mask)
{
	asm("" : "+r"(index));
	return index & mask;
}

/* The fine bucket of a latency in a decade (0: 1 to 10 us), by its highest digits (10 to 99). */
static ESTAT_INLINE estat_u64 estat_fine_at(estat_u64 decade, estat_u64 digits)
{
	return 1 + decade * ESTAT_FINE_DECADE + estat_fine_of[estat_masked(digits, 127)];
}

/*
 * The fine bucket of a latency in nanoseconds. Division is slow in BPF, so below a second the code
 * multiplies by the reciprocal and shifts, which is exact in each range (qa/unit tests it).
 */
static ESTAT_INLINE estat_u64 estat_fine_bucket(estat_u64 ns)
{
	if (ns < 1000)
		return 0;
	if (ns < 1000000) {
		if (ns < 10000)
			return estat_fine_at(0, (ns * 1374389535ULL) >> 37); /* / 1e2 */
		if (ns < 100000)
			return estat_fine_at(1, (ns * 274877907ULL) >> 38); /* / 1e3 */
		return estat_fine_at(2, (ns * 3518437209ULL) >> 45);        /* / 1e4 */
	}
	if (ns < 1000000000) {
		if (ns < 10000000)
			return estat_fine_at(3, (ns * 175921861ULL) >> 44); /* / 1e5 */
		if (ns < 100000000)
			return estat_fine_at(4, (ns * 1125899907ULL) >> 50); /* / 1e6 */
		return estat_fine_at(5, (ns * 1801439851ULL) >> 54);         /* / 1e7 */
	}
	if (ns < ESTAT_LATENCY_INF_NS)
		return estat_fine_at(6, ns / 100000000);
	return ESTAT_FINE_LAST;
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
 * Return n, but make the verifier forget n's range, as it does not know the range of a difference
 * of pointers. If the verifier knows that a branch is never taken (as for sectors times 512) and
 * still follows it, Linux 6.18 prints a WARNING (fixed in 2026).
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

/* Keep the compiler from turning one branch into two: BPF has no conditional move. */
#define ESTAT_KEEP_BRANCH(n) asm volatile("" : "+r"(n))

/* The size bucket of a number of bytes: 1 + the index of its highest bit; 0 for 0 bytes. */
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
