/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RPCs of the NFS client:
 *
 *	rpc_task_begin		a thread begins an RPC: a span begins
 *	rpc_stats_latency	an RPC with a slot (tk_rqstp) has its reply or fails: the span ends
 *	rpc_task_end		the span of an RPC that never got a slot ends
 *
 * An RPC is below the span of the thread that begins the RPC. A WRITE of any thread is below the
 * span of the page cache of each journey with data in the WRITE. So is a COMMIT that begins after
 * all of the journey's WRITEs have ended. If another thread begins an RPC for a direct read or
 * write, the RPC is known by its nfs_direct_req. If another thread begins a WRITE or COMMIT for an
 * fsync, the RPC is known by its inode. If the client sends an RPC again after a reply, such as
 * NFS4ERR_DELAY, the span ends at the first reply.
 */
#ifndef ESTAT_MODULES_TRACE_RPC_H
#define ESTAT_MODULES_TRACE_RPC_H

#include <linux/nfs.h>

#include <bpf/bpf_endian.h>

#include "cache.bpf.h"
#include "nfs/rpc_types.bpf.h"
#include "span.bpf.h"

/* Without the kernel module sunrpc there are no RPCs, so the module lacks nothing. */
ESTAT_OPTIONAL("", __traceiter_rpc_task_begin);
ESTAT_OPTIONAL("", __traceiter_rpc_stats_latency);
ESTAT_OPTIONAL("", __traceiter_rpc_task_end);

ESTAT_TYPES("nfs loop");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in include/linux/nfs.h */
enum nfs3_stable_how {
	NFS_UNSTABLE, /* the bytes need not be on the server's disk yet */
	NFS_DATA_SYNC,
	NFS_FILE_SYNC,
};

/* declared in include/linux/nfs_xdr.h */
struct nfs_writeverf {
	enum nfs3_stable_how committed;
};

struct nfs_pgio_res {
	__u32 count; /* bytes that were read or written; in newer kernels 64 bits */
};

struct nfs_pgio_header {
	struct inode *inode;
	struct nfs_direct_req *dreq;
	struct nfs_writeverf verf;
	struct nfs_pgio_args args;
	struct nfs_pgio_res res;
};

struct nfs_commitargs {
	__u64 offset;
};

struct nfs_commit_data {
	struct inode *inode;
	struct nfs_direct_req *dreq;
	struct nfs_commitargs args;
	struct nfs_open_context *context;
};

/* declared in include/net/sock.h */
struct sock_common {
	unsigned short skc_family;
	__u32 skc_rcv_saddr;              /* this host's address */
	struct in6_addr skc_v6_rcv_saddr; /* the member is there only if the kernel has IPv6 */
};

struct sock {
	struct sock_common __sk_common;
};

struct rpc_xprt___prot {
	int prot;
};

/* declared in include/linux/sunrpc/xprtsock.h */
struct sock_xprt {
	struct rpc_xprt xprt;
	struct sock *inet;
};
#pragma clang attribute pop

enum procedure {
	procedure_other,
	procedure_read,   /* READ, READ_PLUS: the arguments are in an nfs_pgio_header */
	procedure_write,  /* WRITE: the arguments are in an nfs_pgio_header */
	procedure_commit, /* COMMIT: the arguments are in an nfs_commit_data */
};

static __always_inline bool is_called(const char *name, const char *called)
{
	for (int i = 0; i < 10; i++) {
		if (name[i] != called[i])
			return false;
		if (!called[i])
			break;
	}
	return true;
}

static __always_inline enum procedure procedure_of(const char *name)
{
	if (is_called(name, "read") || is_called(name, "read_plus"))
		return procedure_read;
	if (is_called(name, "write"))
		return procedure_write;
	return is_called(name, "commit") ? procedure_commit : procedure_other;
}

