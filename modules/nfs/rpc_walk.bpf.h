/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of all RPC tasks of the NFS client, for the gauges of nfs_client. It visits each network
 * namespace with an nfs_client, each rpc_clnt there, also of mounts that are not complete, and each
 * task of NFS's rpc_clnts. The times are the tasks' own stamps, so the walk also finds tasks that
 * began before the module was attached. The walk reads without locks, by bpf_probe_read_kernel(),
 * so memory that is freed meanwhile can have any content. count_task() does not count such content.
 */
#ifndef ESTAT_MODULES_NFS_RPC_WALK_H
#define ESTAT_MODULES_NFS_RPC_WALK_H

#include "inflight.bpf.h"
#include "net.bpf.h"
#include "told.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/sunrpc/clnt.h */
struct rpc_clnt___walk {
	struct list_head cl_clients; /* node of the namespace's list of all rpc_clnts */
	struct list_head cl_tasks;
};

/* declared in include/linux/sunrpc/sched.h */
struct rpc_task___walk {
	struct list_head tk_task; /* node of cl_tasks */
};

/* declared in include/linux/nfs_fs_sb.h */
struct nfs_client {
	struct rpc_clnt *cl_rpcclient;
	struct list_head cl_share_link; /* node of nfs_client_list */
};

/* declared in fs/nfs/netns.h */
struct nfs_net {
	struct list_head nfs_client_list;
};

#pragma clang attribute pop

ESTAT_ADDRESS(nfs_net_id);

/*
 * next_net() looks at this many nfs_clients of a namespace, at most, for one that has an rpc_clnt,
 * because a new nfs_client has no rpc_clnt yet.
 */
#define UNMADE_CLIENTS 16

/*
 * The walk's position. Runs of estat_walk never overlap, so they can share the position. Not
 * static, because clang would take the struct apart, and the kernel would refuse its type.
 */
struct {
	__u64 net;  /* list node of the namespace; 0: before the first namespace */
	__u64 link; /* address of the rpc_clnt's cl_clients; 0: go to the next namespace */
	/*
	 * head of the list of rpc_clnts; its address is known only to sunrpc.ko; 0: not found yet
	 */
	__u64 head;
	__u64 task; /* tk_task of the next task; 0: go to the next rpc_clnt */
} at;

ESTAT_FOUND(nfs_client, struct key)

static __always_inline struct rpc_clnt *client_at(__u64 link)
{
	return (void *)link - bpf_core_field_offset(struct rpc_clnt___walk, cl_clients);
}

/* Go to the next namespace, and to one of the rpc_clnts there. */
static __always_inline int next_net(void)
{
	int flags = net_next(&at.net);
	struct nfs_net *nfs = flags ? NULL : net_data(at.net, estat_address_nfs_net_id);
	struct list_head *link = nfs ? BPF_CORE_READ(nfs, nfs_client_list.next) : NULL;

	at.head = at.task = 0;
	for (int i = 0; i < UNMADE_CLIENTS && link; i++) {
		struct nfs_client *client =
			(void *)link - bpf_core_field_offset(struct nfs_client, cl_share_link);
		__u64 rpc = (__u64)BPF_CORE_READ(client, cl_rpcclient);

		if ((__u64)link ==
		    (__u64)nfs + bpf_core_field_offset(struct nfs_net, nfs_client_list))
			break;
		if (rpc && rpc < -4095ULL) { /* `rpc` is a pointer and no error number */
			at.link = rpc + bpf_core_field_offset(struct rpc_clnt___walk, cl_clients);
			break;
		}
		link = BPF_CORE_READ(link, next);
	}
	return flags;
}

/*
 * Is the link the head of the list of rpc_clnts? In memory a list of tasks follows the link of each
 * rpc_clnt, and none follows the head.
 */
static __always_inline bool is_head(__u64 link)
{
	struct rpc_clnt *client = client_at(link);
	struct rpc_clnt___walk *c = (void *)client;
	struct list_head *tasks = (void *)__builtin_preserve_access_index(&c->cl_tasks);
	struct list_head *next = BPF_CORE_READ(tasks, next);

	return BPF_CORE_READ(client, cl_prog) != NFS_PROGRAM && BPF_CORE_READ(next, prev) != tasks;
}

/*
 * Go to the next rpc_clnt. The list is a ring, and the walk can enter it at any rpc_clnt. The walk
 * first goes on to the list's head, and then counts tasks until it comes to the head again.
 */
static __always_inline int next_client(void)
{
	struct list_head *last = (struct list_head *)at.link;
	struct rpc_clnt *client;

	if (!at.head && is_head(at.link))
		at.head = at.link;
	at.link = (__u64)BPF_CORE_READ(last, next);
	if (!at.link)
		return ESTAT_WALK_PARTIAL;
	if (at.link == at.head) {
		at.link = 0;
		return 0;
	}
	client = client_at(at.link);
	if (at.head && BPF_CORE_READ(client, cl_prog) == NFS_PROGRAM)
		at.task = (__u64)BPF_CORE_READ((struct rpc_clnt___walk *)client, cl_tasks.next);
	return 0;
}

/* Count the task at the walk's position, and go to the next task. */
static __always_inline int count_task(__u64 walk)
{
	struct rpc_task___walk *t =
		(void *)at.task - bpf_core_field_offset(struct rpc_task___walk, tk_task);
	struct rpc_clnt *client = client_at(at.link);
	struct rpc_clnt___walk *c = (void *)client;
	struct rpc_task *task = (void *)t;
	struct key key = {};
	int flags;

	if (at.task == (__u64)__builtin_preserve_access_index(&c->cl_tasks)) {
		at.task = 0;
		return 0;
	}
	at.task = (__u64)BPF_CORE_READ(t, tk_task.next);
	if (BPF_CORE_READ(task, tk_client) != client) { /* the task has ended during the walk */
		at.task = 0;
		return ESTAT_WALK_PARTIAL;
	}
	set_key(&key, task, BPF_CORE_READ(task, tk_xprt));
	if (!nfs_client_find(&key))
		name_op(key.op, BPF_CORE_READ(task, tk_msg.rpc_proc, p_name));
	flags = nfs_client_found(&key, BPF_CORE_READ(task, tk_start), walk);
	if (estat_told())
		estat_told()->pid = BPF_CORE_READ(task, tk_owner);
	return flags;
}

/* Look at one namespace, rpc_clnt or task. Not static, so the verifier checks the function once. */
__noinline int rpc_look(__u64 walk)
{
	if (!at.link)
		return next_net();
	return at.task ? count_task(walk) : next_client();
}

ESTAT_TELLS;
ESTAT_WALK_BY(at.net = at.link = 0, rpc_look(walk));

#endif /* ESTAT_MODULES_NFS_RPC_WALK_H */
