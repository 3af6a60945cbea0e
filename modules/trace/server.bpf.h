/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this host's NFS server does with a followed RPC of this host's NFS client:
 *
 *	svc_process		a thread of the server takes the RPC: a span begins below the RPC
 *	svc_stats_latency	the thread is about to send the reply: the span ends
 *	svc_drop		the thread sends no reply: the span ends
 *
 * During the server's span each read, write or fsync of the thread is a span below the server's
 * span, and the bios and RPCs that the thread submits for this operation are below the operation's
 * span. Client and server are joined by the XID and the server's address.
 *
 * For any other RPC, an operation of a thread of the server begins a journey if is_chosen().
 */
#ifndef ESTAT_MODULES_TRACE_SERVER_H
#define ESTAT_MODULES_TRACE_SERVER_H

#include <linux/nfs.h>

#include <bpf/bpf_endian.h>

#include "nfs/rpc_types.bpf.h"
#include "nfs/types.bpf.h"
#include "pace.bpf.h"
#include "rpc.bpf.h"
#include "span.bpf.h"

#define PF_KTHREAD 0x00200000 /* a thread of the kernel, from include/linux/sched.h */

/* the name of the server's threads: "nfsd" as a little-endian number, and its length */
#define NFSD        ('n' | 'f' << 8 | 's' << 16 | 'd' << 24)
#define NFSD_LENGTH 4

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in kernel/kthread.c */
struct kthread {
	void *data; /* the argument of the thread's function */
};

struct task_struct___kthread {
	unsigned int flags;
	char comm[16];
	void *worker_private; /* the struct kthread, since Linux 5.17 */
	void *set_child_tid;  /* the struct kthread, before Linux 5.17 */
};
#pragma clang attribute pop

/* Without the kernel module sunrpc there are no RPCs, so the module lacks nothing. */
ESTAT_OPTIONAL("", __traceiter_svc_process);
ESTAT_OPTIONAL("", __traceiter_svc_stats_latency);
ESTAT_OPTIONAL("", __traceiter_svc_drop);

/*
 * The server's span `i` begins below the RPC's span `rpc`. From now on the thread's I/O goes below
 * span `i`, unless the thread already has a span below another span of the same RPC. In that case
 * the I/O goes below span `i` only if the span above `rpc` is of an operation.
 */
static __always_inline void server_takes(int i, const struct span *rpc)
{
	__u64 task = bpf_get_current_task();
	int other = span_of_task(task);

	if (other >= 0 && span_at(rpc->parent)->kind != kind_operation)
		return;
	if (other >= 0)
		span_at(other)->task = 0;
	span_at(i)->task = task;
}

/*
 * The number of the RPC of span *s. The span lacks the number if the kernel has skipped the BPF
 * program at xprt_reserve as older_gives_way() says.
 */
static __always_inline __u32 number_of(const struct span *s)
{
	const struct rpc_task *task = (const struct rpc_task *)s->bio;

	return s->rpc.xid ?: bpf_ntohl(BPF_CORE_READ(task, tk_rqstp, rq_xid));
}

/*
 * If span `i` is of an RPC with number `xid` and this server's address, begin a span of the server.
 * `first` and `rest` are the two halves of the address.
 */
__noinline int server_joins(__u64 i, __u64 rqstp, __u64 xid, __u64 first, __u64 rest)
{
	struct span *s = span_at(i);
	__u64 server[2];
	int n;

	__builtin_memcpy(server, &s->rpc.server, sizeof(server));
	if (s->kind != kind_rpc || server[0] != first || server[1] != rest || number_of(s) != xid)
		return 0;
	n = span_claim(i, kind_server, rqstp);
	if (n < 0)
		return 0;
	span_at(n)->rpc.offset = s->rpc.offset;
	span_at(n)->rpc.bytes = s->rpc.bytes;
	__sync_fetch_and_add(&serving, 1);
	server_takes(n, s);
	return span_begins(n, span_at(span_at(n)->journey)->device, 0, 0);
}

EACH_SPAN(servers_join, PROTO(__u64 rqstp, __u64 xid, __u64 first, __u64 rest),
	  ARGS(rqstp, xid, first, rest), server_joins(i, rqstp, xid, first, rest));

/*
 * A thread of the server takes a request: begin a span below each span of the request's RPC.
 */
static __noinline int server_begins(__u64 rqstp)
{
	struct svc_rqst *rq = (struct svc_rqst *)rqstp;
	__u64 xid = bpf_ntohl(BPF_CORE_READ(rq, rq_xid)), to[2] = {};

	if (serving)
		older_gives_way(rqstp);
	if (BPF_CORE_READ(rq, rq_prog) != NFS_PROGRAM)
		return 0;
	estat_ip_of((estat_ip_t *)to, (const char *)__builtin_preserve_access_index(&rq->rq_daddr));
	return servers_join(rqstp, xid, to[0], to[1]);
}

/* Is this thread one of the NFS server? */
static __always_inline bool is_server_thread(void)
{
	const struct task_struct___kthread *task = (void *)bpf_get_current_task_btf();

	return task->flags & PF_KTHREAD && *(const __u32 *)task->comm == NFSD &&
	       !task->comm[NFSD_LENGTH];
}

/* An RPC, by the address of its svc_rqst and its number. */
struct chosen {
	__u64 rqstp;
	__u64 xid;
};

/*
 * The threads of the NFS server that work on an RPC that is_chosen(). So at the begin of an
 * operation of any other thread of the server nothing of the RPC is read.
 */