/* Set `name`, of 24 bytes, to the name of the RPC's procedure in lower case. */
static __always_inline void set_procedure(struct rpc_task *task, char *name)
{
	if (bpf_probe_read_kernel_str(name, 24, BPF_CORE_READ(task, tk_msg.rpc_proc, p_name)) < 0)
		__builtin_memcpy(name, "null", 5); /* the kernel's rpcproc_null has no name */
	for (int i = 0; i < 24; i++)
		if (name[i] >= 'A' && name[i] <= 'Z')
			name[i] += 'a' - 'A';
}

/*
 * Are the types of the kernel module nfs known? If not, the verifier would refuse BPF programs that
 * read members of these types. Before Linux 6.8 the verifier also checks global functions that are
 * never called, so these functions, too, test TYPES_KNOWN.
 */
#define TYPES_KNOWN bpf_core_type_exists(struct nfs_pgio_header)

static __always_inline struct nfs_pgio_header *transfer_of(struct rpc_task *task)
{
	return BPF_CORE_READ(task, tk_msg.rpc_argp) -
	       bpf_core_field_offset(struct nfs_pgio_header, args);
}

static __always_inline struct nfs_commit_data *commit_of(struct rpc_task *task)
{
	return BPF_CORE_READ(task, tk_msg.rpc_argp) -
	       bpf_core_field_offset(struct nfs_commit_data, args);
}

/* The claimed span `i` of an RPC begins. */
__noinline int rpc_span_begins(__u64 i, __u64 offset, __u64 bytes)
{
	struct span *s = span_at(i);
	struct rpc_task *task = (struct rpc_task *)s->bio;
	struct rpc_xprt *xprt = BPF_CORE_READ(task, tk_xprt);

	s->rpc.offset = offset;
	s->rpc.bytes = bytes;
	set_procedure(task, s->rpc.procedure);
	estat_ip_of(&s->rpc.server, (const char *)__builtin_preserve_access_index(&xprt->addr));
	return span_begins(i, span_at(s->journey)->device, 0, 0);
}

/*
 * A WRITE begins: if the WRITE has data of journey `n`, begin a span below the span of the
 * journey's page cache.
 */
__noinline int rpc_writes(__u64 n, __u64 task, __u64 inode, __u64 offset, __u64 bytes)
{
	struct journey *j = traced_at(n);
	__u64 ours = j->inode == inode ? bytes_between(j, offset, offset + bytes) : 0;
	int i = cache_claim(n, kind_rpc, task, ours);

	return i < 0 ? 0 : rpc_span_begins(i, offset, bytes);
}

/*
 * A COMMIT begins: begin a span in journey `n` if the COMMIT is of the journey's file, the write
 * and all its WRITEs have ended, and the server need not have all of the bytes on its disk yet.
 */
__noinline int rpc_commits(__u64 n, __u64 task, __u64 inode)
{
	struct journey *j = traced_at(n);
	int i = NONE;

	if (j->inode == inode && j->unstable && j->ended && j->left <= 0 &&
	    !span_at(j->cache)->below)
		i = span_claim(j->cache, kind_rpc, task);
	return i < 0 ? 0 : rpc_span_begins(i, 0, 0);
}

/*
 * The span of the direct read or write whose nfs_direct_req is at address `direct`, or NONE. The
 * address leads from an RPC to its operation, also if another thread begins the RPC.
 */
__noinline int span_of_direct(__u64 direct)
{
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].id && traced[n].direct == direct && direct)
			return n;
	return NONE;
}

/* The span of a journey's fsync of the inode, if the fsync is under way; else NONE. */
__noinline int span_of_fsync(__u64 inode)
{
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].id && traced[n].op == op_fsync && traced[n].task &&
		    traced[n].address == inode && inode)
			return n;
	return NONE;
}

/*
 * An RPC begins in this thread: begin a span for the RPC, if there is a parent for the span. The
 * parent is the span of the thread or, if the thread has no span, that of the direct I/O or fsync
 * that waits for the RPC. `task`: the RPC's rpc_task. `direct`: the RPC's nfs_direct_req; 0: none.
 * `inode`: of a WRITE or COMMIT; else 0.
 */
