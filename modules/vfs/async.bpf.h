/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the modules that measure operations of vfs: reads and writes by aio and io_uring, which can
 * end after the call that began them, and in another thread. The id of such an operation is
 * estat_id() of its kiocb.
 *
 *	aio_read, aio_write		io_submit(2); ends in aio_complete_rw
 *	io_read, io_write		io_uring; ends at the return, in io_complete_rw or, if
 *					io_uring abandons it, in io_rw_fail
 */
#ifndef ESTAT_MODULES_VFS_ASYNC_H
#define ESTAT_MODULES_VFS_ASYNC_H

#include "operation.bpf.h"
#include "sys/uring_types.bpf.h"

/* A kernel without CONFIG_AIO or CONFIG_IO_URING lacks these functions. */
ESTAT_OPTIONAL("operations of aio", aio_read);
ESTAT_OPTIONAL("operations of aio", aio_write);
ESTAT_OPTIONAL("operations of aio", aio_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_read);
ESTAT_OPTIONAL("operations of io_uring", io_write);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw_iopoll);

/* Does io_uring issue the request again after -EAGAIN? */
static __always_inline bool is_reissued(struct io_kiocb *req)
{
	return !(BPF_CORE_READ(req, flags) & REQ_F_NOWAIT);
}

/*
 * Set the flag REISSUED of a request that io_uring may issue again. By cmpxchg, because another CPU
 * may have given the entry to another operation. False: the request's begin was not seen.
 */
static __always_inline bool mark_reissued(__u64 id)
{
	struct estat_begun *e = operations_find(id);
	__u64 was = e ? ESTAT_LOAD(e->began) : 0;

	if (e && ESTAT_LOAD(e->id) == id)
		__sync_val_compare_and_swap(&e->began, was, was | REISSUED);
	return e;
}

/* An asynchronous operation ends. */
static __always_inline int iocb_ends(struct kiocb *iocb, enum by by, __s64 result)
{
	struct operation o = { .by = by, .result = result, .iocb = estat_id(iocb) };
	struct file *file = iocb->ki_filp;

	if (!is_stored(file, true))
		return 0;
	if (result == -EAGAIN && by != by_aio && is_reissued((struct io_kiocb *)iocb)) {
		if (!mark_reissued(o.iocb))
			estat_count_missed();
		return 0;
	}
	if (!take_begun(o.iocb, &o))
		return 0;
	o.op = iocb->ki_flags & IOCB_WRITE ? op_write : op_read;
	return io_ends(file, &o, iocb->ki_flags);
}

static __always_inline int iocb_begins(__u64 id, __u64 what)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();

	return begin(id, 0, (__u64)BPF_CORE_READ(task, group_leader),
		     what | WHAT_OBJECT(object_iocb));
}

static __always_inline int aio_enters(struct kiocb *iocb, __u64 what)
{
	return is_stored(iocb->ki_filp, true) ? iocb_begins(estat_id(iocb), what) : 0;
}

VFS_BEGIN(aio_read_enters, aio_read, WHAT(op_read, by_aio),
	  aio_enters((struct kiocb *)ctx[0], what))
VFS_BEGIN(aio_write_enters, aio_write, WHAT(op_write, by_aio),
	  aio_enters((struct kiocb *)ctx[0], what))
#ifdef VFS_SPLIT
/* The call of aio returns; the operation may go on. */
#define AIO_RETURNS(FUNCTION)                       \
	SEC("fexit/" #FUNCTION)                     \
	int FUNCTION##_returns(__u64 *ctx)          \
	{                                           \
		vfs_left(estat_id((void *)ctx[0])); \
		return 0;                           \
	}

AIO_RETURNS(aio_read)
AIO_RETURNS(aio_write)
#endif

VFS_ENTRY(aio_completes, aio_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_aio, ctx[1]))

/* io_uring issues a request, for the first time or again. An io_kiocb begins with its kiocb. */
static __always_inline int uring_enters(struct io_kiocb *req, __u64 what)
{
	__u64 id = estat_id(req);
	struct estat_begun *e;

	if (!is_stored(req->file, true))
		return 0;
	e = operations_find(id);
	if (e && e->began & REISSUED) {
		e->began &= ~REISSUED;
		return 0;
	}
	return iocb_begins(id, what);
}

