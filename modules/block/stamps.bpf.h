/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a request was allocated, by the request's own stamp. */
#ifndef ESTAT_MODULES_BLOCK_STAMPS_H
#define ESTAT_MODULES_BLOCK_STAMPS_H

#include "disk.bpf.h"

extern int LINUX_KERNEL_VERSION __kconfig;

ESTAT_ENUMERATOR(__RQF_IO_STAT);

/*
 * The flag RQF_IO_STAT (include/linux/blk-mq.h): an enumerator since Linux 6.11, before that a
 * macro for bit 13.
 */
static __always_inline __u32 io_stat_flag(void)
{
	__u32 bit = estat_enumerator___RQF_IO_STAT;

	return 1U << (bit == ESTAT_NO_ENUMERATOR ? 13 : bit & 31);
}

/*
 * Is start_time_ns the stamp of an earlier request? Since Linux 6.13 it is, if the request is no
 * flush and has no RQF_IO_STAT, such as a driver's own command, or any request while iostats is
 * off. `flags`: the request's rq_flags.
 */
static __always_inline bool has_old_stamp(enum op op, __u32 flags)
{
	/*
	 * most requests have the flag, so the kernel's version, in another cache line, is seldom
	 * read
	 */
	return op != op_flush && !(flags & io_stat_flag()) &&
	       LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 13, 0);
}

/* When the request was allocated, or 0 if the kernel did not stamp the request. */
static __always_inline __u64 allocation_time(struct request *rq, enum op op)
{
	return has_old_stamp(op, rq->rq_flags) ? 0 : rq->start_time_ns;
}

#endif /* ESTAT_MODULES_BLOCK_STAMPS_H */