ESTAT_INFLIGHT(chosen_threads, NOTED, 256, struct chosen);
/*
 * The number of threads in `chosen_threads`. More, if the kernel has skipped trace_server_ends(),
 * as older_gives_way() says, for the last RPC of a thread that has ended.
 */
__u64 choosing;

/* This thread takes the RPC with the number `xid`, in the svc_rqst at `rqstp`. */
static __always_inline void server_chooses(__u64 rqstp, __u32 xid)
{
	__u64 task = bpf_get_current_task();

	if (!is_chosen(xid) || !is_server_thread())
		return;
	if (!chosen_threads_find(task))
		__sync_fetch_and_add(&choosing, 1);
	chosen_threads_begin(task, bpf_ktime_get_ns(), (struct chosen){ rqstp, xid });
}

SEC("tp_btf/svc_process")
int trace_server_begins(__u64 *ctx)
{
	const struct svc_rqst *rq = (const void *)ctx[0];

	if (!rq) /* never, but the verifier of newer kernels does not know */
		return 0;
	server_chooses(estat_id(rq), bpf_ntohl(rq->rq_xid));
	return active ? server_begins(estat_id(rq)) : 0;
}

/* The request ends: end its spans, one below each span of the RPC, but at most JOURNEYS. */
__noinline int server_ends(__u64 rqstp)
{
	__u64 now = bpf_ktime_get_ns();
	int i = span_of_task(bpf_get_current_task());

	if (i >= 0 && span_at(i)->kind == kind_file) /* the end of the operation was not seen */
		span_ends(i, now);
	for (int depth = 0; depth < JOURNEYS; depth++) {
		i = span_of_bio(rqstp);
		if (i < 0 || span_at(i)->kind != kind_server)
			break;
		span_ends(i, now);
	}
	return 0;
}

/* This thread has done the request at `rqstp`. */
static __always_inline int server_is_done(__u64 rqstp)
{
	if (choosing && chosen_threads_remove(bpf_get_current_task()))
		__sync_fetch_and_add(&choosing, -1);
	return serving ? server_ends(rqstp) : 0;
}

SEC("tp_btf/svc_stats_latency")
int trace_server_ends(__u64 *ctx)
{
	return server_is_done(estat_id((void *)ctx[0]));
}

SEC("tp_btf/svc_drop")
int trace_server_drops(__u64 *ctx)
{
	return server_is_done(estat_id((void *)ctx[0]));
}

/* Does this thread of the server work on a followed RPC, but not in an operation on a file? */
__noinline int server_span(void)
{
	int i = span_of_task(bpf_get_current_task());

	return i >= 0 && span_at(i)->kind == kind_server;
}

/* The span of this thread's operation `id` on a file for an RPC, or NONE. */
__noinline int server_operation(__u64 id)
{
	int i = span_of_task(bpf_get_current_task());

	return i >= 0 && span_at(i)->kind == kind_file && span_at(i)->op_id == id ? i : NONE;
}

/*
 * This thread of the server has done an operation on a file, with `result`: end the operation's
 * span. Inline, because the verifier allows only seven nested calls.
 */
static __always_inline int server_has_operated(__s64 result)
{
	int i = span_of_task(bpf_get_current_task());

	if (i < 0 || span_at(i)->kind != kind_file)
		return 0;
	span_at(i)->failed = result < 0;
	span_at(i)->rpc.bytes = result > 0 ? result : 0;
	return span_ends(i, bpf_ktime_get_ns());
}

/* The latest request of this thread, which is one of the NFS server. */
static __always_inline struct svc_rqst *request_here(void)
{
	const struct task_struct___kthread *task = (void *)bpf_get_current_task_btf();
	struct kthread *thread = bpf_core_field_exists(task->worker_private) ? task->worker_private
									     : task->set_child_tid;

	return BPF_CORE_READ((struct kthread *)estat_id(thread), data);
}

/*
 * Is the latest RPC of this thread, which is one of the NFS server, chosen? The thread can be in
 * chosen_threads for an RPC before its latest one, if the kernel has skipped trace_server_ends() as
 * older_gives_way() says. So the RPC is compared.
 */
__noinline int thread_is_chosen(void)
{
	struct estat_begun *e = chosen_threads_find(bpf_get_current_task());
	struct svc_rqst *rq = e && bpf_core_type_exists(struct svc_rqst) ? request_here() : NULL;

	return rq && chosen_threads_note(e)->rqstp == (__u64)rq &&
	       chosen_threads_note(e)->xid == bpf_ntohl(BPF_CORE_READ(rq, rq_xid));
}

/* This thread of the NFS server begins an operation: is the operation for a chosen RPC? */
static __always_inline bool server_is_chosen(void)
{
	return choosing && thread_is_chosen();
}

/*
 * If this thread is one of the NFS server, note in span `i` the RPC that the thread works on; else
 * clear the span's struct rpc.
 */
__noinline int set_request(__u64 i)
{
	struct rpc *rpc = &span_at(i)->rpc;
	struct svc_rqst *rq;

	__builtin_memset(rpc, 0, sizeof(*rpc));
	if (!bpf_core_type_exists(struct svc_rqst) || !is_server_thread())
		return 0;
	rq = request_here();
	if (BPF_CORE_READ(rq, rq_prog) != NFS_PROGRAM)
		return 0;
	rpc->xid = bpf_ntohl(BPF_CORE_READ(rq, rq_xid));
	estat_ip_of(&rpc->server, (const char *)__builtin_preserve_access_index(&rq->rq_daddr));
	estat_ip_of(&rpc->client, (const char *)__builtin_preserve_access_index(&rq->rq_addr));
	return 0;
}

#endif /* ESTAT_MODULES_TRACE_SERVER_H */
