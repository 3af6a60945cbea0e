/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When something began, by a number that tells it from others. It has one of the four places of
 * a set, until another one that comes later needs it: what never ends fills up nothing. A stamp
 * is 16 bits that tell whose it is, of which one is always set, a flag and 47 bits of the time,
 * nanoseconds: one word, so that who reads it needs no lock.
 */
#ifndef ESTAT_BPF_STAMPS_H
#define ESTAT_BPF_STAMPS_H

#include "declare.bpf.h"

struct stamps {
	__u64 of[4];
};

#define STAMP_SETS  4096
#define STAMP_TIME  ((1ULL << 47) - 1)
#define STAMP_FLAG  (1ULL << 47) /* a meaning that the module gives it */
#define STAMP_WHOSE (0xffffULL << 48)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STAMP_SETS);
	__type(key, __u32);
	__type(value, struct stamps);
} stamps SEC(".maps");

/*
 * The set of what has this number, and in *whose what its stamp begins with. Whenever the programs
 * are attached numbers become others, by which nothing finds what was stamped before.
 */
static __always_inline struct stamps *stamps_by(__u64 number, __u64 *whose)
{
	__u64 hash = (number + estat_attached) * 0x9e3779b97f4a7c15;
	__u32 set = hash >> 36 & (STAMP_SETS - 1);

	*whose = (hash & STAMP_WHOSE) | 1ULL << 48; /* never that of a place that is free */
	return bpf_map_lookup_elem(&stamps, &set);
}

/* Its stamp, or NULL. */
static __always_inline __u64 *stamp_of(struct stamps *set, __u64 whose)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		if ((set->of[i] & STAMP_WHOSE) == whose)
			return &set->of[i];
	return NULL;
}

/*
 * How old a stamp is, nanoseconds that wrap each 39 hours, and a second more: another CPU may have
 * made it after `now`. A place that is free is older than any.
 */
static __always_inline __u64 stamp_age(__u64 stamp, __u64 now)
{
	return stamp ? (now + 1000000000 - stamp) & STAMP_TIME : STAMP_TIME + 1;
}

/* The place of the oldest: often the first, which is free then, and none is older. */
static __always_inline __u64 *oldest_stamp(struct stamps *set, __u64 now)
{
	__u64 *oldest = &set->of[0];

	if (!*oldest)
		return oldest;
#pragma unroll
	for (int i = 1; i < 4; i++)
		if (stamp_age(set->of[i], now) > stamp_age(*oldest, now))
			oldest = &set->of[i];
	return oldest;
}

/* Its stamp, or the place that another one's leaves to it. Nearly always nobody has any. */
static __always_inline __u64 *stamp_place(struct stamps *set, __u64 whose, __u64 now)
{
	__u64 *s;

	if (!(set->of[0] | set->of[1] | set->of[2] | set->of[3]))
		return &set->of[0];
	s = stamp_of(set, whose);
	return s ? s : oldest_stamp(set, now);
}

/* The time of a stamp, which is not later than now. */
static __always_inline __u64 stamp_time(__u64 stamp, __u64 now)
{
	return now - ((now - stamp) & STAMP_TIME);
}

/* Stamp what begins now and has this number. */
static __always_inline void stamp_number(__u64 number, __u64 now)
{
	__u64 whose;
	struct stamps *set = stamps_by(number, &whose);

	if (set)
		*stamp_place(set, whose, now) = whose | (now & STAMP_TIME);
}

/* It ends: how long it took; or -1 if its begin was not seen, or is forgotten. */
static __always_inline __s64 stamp_ended(__u64 number, __u64 now)
{
	__u64 whose, ns, *s;
	struct stamps *set = stamps_by(number, &whose);

	s = set ? stamp_of(set, whose) : NULL;
	if (!s)
		return -1;
	ns = (now - *s) & STAMP_TIME;
	*s = 0;
	return ns;
}

/*
 * Stamp what begins now and is at this address, which another thread goes on with. The verifier
 * lets nothing be computed from a pointer, but from a copy of its bytes.
 */
static __attribute__((noinline, unused)) int stamp_address(__u64 address, __u64 now)
{
	__u64 number;

	bpf_probe_read_kernel(&number, sizeof(number), &address);
	stamp_number(number, now);
	return 0;
}

/* It goes on: how long it has been waiting; or -1 as above. */
static __attribute__((noinline, unused)) __s64 stamp_taken(__u64 address, __u64 now)
{
	__u64 number;

	bpf_probe_read_kernel(&number, sizeof(number), &address);
	return stamp_ended(number, now);
}

#endif /* ESTAT_BPF_STAMPS_H */