/*
 * Has the request no result yet? In 5.15 a request with a return value of 0 may have a result or
 * not, so kiocb_done is probed.
 */
static __always_inline bool continues_elsewhere(struct io_kiocb *req, int ret)
{
	if (ret == -EAGAIN)
		return !(req->flags & REQ_F_NOWAIT);
	return ret == -EIOCBQUEUED || (!ret && !bpf_core_field_exists(req->cqe));
}

/*
 * io_read or io_write returns. If the request has a result or has failed, the operation ends here;
 * but an operation that has ended in another thread has no entry any more.
 */
static __always_inline int uring_returns(struct io_kiocb *req, struct operation *o)
{
	struct file *file = req->file;

	o->iocb = estat_id(req);
	if (!is_stored(file, true))
		return 0;
	if (continues_elsewhere(req, o->result)) {
		vfs_left(o->iocb);
		if (!(req->flags & REQ_F_NOWAIT))
			mark_reissued(o->iocb);
		return 0;
	}
	if (!take(o->iocb, o))
		return 0;
	if (!o->result && bpf_core_field_exists(req->cqe))
		o->result = req->cqe.res;
	return io_ends(file, o, ((struct kiocb *)req)->ki_flags);
}

#define REQUEST(ctx) ((struct io_kiocb *)(ctx)[0])

VFS_CALL(io_read, uring_enters(REQUEST(ctx), what), op_read, by_uring, (int)ctx[2],
	 uring_returns(REQUEST(ctx), &o))
VFS_CALL(io_write, uring_enters(REQUEST(ctx), what), op_write, by_uring, (int)ctx[2],
	 uring_returns(REQUEST(ctx), &o))

/* In 5.15 kiocb_done gets the result, which io_read does not return. */
VFS_ENTRY(io_completes_inside, kiocb_done,
	  (__s64)ctx[1] < 0 ? 0 : iocb_ends((struct kiocb *)ctx[0], by_uring_inside, ctx[1]))
/* kiocb_done is probed only if filemap_get_folios is missing, as in 5.15. Linux 6.1 has both. */
ESTAT_OPTIONAL("", filemap_get_folios, kiocb_done);

VFS_ENTRY(io_completes, io_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_uring_later, ctx[1]))
VFS_ENTRY(io_completes_polled, io_complete_rw_iopoll,
	  iocb_ends((struct kiocb *)ctx[0], by_uring_polled, ctx[1]))

/*
 * If a process is killed or a request cancelled, io_uring abandons a request that waits to be
 * issued again (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). The probed
 * functions also run for requests that have ended already: these have no entry any more.
 */
static __always_inline int uring_fails(struct io_kiocb *req, __s64 result)
{
	__u64 opcode = 1ULL << (req->opcode & 63);
	struct operation o = {
		.op = opcode & IORING_WRITES ? op_write : op_read,
		.by = by_uring_failed,
		.result = result,
		.iocb = estat_id(req),
	};

	if (!(opcode & (IORING_READS | IORING_WRITES)) || !is_stored(req->file, true) ||
	    !take(o.iocb, &o))
		return 0;
	return io_ends(req->file, &o, ((struct kiocb *)req)->ki_flags);
}

/*
 * Linux 6.1 has io_rw_fail. Linux 5.15 lacks it: there io_req_complete_post is probed, which ends
 * all requests outside a batch, both abandoned ones and those whose result io_read already had.
 */
ESTAT_OPTIONAL("operations that io_uring abandons", io_rw_fail, io_req_complete_post);

VFS_ENTRY(io_fails, io_rw_fail, uring_fails(REQUEST(ctx), REQUEST(ctx)->cqe.res))
VFS_ENTRY(io_fails_old, io_req_complete_post, uring_fails(REQUEST(ctx), (int)ctx[1]))

#endif /* ESTAT_MODULES_VFS_ASYNC_H */
