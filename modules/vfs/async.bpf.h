/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of files that can end after their call, and in another thread, for the modules vfs and
 * vfs.process: reads and writes by aio and io_uring. Such an operation's id is of its kiocb.
 *
 *	aio_read, aio_write		io_submit(2); ends in aio_complete_rw
 *	io_read, io_write		io_uring; ends at the return, in io_complete_rw or, if
 *					io_uring abandons it, in io_rw_fail
 */
#ifndef ESTAT_MODULES_VFS_ASYNC_H
#define ESTAT_MODULES_VFS_ASYNC_H

#include "operation.bpf.h"
#include "sys/uring_types.bpf.h"

/* A kernel can be built without CONFIG_AIO or CONFIG_IO_URING. */
ESTAT_OPTIONAL("operations of aio", aio_read);
ESTAT_OPTIONAL("operations of aio", aio_write);
ESTAT_OPTIONAL("operations of aio", aio_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_read);
ESTAT_OPTIONAL("operations of io_uring", io_write);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw_iopoll);

/* Whether io_uring issues the request again after -EAGAIN. */
static __always_inline bool is_reissued(struct io_kiocb *req)
{
	return !(BPF_CORE_READ(req, flags) & REQ_F_NOWAIT);
}

/*
 * Flag a request that io_uring may issue again, by cmpxchg: another CPU may have freed the entry
 * and reused it for another operation. False: the request's begin was not seen.
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

/* Whether the request has no result yet. In 5.15 a returned 0 does not tell; kiocb_done does. */
static __always_inline bool continues_elsewhere(struct io_kiocb *req, int ret)
{
	if (ret == -EAGAIN)
		return !(req->flags & REQ_F_NOWAIT);
	return ret == -EIOCBQUEUED || (!ret && !bpf_core_field_exists(req->cqe));
}

/*
 * io_read or io_write returned. If the request has a result or failed, the operation ends here. If
 * the operation already ended in another thread, it is not under way.
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

/* In 5.15 the result is known in kiocb_done, not from the return value of io_read. */
VFS_ENTRY(io_completes_inside, kiocb_done,
	  (__s64)ctx[1] < 0 ? 0 : iocb_ends((struct kiocb *)ctx[0], by_uring_inside, ctx[1]))
/* filemap_get_folios is in 6.1, even without io_uring; not in 5.15. */
ESTAT_OPTIONAL("", filemap_get_folios, kiocb_done);

VFS_ENTRY(io_completes, io_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_uring_later, ctx[1]))
VFS_ENTRY(io_completes_polled, io_complete_rw_iopoll,
	  iocb_ends((struct kiocb *)ctx[0], by_uring_polled, ctx[1]))

/*
 * io_uring abandons a request that waits to be issued again, because its process is killed or the
 * request is cancelled (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). The
 * probed functions also run for requests that have ended already: these are not under way.
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
 * io_rw_fail exists in 6.1, not in 5.15. In 5.15 io_req_complete_post is probed, which ends any
 * request outside a batch: an abandoned one, or one whose result io_read already had.
 */
ESTAT_OPTIONAL("operations that io_uring abandons", io_rw_fail, io_req_complete_post);

VFS_ENTRY(io_fails, io_rw_fail, uring_fails(REQUEST(ctx), REQUEST(ctx)->cqe.res))
VFS_ENTRY(io_fails_old, io_req_complete_post, uring_fails(REQUEST(ctx), (int)ctx[1]))

#endif /* ESTAT_MODULES_VFS_ASYNC_H */
