// SPDX-License-Identifier: GPL-2.0-or-later
/* uring: requests of io_uring, by opcode and by how they were done. */
#include "uring.bpf.h"

#include "aggregate.bpf.h"
#include "probe.bpf.h"

ESTAT_MODULE(uring, 39);
ESTAT_ON_DEMAND;

enum how {
	how_inline,
	how_async,
	how_polled,
	how_worker,
};

struct key {
	enum opcode opcode;
	enum how how;
};

struct value {
	struct estat_latency_errors;
	struct estat_latency worker ESTAT_GROUP(1, "Waits for a worker: from when a request is\n"
						   "put into the queue of io-wq until a worker\n"
						   "begins the request");
	struct estat_inflight;
};

ESTAT_SERIES(
	uring, 0, struct key, struct value, 128,
	"From the submission of a request of io_uring (tracepoint io_uring_submit_req or\n"
	"io_uring_submit_sqe) to its completion in the ring (io_uring_complete). how: worker, a\n"
	"thread of io-wq did it; polled, a read or write that was found done by polling the disk\n"
	"(IORING_SETUP_IOPOLL); async, a read or write that ended in io_complete_rw, mostly in an\n"
	"interrupt, or a request that waited for its file to be ready; inline, any other request;\n"
	"mostly the submitting call did it. errors: requests with a negative result, also a\n"
	"timeout that expired. Not counted: the time in the submission queue; requests that\n"
	"succeed without a completion (IOSQE_CQE_SKIP_SUCCESS); all completions of a multishot\n"
	"request but the last. Before Linux 5.18 requests of a ring with the same user_data at\n"
	"the same time are mixed up. Linux 5.15 to 7.3, except 5.18 and 5.19");
ESTAT_LAYOUT(uring, "rows {opcode}, {how}");

struct request_note {
	__u64 queued; /* when the request was queued for a worker; 0: it does not wait for one */
	struct key key;
};

ESTAT_INFLIGHT(requests, NOTED, 1024, struct request_note);

/* Set how a request is done. Once the value is how_worker, no other value replaces it. */
static __always_inline int goes_on(struct estat_begun *e, enum how how)
{
	if (e && requests_note(e)->key.how != how_worker)
		requests_note(e)->key.how = how;
	return 0;
}

static __always_inline int begins(struct io_kiocb *req)
{
	struct request_note note = { .key.opcode = BPF_CORE_READ(req, opcode) };

	requests_begin(id_of(req), bpf_ktime_get_ns(), note);
	return 0;
}

static __always_inline int queued(struct estat_begun *e)
{
	if (e)
		requests_note(e)->queued = bpf_ktime_get_ns();
	return goes_on(e, how_worker);
}

/* At io_uring_submit_req, before Linux 6.4 io_uring_submit_sqe, the kernel takes the request. */
URING_TRACEPOINT(uring_begins, submit_req, 0, 0, begins(req))
URING_TRACEPOINT(uring_begins_old, submit_sqe, 0, 1, begins(req))
ESTAT_OPTIONAL(ESTAT_REQUIRED, __traceiter_io_uring_submit_req, __traceiter_io_uring_submit_sqe);

/*
 * At io_uring_poll_arm the request begins to wait until its file is ready. At
 * io_uring_queue_async_work it begins to wait for a worker, which calls io_wq_submit_work().
 */
URING_TRACEPOINT(uring_waits, poll_arm, 0, 1, goes_on(requests_find(id_of(req)), how_async))
URING_TRACEPOINT(uring_queued, queue_async_work, 0, 2, queued(requests_find(id_of(req))))

#define DIFFERENCE "difference of inline, async and polled requests"

/*
 * I/O has ended: a callback (io_complete_rw) or polling (io_complete_rw_iopoll) told so. The
 * argument is the kiocb at the begin of the io_kiocb, so both have the same address.
 */
ESTAT_RUN(ESTAT_ENTRY(uring_interrupt, io_complete_rw, 1),
	  goes_on(requests_find(id_of((void *)call->arg[0])), how_async))
ESTAT_RUN(ESTAT_ENTRY(uring_polled, io_complete_rw_iopoll, 1),
	  goes_on(requests_find(id_of((void *)call->arg[0])), how_polled))
ESTAT_OPTIONAL(DIFFERENCE, io_complete_rw);
ESTAT_OPTIONAL(DIFFERENCE, io_complete_rw_iopoll);

ESTAT_ENTRY(uring_worker, io_wq_submit_work, 1)
{
	const void *req = (void *)call->arg[0] - bpf_core_field_offset(struct io_kiocb, work);
	struct estat_begun *e = requests_find(id_of(req));
	struct request_note note = {};
	struct value *v;

	if (e)
		note = *requests_note(e);
	if (!note.queued)
		return 0;
	v = uring_get(&note.key);
	if (v)
		estat_count_latency(&v->worker, bpf_ktime_get_ns() - note.queued);
	requests_note(e)->queued = 0;
	return 0;
}
ESTAT_OPTIONAL("waits for a worker", io_wq_submit_work);

SEC("tp_btf/io_uring_complete")
int uring_ends(__u64 *ctx)
{
	bool failed = false;
	__u64 id = completed(ctx, &failed);
	struct estat_begun *e = id ? requests_find(id) : NULL;
	struct key key = {};
	__s64 ns;

	if (!id)
		return 0;
	if (e)
		key = requests_note(e)->key;
	ns = requests_end(id, bpf_ktime_get_ns());
	if (ns >= 0)
		estat_count_end(uring_get(&key), ns, failed);
	return 0;
}

/*
 * False for a request with REQ_F_CQE_SKIP; before Linux 5.18 true for each request. A request with
 * the flag can end without a completion; its entry then stays until the address is used again.
 */
static __always_inline bool key_under_way(const struct estat_begun *e, struct key *key)
{
	const struct io_kiocb *req = (const struct io_kiocb *)e->id;

	*key = requests_note(e)->key;
	return !HAS_RESULT || !(BPF_CORE_READ(req, flags) & REQ_F_CQE_SKIP);
}

ESTAT_WALK(requests, uring, struct key, key_under_way, estat_tells_nothing);
