/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of the NFS client's RPCs in Linux 5.15 to 7.3, with the members that modules read. */
#ifndef ESTAT_MODULES_NFS_RPC_TYPES_H
#define ESTAT_MODULES_NFS_RPC_TYPES_H

#include <linux/types.h>

#include <linux/socket.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/sunrpc/clnt.h */
struct rpc_procinfo {
	__u32 p_statidx; /* the client's number of the operation; differs by version of NFS */
	const char *p_name;
};

struct rpc_clnt {
	__u32 cl_prog;
	__u32 cl_vers;
};

/* declared in include/linux/sunrpc/xprt.h */
struct rpc_xprt {
	struct __kernel_sockaddr_storage addr; /* the server's address */
};

struct rpc_rqst {
	struct rpc_xprt *rq_xprt;
	struct rpc_task *rq_task;
	__u32 rq_xid; /* big-endian */
	__u64 rq_xmit_bytes_sent;
	__u64 rq_reply_bytes_recvd;
	int rq_ntrans; /* how many times the RPC was sent */
};

/* declared in include/linux/sunrpc/sched.h */
struct rpc_message {
	struct rpc_procinfo *rpc_proc;
	void *rpc_argp; /* the procedure's arguments */
};

struct rpc_task {
	int tk_status;
	struct rpc_message tk_msg;
	struct rpc_clnt *tk_client;
	struct rpc_rqst *tk_rqstp;
	struct rpc_xprt *tk_xprt;
	long long tk_start;
	int tk_owner; /* pid of the process that began the RPC */
	unsigned short tk_timeouts;
};

/* declared in include/linux/nfs_xdr.h: the arguments of reads and writes */
struct nfs_pgio_args {
	struct nfs_open_context *context;
	__u64 offset;
	__u32 count;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_NFS_RPC_TYPES_H */
