/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's io_uring, with only the members that modules read
 * (include/linux/io_uring_types.h, before Linux 6.0 fs/io_uring.c).
 */
#ifndef ESTAT_MODULES_SYS_URING_TYPES_H
#define ESTAT_MODULES_SYS_URING_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_wq_work {
};

struct io_cqe {
	__s32 res;
	__u32 flags;
};

struct io_kiocb {
	/*
	 * the first member of struct kiocb; a read's or write's io_kiocb begins with a struct kiocb
	 */
	struct file *file;
	__u8 opcode;
	unsigned int flags; /* 64 bits since 6.9 */
	struct io_cqe cqe;  /* since 5.19 */
	struct io_ring_ctx *ctx;
	struct io_wq_work work;
	struct task_struct *task;   /* the thread that submitted the request; before 6.13 */
	struct io_uring_task *tctx; /* since 6.13 */
};

struct io_uring_task {
	struct task_struct *task;
};

struct io_kiocb___old {
	__u64 user_data; /* before 5.19 */
};

struct io_ring_ctx {
	unsigned int cached_sq_head; /* requests taken */
	unsigned int cached_cq_tail; /* results posted */
};

#pragma clang attribute pop

/* io_kiocb.flags. CO-RE cannot find the kernel's values: they are in an enum without a name. */
#define REQ_F_CQE_SKIP (1U << 6)  /* no completion if the request succeeds */
#define REQ_F_NOWAIT   (1U << 11) /* do not wait, end with EAGAIN instead (RWF_NOWAIT) */

/* Bits of the opcodes (io_kiocb.opcode) that read or write (include/uapi/linux/io_uring.h). */
#define IORING_READS  (1ULL << 1 | 1ULL << 4 | 1ULL << 22 | 1ULL << 60)
#define IORING_WRITES (1ULL << 2 | 1ULL << 5 | 1ULL << 23 | 1ULL << 61)

#endif /* ESTAT_MODULES_SYS_URING_TYPES_H */