__noinline int rpc_of_task(__u64 task, __u64 direct, __u64 inode, __u64 offset, __u64 bytes)
{
	int above = span_of_task(bpf_get_current_task()), i;

	if (above >= 0 && direct)
		traced_at(span_at(above)->journey)->direct = direct;
	if (above < 0)
		above = span_of_direct(direct);
	if (above < 0)
		above = span_of_fsync(inode);
	i = above < 0 ? NONE : span_claim(above, kind_rpc, task);
	return i < 0 ? 0 : rpc_span_begins(i, offset, bytes);
}

__noinline int rpc_transfers(__u64 id, __u64 writes)
{
	struct nfs_pgio_header *header;
	__u64 inode, direct, offset, bytes;

	if (!TYPES_KNOWN)
		return 0;
	header = transfer_of((struct rpc_task *)id);
	inode = writes ? estat_id(BPF_CORE_READ(header, inode)) : 0;
	direct = estat_id(BPF_CORE_READ(header, dreq));
	offset = BPF_CORE_READ(header, args.offset);
	bytes = BPF_CORE_READ(header, args.count);
	for (int n = 0; n < JOURNEYS && watched && inode; n++)
		rpc_writes(n, id, inode, offset, bytes);
	return rpc_of_task(id, direct, inode, offset, bytes);
}

__noinline int rpc_makes_stable(__u64 id)
{
	struct nfs_commit_data *data;
	__u64 inode;

	if (!TYPES_KNOWN)
		return 0;
	data = commit_of((struct rpc_task *)id);
	inode = estat_id(BPF_CORE_READ(data, inode));
	for (int n = 0; n < JOURNEYS && watched; n++)
		rpc_commits(n, id, inode);
	return rpc_of_task(id, estat_id(BPF_CORE_READ(data, dreq)), inode, 0, 0);
}

static __noinline int rpc_begins(__u64 id)
{
	struct rpc_task *task = (struct rpc_task *)id;
	char name[24] = "";

	older_gives_way(id);
	if (BPF_CORE_READ(task, tk_client, cl_prog) != NFS_PROGRAM)
		return 0;
	set_procedure(task, name);
	switch (procedure_of(name)) {
	case procedure_read:
		return rpc_transfers(id, false);
	case procedure_write:
		return rpc_transfers(id, true);
	case procedure_commit:
		return rpc_makes_stable(id);
	default:
		return rpc_of_task(id, 0, 0, 0, 0);
	}
}

/*
 * If the RPC goes over TCP or UDP, note in span `i` the address of this host's end of the
 * connection.
 */
__noinline int set_client(__u64 i, __u64 task)
{
	estat_ip_t *ip = &span_at(i)->rpc.client;
	struct sock_common *sk;
	struct rpc_xprt *xprt;
	int prot;

	if (!bpf_core_type_exists(struct sock_xprt))
		return 0;
	xprt = BPF_CORE_READ((struct rpc_task *)task, tk_xprt);
	prot = BPF_CORE_READ((struct rpc_xprt___prot *)xprt, prot);
	sk = (struct sock_common *)BPF_CORE_READ((struct sock_xprt *)xprt, inet);
	if ((prot != IPPROTO_TCP && prot != IPPROTO_UDP) || !sk)
		return 0;
	if (BPF_CORE_READ(sk, skc_family) == AF_INET) {
		__u32 address = BPF_CORE_READ(sk, skc_rcv_saddr);

		ip->octets[10] = ip->octets[11] = 0xff;
		__builtin_memcpy(ip->octets + 12, &address, sizeof(address));
	} else if (bpf_core_field_exists(sk->skc_v6_rcv_saddr)) {
		BPF_CORE_READ_INTO(ip->octets, sk, skc_v6_rcv_saddr);
	}
	return 0;
}

/*
 * The RPC of span `i` has ended. If the RPC is below the span of the page cache and has succeeded:
 * a WRITE with the reply NFS_UNSTABLE sets j->unstable, a COMMIT clears j->unstable.
 */
