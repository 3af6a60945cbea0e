/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bucket a latency or a size falls into. Plain C: modules use it in the
 * kernel, qa/unit proves it in user space against the edges in pmda/histogram.c.
 */
#ifndef ESTAT_BUCKET_H
#define ESTAT_BUCKET_H

#include "abi.h"

#define ESTAT_INLINE inline __attribute__((always_inline))

/*
 * The latency bucket of ns nanoseconds. BPF has no cheap division: below
 * 2^32 ns it is a multiplication by the reciprocal and a shift, each of which
 * is exact for the whole range it is used in (qa/unit proves it).
 */
static ESTAT_INLINE estat_u64 estat_latency_bucket(estat_u64 ns)
{
	if (ns < 1000)
		return 0;
	if (ns < 1000000) {
		if (ns < 10000)
			return (ns * 274877907ULL) >> 38; /* / 1e3 */
		if (ns < 100000)
			return 9 + ((ns * 3518437209ULL) >> 45); /* / 1e4 */
		return 18 + ((ns * 175921861ULL) >> 44);         /* / 1e5 */
	}
	if (ns < 1000000000) {
		if (ns < 10000000)
			return 27 + ((ns * 1125899907ULL) >> 50); /* / 1e6 */
		if (ns < 100000000)
			return 36 + ((ns * 1801439851ULL) >> 54); /* / 1e7 */
		return 45 + ((ns * 1441151881ULL) >> 57);         /* / 1e8 */
	}
	if (ns < ESTAT_LATENCY_INF_NS)
		return 54 + ns / 1000000000;
	return ESTAT_LATENCY_LAST;
}

/*
 * Have the verifier forget what it knows of a number, without changing it: a
 * difference of pointers can be anything to it. Where it knows, as of a number of
 * sectors times 512, that a branch is never taken, and follows it nevertheless,
 * Linux 6.18 prints a WARNING (mended in 2026).
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

/* The size bucket of a number of bytes: one more than its highest bit. */
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
	}
	if (bytes >> 8) {
		bytes >>= 8;
		b += 8;
	}
	if (bytes >> 4) {
		bytes >>= 4;
		b += 4;
	}
	if (bytes >> 2) {
		bytes >>= 2;
		b += 2;
	}
	return b + (bytes >> 1);
}

#endif /* ESTAT_BUCKET_H */
