/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charged_node() finds the cgroup that a bio is charged to. The other functions fill in the struct
 * that estat_told() returns (walk.bpf.h), while a walk looks at a bio or a request.
 */
#ifndef ESTAT_MODULES_BLOCK_TELL_H
#define ESTAT_MODULES_BLOCK_TELL_H

#include "block/types.bpf.h"
#include "told.bpf.h"

/* The kernfs_node of the cgroup that the block layer charges for the bio at an address; 0: none. */
static __always_inline __attribute__((unused)) __u64 charged_node(__u64 address)
{
	struct bio *bio = (struct bio *)address;

	if (!bio || !bpf_core_field_exists(bio->bi_blkg))
		return 0;
	return (__u64)BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup, kn);
}

/*
 * Fill in estat_told() for the bio at `address`: the sector in the bio's bi_iter plus 1 (0 if
 * `bytes` is 0), `bytes`, and the cgroup that the block layer charges. Does nothing if `address` is
 * 0.
 */
__noinline int tell_bio(__u64 address, __u64 bytes)
{
	struct bio *bio = (struct bio *)address;
	struct estat_told *t = estat_told();

	if (!t || !bio)
		return 0;
	t->bytes = bytes;
	t->sector = bytes ? BPF_CORE_READ(bio, bi_iter.bi_sector) + 1 : 0;
	return estat_tell_cgroup(charged_node(address));
}

/*
 * Fill in estat_told() for a request: 1 plus the first sector that has not completed, the number of
 * bytes that have not completed, and the cgroup that the block layer charges for the request's
 * first bio. Does nothing if the request has no bio.
 */
static __always_inline void tell_request(const struct request *rq)
{
	tell_bio((__u64)BPF_CORE_READ(rq, bio), BPF_CORE_READ(rq, __data_len));
}

#endif /* ESTAT_MODULES_BLOCK_TELL_H */
