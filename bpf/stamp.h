/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When something began that another thread goes on with, by its address. A stamp has one of the
 * four places of a set, until another one that comes later needs it: what never goes on fills up
 * nothing. It is one word, so that who reads it needs no lock: 16 bits that tell the address, a bit
 * that is set, and 47 bits of the time, nanoseconds.
 */
#ifndef ESTAT_STAMP_H
#define ESTAT_STAMP_H

#include "estat.h"

#define ESTAT_STAMP_SETS 4096
#define ESTAT_STAMP_TIME ((1ULL << 47) - 1)

struct estat_stamps {
	__u64 of[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ESTAT_STAMP_SETS);
	__type(key, __u32);
	__type(value, struct estat_stamps);
} estat_stamps SEC(".maps");

/* The set of an address, and in *whose what its stamp begins with. */
static __always_inline struct estat_stamps *estat_stamps_for(__u64 address, __u64 *whose)
{
	__u64 hash;
	__u32 set;

	/* the verifier lets nothing be computed from a pointer, but from a copy of its bytes */
	bpf_probe_read_kernel(&hash, sizeof(hash), &address);
	hash *= 0x9e3779b97f4a7c15;
	set = hash >> 35 & (ESTAT_STAMP_SETS - 1);
	*whose = (hash & ~ESTAT_STAMP_TIME) | 1ULL << 47;
	return bpf_map_lookup_elem(&estat_stamps, &set);
}

static __always_inline __u64 *estat_stamp_of(struct estat_stamps *set, __u64 whose)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		if ((set->of[i] & ~ESTAT_STAMP_TIME) == whose)
			return &set->of[i];
	return NULL;
}

static __always_inline __u64 *estat_stamp_oldest(struct estat_stamps *set)
{
	__u64 *oldest = &set->of[0];

#pragma unroll
	for (int i = 1; i < 4; i++)
		if ((set->of[i] & ESTAT_STAMP_TIME) < (*oldest & ESTAT_STAMP_TIME))
			oldest = &set->of[i];
	return oldest;
}

/* It begins. */
static __noinline int estat_stamp(__u64 address, __u64 now)
{
	__u64 whose, *stamp;
	struct estat_stamps *set = estat_stamps_for(address, &whose);

	if (!set)
		return 0;
	stamp = estat_stamp_of(set, whose);
	if (!stamp)
		stamp = estat_stamp_oldest(set);
	*stamp = whose | (now & ESTAT_STAMP_TIME);
	return 0;
}

/* It goes on: how long it has been waiting; or -1 if its begin was not seen, or is forgotten. */
static __noinline __s64 estat_stamp_take(__u64 address, __u64 now)
{
	__u64 whose, *stamp, ns;
	struct estat_stamps *set = estat_stamps_for(address, &whose);

	stamp = set ? estat_stamp_of(set, whose) : NULL;
	if (!stamp)
		return -1;
	ns = (now - *stamp) & ESTAT_STAMP_TIME;
	*stamp = 0;
	return ns;
}

#endif /* ESTAT_STAMP_H */