__noinline int note_stability(__u64 i, __u64 task)
{
	struct span *s = span_at(i);
	struct journey *j = traced_at(s->journey);

	if (!TYPES_KNOWN || s->parent != (__u32)j->cache || s->failed)
		return 0;
	if (procedure_of(s->rpc.procedure) == procedure_commit)
		j->unstable = false;
	else if (BPF_CORE_READ(transfer_of((struct rpc_task *)task), verf.committed) ==
		 NFS_UNSTABLE)
		j->unstable = true;
	return 0;
}

/*
 * The RPC of span `i`, which is the operation of a journey, ends: complete the journey and the
 * operation's span.
 */
static __always_inline void rpc_root_settles(__u64 i, struct rpc_task *task, __u64 now)
{
	const struct span *s = span_at(i);
	struct journey *j = traced_at(s->journey);

	j->ended = now;
	j->failed = s->failed;
	if (TYPES_KNOWN && !s->failed && j->op != op_fsync)
		j->bytes = BPF_CORE_READ(transfer_of(task), res.count);
	span_at(s->journey)->rpc = s->rpc;
}

/*
 * The RPC of span `i`, with the rpc_task `id`, ends: end the span and, if the RPC is itself the
 * operation of the journey, the operation's span. For `sent` and `result` see rpc_ends().
 */
__noinline int rpc_span_ends(__u64 i, __u64 id, __u64 sent, __u64 result, __u64 now)
{
	struct rpc_task *task = (struct rpc_task *)id;
	struct span *s = span_at(i);
	__u64 journey = s->journey;
	bool is_root = traced_at(journey)->of_rpc && s->parent == journey;

	s->sent = sent;
	s->result = result;
	s->failed = BPF_CORE_READ(task, tk_status) < 0;
	s->rpc.xid = bpf_ntohl(BPF_CORE_READ(task, tk_rqstp, rq_xid));
	set_client(i, id);
	note_stability(i, id);
	if (is_root)
		rpc_root_settles(i, task, now);
	span_ends(i, now);
	if (is_root)
		span_ends(journey, now);
	return cache_settles(journey, now);
}

/*
 * An RPC ends: end its spans, but at most JOURNEYS. A WRITE or COMMIT has a span below the page
 * cache's span of each journey whose data it writes or commits. Any RPC can have one more span, by
 * rpc_of_task() or, if the RPC is itself the operation of a journey, below that operation. `sent`
 * and `result`: times of the last transmission and the reply; 0: no slot. Inline, because the
 * verifier allows only seven nested calls.
 */
static __always_inline int rpc_ends(__u64 id, __u64 sent, __u64 result, __u64 now)
{
	/* not an int: Linux 5.15 forgets a number of 32 bits that clang keeps on the stack */
	for (__u64 depth = 0; depth < JOURNEYS; depth++) {
		int i = span_of_bio(id);

		if (i < 0)
			break;
		rpc_span_ends(i, id, sent, result, now);
	}
	return 0;
}

SEC("tp_btf/rpc_task_begin")
int trace_rpc_begins(__u64 *ctx)
{
	if (!(active || watched) || !TYPES_KNOWN)
		return 0;
	return rpc_begins(estat_id((void *)ctx[0]));
}

SEC("tp_btf/rpc_stats_latency")
int trace_rpc_replied(__u64 *ctx)
{
	__u64 id = estat_id((void *)ctx[0]), wait = ctx[1], wire = ctx[2], sent, now;

	if (!active || !TYPES_KNOWN)
		return 0;
	now = bpf_ktime_get_ns();
	/* the kernel gives 0 as wait of an RPC never sent, and 0 as wire of one without reply */
	sent = wait ? BPF_CORE_READ((struct rpc_task *)id, tk_start) + wait : 0;
	return rpc_ends(id, sent, wire ? sent + wire : now, now);
}

SEC("tp_btf/rpc_task_end")
int trace_rpc_ends(__u64 *ctx)
{
	__u64 id = estat_id((void *)ctx[0]);

	if (!active || !TYPES_KNOWN || BPF_CORE_READ((struct rpc_task *)id, tk_rqstp))
		return 0;
	return rpc_ends(id, 0, 0, bpf_ktime_get_ns());
}

#endif /* ESTAT_MODULES_TRACE_RPC_H */
