/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all threads of the NFS server, for the gauges of nfs and nfs_by_client. It visits
 * each network namespace, each pool of threads there and each thread of the pool. The thread's
 * request is in `requests` or, if the thread has no entry in `requests` yet, in the kernel's struct
 * svc_rqst. The walk reads without locks, by bpf_probe_read_kernel(), so memory that is freed
 * meanwhile can have any content. find_request() finds no request in such content. A module
 * includes this file after nfs.bpf.h.
 */
#ifndef ESTAT_MODULES_NFS_THREAD_WALK_H
#define ESTAT_MODULES_NFS_THREAD_WALK_H

#include "net.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/sunrpc/svc.h */
struct svc_pool {
	unsigned int sp_id; /* index of the pool in sv_pools */
	struct list_head sp_all_threads;
};

struct svc_serv {
	struct svc_pool *sv_pools;
	char *sv_name;
};

/* declared in include/linux/sunrpc/svc_xprt.h */
struct svc_xprt {
	struct svc_serv *xpt_server;
};

/* declared in include/linux/sunrpc/svc.h */
struct svc_info {
	struct svc_serv *serv;
};

struct svc_rqst___walk {
	struct list_head rq_all; /* node of sp_all_threads */
	struct task_struct *rq_task;
	struct svc_xprt *rq_xprt; /* NULL: the thread has no request */
	long long rq_stime;       /* when the thread had read the request; ns, by ktime_get() */
};

/* declared in fs/nfsd/netns.h */
struct nfsd_net {
	struct svc_serv *nfsd_serv; /* the member exists only before Linux 6.8 */
};

struct nfsd_net___info {
	struct svc_info nfsd_info;
};

#pragma clang attribute pop

ESTAT_ADDRESS(nfsd_net_id);

/*
 * The walk's position. Runs of estat_walk never overlap, so they can share the position. Not
 * static, because clang would take the struct apart, and the kernel would refuse its type.
 */
struct {
	__u64 net;    /* list node of the namespace; 0: before the first namespace */
	__u64 pool;   /* the svc_pool; 0: go to the next namespace */
	__u64 thread; /* rq_all of the next thread; 0: go to the next pool */
	__u32 id;     /* sp_id of the pool */
} at;

/*
 * The module defines nfs_operation_found(), nfs_compound_found() and nfs_threads_found(). The walk
 * calls the first for each operation under way, with the operation's begin in r->op_began, and its
 * version and procedure in *d; the second for each compound; and the third after the last thread.
 */
static int nfs_operation_found(const struct nfs_request *r, const struct done *d, __u64 walk);
static int nfs_compound_found(const struct nfs_request *r, const struct done *d, __u64 walk);
static int nfs_threads_found(__u64 walk);

/* Go to the next namespace, and to the server's first pool there. */
static __always_inline int next_net(void)
{
	int flags = net_next(&at.net);
	struct nfsd_net *nfsd = flags ? NULL : net_data(at.net, estat_address_nfsd_net_id);
	struct svc_serv *serv;

	if (!nfsd)
		return flags;
	if (bpf_core_field_exists(nfsd->nfsd_serv))
		serv = BPF_CORE_READ(nfsd, nfsd_serv);
	else
		serv = BPF_CORE_READ((struct nfsd_net___info *)nfsd, nfsd_info.serv);
	at.pool = (__u64)BPF_CORE_READ(serv, sv_pools);
	at.thread = at.id = 0;
	return flags;
}

/*
 * Go to the first thread of at.pool or, if at.pool is the address of no pool, set at.pool to 0: the
 * walk of the svc_serv is over. The function looks whether at.pool is a pool, because since
 * Linux 7.3 a svc_serv does not have the number of its pools.
 */
static __always_inline void next_pool(void)
{
	struct svc_pool *pool = (struct svc_pool *)at.pool;
	struct list_head *threads = (void *)__builtin_preserve_access_index(&pool->sp_all_threads);
	struct list_head *first = BPF_CORE_READ(threads, next);

	if (BPF_CORE_READ(pool, sp_id) == at.id && BPF_CORE_READ(first, prev) == threads)
		at.thread = (__u64)first;
	else
		at.pool = 0;
}

/*
 * Set d->procedure to the procedure or, of a compound, to the operation that is under way. False:
 * no operation of the compound is under way.
 */
