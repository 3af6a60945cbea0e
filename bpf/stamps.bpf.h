/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stamp says when an operation began. The number that identifies the operation hashes to a set
 * of four entries. If all four are used, a new stamp replaces the oldest, so operations that never
 * end do not fill the table. A stamp is one word, so it is read without a lock: 16 bits of owner (a
 * hash of the number, one bit always set), a flag, and 47 bits of time in nanoseconds.
 */
#ifndef ESTAT_BPF_STAMPS_H
#define ESTAT_BPF_STAMPS_H

#include "declare.bpf.h"

/*
 * A number that identifies an object in the kernel: its address relative to this variable. The
 * verifier allows subtraction of pointers, but no other arithmetic.
 */
static __attribute__((unused)) __u64 origin;
#define STAMP_NUMBER(p) ((__u64)((const char *)(p) - (const char *)&origin))

struct stamps {
	__u64 entry[4];
};

#define STAMP_SETS  4096
#define STAMP_TIME  ((1ULL << 47) - 1)
#define STAMP_FLAG  (1ULL << 47) /* each module gives this flag a meaning */
#define STAMP_OWNER (0xffffULL << 48)

ESTAT_ARRAY_MAP(stamps, ARRAY, struct stamps, STAMP_SETS);

/*
 * The set of a number, and in *owner the owner bits of its stamp. The hash includes estat_attached:
 * stamps from before the last attach are not found.
 */
static __always_inline struct stamps *stamps_by(__u64 number, __u64 *owner)
{
	__u64 hash = (number + estat_attached) * 0x9e3779b97f4a7c15;
	__u32 set = hash >> 36 & (STAMP_SETS - 1);

	*owner = (hash & STAMP_OWNER) | 1ULL << 48; /* a free entry has owner 0 */
	return bpf_map_lookup_elem(&stamps, &set);
}

/* The entry of a set that holds the owner's stamp, or NULL. */
static __always_inline __u64 *stamp_of(struct stamps *set, __u64 owner)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		if ((set->entry[i] & STAMP_OWNER) == owner)
			return &set->entry[i];
	return NULL;
}

/*
 * Age of a stamp in nanoseconds, modulo 39 hours, plus one second: another CPU may have stored
 * the stamp after `now`. A free entry is older than any stamp.
 */
static __always_inline __u64 stamp_age(__u64 stamp, __u64 now)
{
	return stamp ? (now + 1000000000 - stamp) & STAMP_TIME : STAMP_TIME + 1;
}

/* The entry for a new stamp: a free one (often the first), else that of the oldest stamp. */
static __always_inline __u64 *oldest_stamp(struct stamps *set, __u64 now)
{
	__u64 *oldest = &set->entry[0];

	if (!*oldest)
		return oldest;
#pragma unroll
	for (int i = 1; i < 4; i++)
		if (stamp_age(set->entry[i], now) > stamp_age(*oldest, now))
			oldest = &set->entry[i];
	return oldest;
}

/* The entry with the owner's stamp, else that for a new stamp. A set is nearly always empty. */
static __always_inline __u64 *stamp_entry(struct stamps *set, __u64 owner, __u64 now)
{
	__u64 *s;

	if (!(set->entry[0] | set->entry[1] | set->entry[2] | set->entry[3]))
		return &set->entry[0];
	s = stamp_of(set, owner);
	return s ? s : oldest_stamp(set, now);
}

/* Time of a stamp by bpf_ktime_get_ns(); wrong if the stamp is older than 39 hours (47 bits). */
static __always_inline __u64 stamp_time(__u64 stamp, __u64 now)
{
	return now - ((now - stamp) & STAMP_TIME);
}

static __always_inline void stamp_number(__u64 number, __u64 now)
{
	__u64 owner;
	struct stamps *set = stamps_by(number, &owner);

	if (set)
		*stamp_entry(set, owner, now) = owner | (now & STAMP_TIME);
}

/* The operation ends: nanoseconds since its begin, or -1 if there is no stamp. Frees the entry. */
static __always_inline __s64 stamp_ended(__u64 number, __u64 now)
{
	__u64 owner, ns, *s;
	struct stamps *set = stamps_by(number, &owner);

	s = set ? stamp_of(set, owner) : NULL;
	if (!s)
		return -1;
	ns = (now - *s) & STAMP_TIME;
	*s = 0;
	return ns;
}

/*
 * Stamp the begin of an operation that is identified by the address of a kernel object. The
 * verifier rejects arithmetic on pointers, so the address is copied as bytes.
 */
static __attribute__((noinline, unused)) int stamp_address(__u64 address, __u64 now)
{
	__u64 number;

	bpf_probe_read_kernel(&number, sizeof(number), &address);
	stamp_number(number, now);
	return 0;
}

/* Nanoseconds since stamp_address(), or -1 if there is no stamp. Frees the stamp's entry. */
static __attribute__((noinline, unused)) __s64 stamp_taken(__u64 address, __u64 now)
{
	__u64 number;

	bpf_probe_read_kernel(&number, sizeof(number), &address);
	return stamp_ended(number, now);
}

#endif /* ESTAT_BPF_STAMPS_H */
