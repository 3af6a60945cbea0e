/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of io_uring: opcodes, the kernel's types, and what the tracepoints tell on which kernel.
 */
#ifndef ESTAT_MODULES_SYS_URING_H
#define ESTAT_MODULES_SYS_URING_H

#include "inflight.bpf.h"
#include "uring_types.bpf.h"

/* enum io_uring_op of include/uapi/linux/io_uring.h in Linux 7.3; the first is 0 */
enum opcode {
	opcode_nop,
	opcode_readv,
	opcode_writev,
	opcode_fsync,
	opcode_read_fixed,
	opcode_write_fixed,
	opcode_poll_add,
	opcode_poll_remove,
	opcode_sync_file_range,
	opcode_sendmsg,
	opcode_recvmsg,
	opcode_timeout,
	opcode_timeout_remove,
	opcode_accept,
	opcode_async_cancel,
	opcode_link_timeout,
	opcode_connect,
	opcode_fallocate,
	opcode_openat,
	opcode_close,
	opcode_files_update,
	opcode_statx,
	opcode_read,
	opcode_write,
	opcode_fadvise,
	opcode_madvise,
	opcode_send,
	opcode_recv,
	opcode_openat2,
	opcode_epoll_ctl,
	opcode_splice,
	opcode_provide_buffers,
	opcode_remove_buffers,
	opcode_tee,
	opcode_shutdown,
	opcode_renameat,
	opcode_unlinkat,
	opcode_mkdirat,
	opcode_symlinkat,
	opcode_linkat,
	opcode_msg_ring,
	opcode_fsetxattr,
	opcode_setxattr,
	opcode_fgetxattr,
	opcode_getxattr,
	opcode_socket,
	opcode_uring_cmd,
	opcode_send_zc,
	opcode_sendmsg_zc,
	opcode_read_multishot,
	opcode_waitid,
	opcode_futex_wait,
	opcode_futex_wake,
	opcode_futex_waitv,
	opcode_fixed_fd_install,
	opcode_ftruncate,
	opcode_bind,
	opcode_listen,
	opcode_recv_zc,
	opcode_epoll_wait,
	opcode_readv_fixed,
	opcode_writev_fixed,
	opcode_pipe,
	opcode_nop128,
	opcode_uring_cmd128
};

#define IORING_CQE_F_MORE  (1U << 1)
#define IORING_CQE_F_NOTIF (1U << 3)

/*
 * Has struct io_kiocb the member cqe? Since Linux 5.19 it has, and the request is an argument of
 * io_uring_complete. On Linux 5.18 and 5.19 the tracepoints have other arguments than this module
 * expects, so there all requests are missed.
 */
#define HAS_RESULT bpf_core_field_exists(struct io_kiocb, cqe)

/*
 * The id of a request before Linux 5.18, when io_uring_complete tells only the ring and the
 * user_data of the request, not the io_kiocb.
 */
static __always_inline __u64 id_by_name(__u64 ring, __u64 user_data)
{
	return (ring + user_data * 0x9e3779b97f4a7c15) | 1;
}

static __always_inline __u64 id_of(const void *req)
{
	const struct io_kiocb *new = req;
	const struct io_kiocb___old *old = req;

	if (HAS_RESULT)
		return estat_id(req);
	return id_by_name((__u64)BPF_CORE_READ(new, ctx), BPF_CORE_READ(old, user_data));
}

/*
 * A BPF program NAME at tracepoint io_uring_TRACEPOINT, which returns RESULT, an expression that
 * can use `req`. `req` is the tracepoint's argument N or, if HAS_RESULT is false, its argument OLD.
 */
#define URING_TRACEPOINT(NAME, TRACEPOINT, N, OLD, RESULT)                                      \
	SEC("tp_btf/io_uring_" #TRACEPOINT)                                                     \
	int NAME(__u64 *ctx)                                                                    \
	{                                                                                       \
		struct io_kiocb *req =                                                          \
			(void *)(HAS_RESULT ? ESTAT_ELEMENT(ctx, N) : ESTAT_ELEMENT(ctx, OLD)); \
                                                                                                \
		return RESULT;                                                                  \
	}

/*
 * The id of the request that tracepoint io_uring_complete reports as completed; 0: no request ends,
 * for example because a multishot request has a result and goes on. Since Linux 6.0 the tracepoint
 * then has NULL in the place of the request. The id is 0, too, for the notification of a zero-copy
 * send, which belongs to an io_kiocb of its own that was never submitted. *failed: is the result of
 * the request negative?
 */
static __always_inline __u64 completed(__u64 *ctx, bool *failed)
{
	const struct io_kiocb *req;

	if (!HAS_RESULT) {
		*failed = (int)ctx[2] < 0;
		return ctx[3] & IORING_CQE_F_MORE ? 0 : id_by_name(ctx[0], ctx[1]);
	}
	req = (const struct io_kiocb *)ctx[1];
	if (!req || BPF_CORE_READ(req, cqe.flags) & IORING_CQE_F_NOTIF)
		return 0;
	*failed = BPF_CORE_READ(req, cqe.res) < 0;
	return estat_id(req);
}

#endif /* ESTAT_MODULES_SYS_URING_H */
