/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the modules that measure operations of vfs: reads and writes by aio and io_uring, which can
 * end after the call that began them, and in another thread. The id of such an operation is
 * estat_id() of its kiocb.
 *
 *	aio_read, aio_write		io_submit(2); ends in aio_complete_rw
 *	io_read, io_write		io_uring; ends at the return of that function, in
 *					io_complete_rw, in io_complete_rw_iopoll or, if io_uring
 *					abandons the request, in io_rw_fail; in 5.15 also in
 *					kiocb_done, and in io_req_complete_post in the place of
 *					io_rw_fail
 */
#ifndef ESTAT_MODULES_VFS_ASYNC_H
#define ESTAT_MODULES_VFS_ASYNC_H

#include "operation.bpf.h"
#include "sys/uring_types.bpf.h"

/* A kernel without CONFIG_AIO lacks aio_*, a kernel without CONFIG_IO_URING lacks io_*. */
ESTAT_OPTIONAL("operations of aio", aio_read);
ESTAT_OPTIONAL("operations of aio", aio_write);
ESTAT_OPTIONAL("operations of aio", aio_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_read);
ESTAT_OPTIONAL("operations of io_uring", io_write);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw);
ESTAT_OPTIONAL("operations of io_uring", io_complete_rw_iopoll);

/*
 * May io_uring issue the request again after -EAGAIN? If a thread of io-wq or of another process
 * runs io_complete_rw, io_uring does not (io_rw_should_reissue() in io_uring/rw.c), although the
 * answer here can be yes. Then the operation ends with -EAGAIN, but does not count.
 */
static __always_inline bool is_reissued(struct io_kiocb *req)
{
	return !(BPF_CORE_READ(req, flags) & REQ_F_NOWAIT);
}

/*
 * Set the flag REISSUED in the entry of a request that io_uring may issue again. The flag is set by
 * cmpxchg, because another CPU may have given the entry in `operations` to another operation.
 * Returns false if the request has no entry, as when its begin was not seen.
 */
static __always_inline bool mark_reissued(__u64 id)
{
	struct estat_begun *e = operations_find(id);
	__u64 was = e ? ESTAT_LOAD(e->began) : 0;

	if (e && ESTAT_LOAD(e->id) == id)
		__sync_val_compare_and_swap(&e->began, was, was | REISSUED);
	return e;
}

/* An asynchronous operation has a result: it ends, unless io_uring may issue the request again. */
static __always_inline int iocb_ends(struct kiocb *iocb, enum by by, __s64 result)
{
	struct operation o;
	struct file *file;

	if (!vfs_follows())
		return 0;
	o = (struct operation){ .by = by, .result = result, .iocb = estat_id(iocb) };
	file = iocb->ki_filp;
	if (!is_stored(file, true))
		return 0;
	if (result == -EAGAIN && by != by_aio && is_reissued((struct io_kiocb *)iocb)) {
		if (!mark_reissued(o.iocb))
			count_unseen();
		return 0;
	}
	if (!take_begun(o.iocb, &o))
		return 0;
	o.op = iocb->ki_flags & IOCB_WRITE ? op_write : op_read;
	return io_ends(file, &o, iocb->ki_flags, true);
}

static __always_inline int iocb_begins(__u64 id, __u64 what)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();

	return begin(id, 0, (__u64)BPF_CORE_READ(task, group_leader),
		     what | WHAT_OBJECT(object_iocb));
}

static __always_inline int aio_enters(__u64 *args, __u64 what, enum drawn drawn, bool typed)
{
	struct kiocb *iocb = (struct kiocb *)args[0];

	if (!is_stored(ESTAT_READ(iocb, ki_filp), typed))
		return 0;
	if (is_followed(drawn, what, 0))
		iocb_begins(estat_id(iocb), what);
	return vfs_at_aio(what, args);
}

#ifdef VFS_SPLIT
/* The call of aio returns; the operation may go on. */
static __always_inline int aio_returns(__u64 *args, __u64 ret, bool typed)
{
	vfs_left(estat_id((void *)args[0]));
	return 0;
}

#define AIO_CALL(FUNCTION) ESTAT_MULTI_CALL(FUNCTION, FUNCTION##_begins, 0, aio_returns)
#else
#define AIO_CALL(FUNCTION) ESTAT_MULTI_ENTRY(FUNCTION##_enters, FUNCTION, FUNCTION##_begins)
#endif

