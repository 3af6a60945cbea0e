/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes where in the file a journey's read or write begins, and begins the span of the data that a
 * buffered write leaves in the page cache.
 */
#ifndef ESTAT_MODULES_TRACE_POSITION_H
#define ESTAT_MODULES_TRACE_POSITION_H

#include <linux/aio_abi.h>

#include "cache.bpf.h"
#include "span.bpf.h"
#include "sys/uring_types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct file___position {
	long long f_pos;
};

struct inode___size {
	long long i_size;
};

/* declared in io_uring/rw.c, in Linux 5.15 in fs/io_uring.c */
struct io_rw {
	struct kiocb kiocb;
	__u32 len;
};
#pragma clang attribute pop

/* Bit n: io_uring's opcode n writes, and its io_rw.len is in bytes (WRITE_FIXED and WRITE). */
#define IORING_WRITES_LEN (1ULL << 5 | 1ULL << 23)

static __always_inline __s64 size_of(const struct journey *j)
{
	struct inode___size *inode = (void *)j->address;

	if (j->in_zfs)
		return j->size;
	return BPF_CORE_READ(inode, i_size);
}

/*
 * This thread's operation has begun. `position` is the address of the operation's position in the
 * file; 0: not known. `bytes`: how many bytes the operation is to transfer; 0: not known. If
 * `position` is 0, the thread has no journey, or the journey's position is known already, do
 * nothing. Else note the position, or of an append the file's size, and call cache_begins() if the
 * operation is a buffered write and its file's pages are written back (j->address).
 */
static __noinline int set_position(__u64 position, __u64 bytes)
{
	int i = journey_of_task(bpf_get_current_task());
	struct journey *j = traced_at(i);

	if (i < 0 || j->offset >= 0 || !position)
		return 0;
	if (bytes)
		j->most = bytes;
	if (j->append && j->op == op_write && j->address)
		j->offset = size_of(j);
	else
		bpf_probe_read_kernel(&j->offset, sizeof(j->offset), (const void *)position);
	if (j->op == op_write && j->how == how_buffered && j->address)
		cache_begins(i);
	return 0;
}

/* Does the position of an operation that begins matter? `op`: its enum op. */
static __always_inline bool wants_position(__u64 op)
{
	return op <= op_write && (active || (watched && op == op_write));
}

/* A read or write of the file begins; for `position` and `bytes` see set_position(). */
static __always_inline int begins_at(__u64 what, __u64 file, __u64 position, __u64 bytes)
{
	if (position && watched && (what & 255) == op_write)
		cache_overwritten(file, position, bytes ?: 1);
	return active ? set_position(position, bytes) : 0;
}

static __always_inline int vfs_at(__u64 what, struct file *file, __u64 *args, int position,
				  bool typed)
{
	if (!wants_position(what & 255))
		return 0;
	return begins_at(what, estat_id(file), position_of(args, position, typed),
			 (what >> 8 & 255) == by_call ? args[2] : 0);
}

/*
 * At the entry of aio_read() or aio_write() the kiocb does not have the position yet, so the
 * position is read from the caller's iocb.
 */
static __always_inline int vfs_at_aio(__u64 what, __u64 *args)
{
	struct kiocb *iocb = (struct kiocb *)args[0];
	const struct iocb *call = (const struct iocb *)args[1];

	if (!wants_position(what & 255))
		return 0;
	return begins_at(what, estat_id(BPF_CORE_READ(iocb, ki_filp)), estat_id(&call->aio_offset),
			 args[2] & 255 ? 0 : BPF_CORE_READ(call, aio_nbytes));
}

/* A request of io_uring whose position is negative begins at the open file's position, f_pos. */
static __always_inline int vfs_at_uring(__u64 what, __u64 id)
{
	const struct io_kiocb *req = (const struct io_kiocb *)id;
	const struct io_rw *rw = (const struct io_rw *)id;
	const struct file___position *file;
	bool in_file, in_bytes;

	if (!wants_position(what & 255))
		return 0;
	file = (const void *)BPF_CORE_READ(req, file);
	in_file = BPF_CORE_READ(rw, kiocb.ki_pos) < 0;
	in_bytes = 1ULL << (BPF_CORE_READ(req, opcode) & 63) & IORING_WRITES_LEN;
	return begins_at(what, estat_id(file),
			 in_file ? estat_id(&file->f_pos) : estat_id(&rw->kiocb.ki_pos),
			 in_bytes ? BPF_CORE_READ(rw, len) : 0);
}

#endif /* ESTAT_MODULES_TRACE_POSITION_H */