static __always_inline bool find_procedure(const struct nfs_request *r, struct done *d)
{
	struct nfsd4_compoundargs *args = r->args;
	struct nfsd4_op *op;

	if (!is_compound(r)) {
		d->procedure = procedure_of(r->version, r->proc);
		return true;
	}
	op = (void *)BPF_CORE_READ(args, ops) + r->ended * bpf_core_type_size(struct nfsd4_op);
	d->procedure = BPF_CORE_READ(op, opnum);
	return r->ended < BPF_CORE_READ(args, opcnt);
}

/* Count a request under way. Not static, so the verifier checks the function once. */
__noinline int request_found(const struct nfs_request *r, __u64 walk)
{
	struct done d = {};
	int flags = 0;

	if (!r)
		return 0;
	set_version(&d, r);
	if (is_compound(r))
		flags = nfs_compound_found(r, &d, walk);
	if (find_procedure(r, &d))
		flags |= nfs_operation_found(r, &d, walk);
	return flags;
}

/*
 * Set *r to the request of a thread that has no entry in `requests`: the request began before the
 * module was attached. False: the thread has no request of NFS. Nothing has noted when the
 * request's operation began, so the operation gets the time when the request began.
 */
static __always_inline bool find_older(struct svc_rqst___walk *thread, struct nfs_request *r)
{
	struct svc_rqst *rqstp = (void *)thread;
	struct nfsd4_compoundres *results = BPF_CORE_READ(rqstp, rq_resp);
	__u32 operations;

	__builtin_memset(r, 0, sizeof(*r));
	r->rqstp = rqstp;
	r->version = BPF_CORE_READ(rqstp, rq_vers);
	r->proc = BPF_CORE_READ(rqstp, rq_proc);
	r->args = BPF_CORE_READ(rqstp, rq_argp);
	r->results = results;
	r->began = r->op_began = BPF_CORE_READ(thread, rq_stime);
	if (is_compound(r)) {
		/* opcnt includes the operation under way */
		operations = BPF_CORE_READ(results, opcnt);
		r->ended = operations ? operations - 1 : 0;
	}
	return r->began && BPF_CORE_READ(rqstp, rq_prog) == NFS_PROGRAM;
}

/* Set *r to the request of a thread; false: the thread has none under way. */
static __always_inline bool find_request(struct svc_rqst___walk *thread, struct nfs_request *r)
{
	struct task_struct___storage *task = (void *)BPF_CORE_READ(thread, rq_task);
	const void *kept = estat_find_of_thread(task, (const struct bpf_map *)&requests);

	/*
	 * look at rq_xprt first: if the end of a request was missed, *kept still has that request,
	 * although the thread has no request
	 */
	if (!BPF_CORE_READ(thread, rq_xprt))
		return false;
	if (!kept || bpf_probe_read_kernel(r, sizeof(*r), kept))
		return find_older(thread, r);
	return estat_since_attach(r->began) && r->rqstp == (void *)thread;
}

/* Count the thread's request, and go to the next thread. */
static __always_inline int count_thread(__u64 walk)
{
	struct svc_pool *pool = (struct svc_pool *)at.pool;
	struct svc_rqst___walk *thread =
		(void *)at.thread - bpf_core_field_offset(struct svc_rqst___walk, rq_all);
	struct nfs_request r;

	if (at.thread == (__u64)__builtin_preserve_access_index(&pool->sp_all_threads)) {
		at.thread = 0;
		at.pool += bpf_core_type_size(struct svc_pool);
		at.id++;
		return 0;
	}
	at.thread = (__u64)BPF_CORE_READ(thread, rq_all.next);
	if (!at.thread)
		return ESTAT_WALK_PARTIAL;
	return find_request(thread, &r) ? request_found(&r, walk) : 0;
}

/* Look at one namespace, pool or thread. Not static, so the verifier checks the function once. */
__noinline int threads_look(__u64 walk)
{
	if (!at.pool)
		return next_net();
	if (at.thread)
		return count_thread(walk);
	next_pool();
	return 0;
}

SEC("raw_tp")
int estat_walk(__u64 *ctx)
{
	__u64 from = ctx[0], walk = ctx[1];
	int flags = 0;

	if (!from)
		at.net = at.pool = 0;
	for (__u32 i = 0; i < ESTAT_WALK_STEP && !(flags & ESTAT_WALK_END); i++)
		flags |= threads_look(walk);
	return flags & ESTAT_WALK_END ? flags | nfs_threads_found(walk) : flags;
}

#endif /* ESTAT_MODULES_NFS_THREAD_WALK_H */