#define AIO(FUNCTION, OP)                                                                     \
	VFS_BEGINS(FUNCTION##_begins, WHAT(OP, by_aio), aio_enters(args, what, drawn, typed)) \
	AIO_CALL(FUNCTION)

AIO(aio_read, op_read)
AIO(aio_write, op_write)

VFS_ENTRY(aio_completes, aio_complete_rw, iocb_ends((struct kiocb *)ctx[0], by_aio, ctx[1]))

/*
 * io_uring issues a request, for the first time or again. An io_kiocb begins with its kiocb, so the
 * id is that of the kiocb, too.
 */
static __always_inline int uring_enters(struct io_kiocb *req, __u64 what, enum drawn drawn,
					bool typed)
{
	__u64 id = estat_id(req);
	struct estat_begun *e;

	if (!is_stored(ESTAT_READ(req, file), typed))
		return 0;
	e = operations_find(id);
	if (e && e->began & REISSUED) {
		e->began &= ~REISSUED;
		vfs_again(id);
		return 0;
	}
	if (is_followed(drawn, what, 0))
		iocb_begins(id, what);
	return vfs_at_uring(what, id);
}

/*
 * Can the request be without a result, so that the operation goes on after the return? In 5.15 a
 * return value of 0 does not tell whether the request has a result, so kiocb_done is probed there.
 */
static __always_inline bool continues_elsewhere(struct io_kiocb *req, int ret, bool typed)
{
	if (ret == -EAGAIN)
		return !(ESTAT_READ(req, flags) & REQ_F_NOWAIT);
	return ret == -EIOCBQUEUED || (!ret && !bpf_core_field_exists(req->cqe));
}

/*
 * io_read or io_write returns. If the request has a result or has failed, the operation ends here.
 * An operation that ended before the return has no entry in `operations` any more.
 */
static __always_inline int uring_returns(struct io_kiocb *req, struct operation *o, bool typed)
{
	struct file *file = ESTAT_READ(req, file);

	o->iocb = estat_id(req);
	if (!is_stored(file, typed))
		return 0;
	if (continues_elsewhere(req, o->result, typed)) {
		vfs_left(o->iocb);
		if (!(ESTAT_READ(req, flags) & REQ_F_NOWAIT))
			mark_reissued(o->iocb);
		return 0;
	}
	if (!take(o->iocb, o))
		return 0;
	if (!o->result && bpf_core_field_exists(req->cqe))
		o->result = ESTAT_READ(req, cqe.res);
	return io_ends(file, o, ESTAT_READ((struct kiocb *)req, ki_flags), typed);
}

#define REQUEST(args) ((struct io_kiocb *)(args)[0])

VFS_CALL(io_read, uring_enters(REQUEST(args), what, drawn, typed), op_read, by_uring, ctx[2],
	 (int)ret, uring_returns(REQUEST(args), &o, typed))
VFS_CALL(io_write, uring_enters(REQUEST(args), what, drawn, typed), op_write, by_uring, ctx[2],
	 (int)ret, uring_returns(REQUEST(args), &o, typed))

/*
 * In 5.15 io_read and io_write do not return the result, so kiocb_done is probed, whose second
 * argument is the result. A negative result does not count here: it is -EIOCBQUEUED, or an error
 * that kiocb_done passes to io_complete_rw.
 */
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
 * functions also run for requests that have ended already, which have no entry in `operations`.
 */
static __always_inline int uring_fails(struct io_kiocb *req, __s64 result)
{
	struct operation o;
	__u64 opcode;

	if (!vfs_follows())
		return 0;
	opcode = 1ULL << (req->opcode & 63);
	o = (struct operation){
		.op = opcode & IORING_WRITES ? op_write : op_read,
		.by = by_uring_failed,
		.result = result,
		.iocb = estat_id(req),
	};
	if (!(opcode & (IORING_READS | IORING_WRITES)) || !is_stored(req->file, true) ||
	    !take(o.iocb, &o))
		return 0;
	return io_ends(req->file, &o, ((struct kiocb *)req)->ki_flags, true);
}

/*
 * Linux 6.1 has io_rw_fail. Linux 5.15 lacks io_rw_fail, so there io_req_complete_post is probed,
 * which also runs for requests that neither read nor write.
 */
ESTAT_OPTIONAL("operations that io_uring abandons", io_rw_fail, io_req_complete_post);

VFS_ENTRY(io_fails, io_rw_fail, uring_fails(REQUEST(ctx), REQUEST(ctx)->cqe.res))
VFS_ENTRY(io_fails_old, io_req_complete_post, uring_fails(REQUEST(ctx), (int)ctx[1]))

#endif /* ESTAT_MODULES_VFS_ASYNC_H */
