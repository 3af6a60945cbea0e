/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the NFS server and of RPC in Linux 5.15 to 7.3, with the members that modules read.
 * CO-RE finds the real offsets at load.
 */
#ifndef ESTAT_MODULES_NFS_TYPES_H
#define ESTAT_MODULES_NFS_TYPES_H

#include <linux/types.h>

#include <linux/socket.h>

#include "vfs/types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/linux/sunrpc/svc.h */
struct svc_rqst {
	struct __kernel_sockaddr_storage rq_addr;  /* the client's address */
	struct __kernel_sockaddr_storage rq_daddr; /* the address that the client sent to */
	__u32 rq_xid;                              /* big-endian */
	__u32 rq_prog;
	__u32 rq_vers;
	__u32 rq_proc;
	__u32 rq_prot;     /* IPPROTO_TCP, IPPROTO_UDP, ... */
	void *rq_deferred; /* not NULL: the request was read earlier, and deferred */
	void *rq_argp;     /* the procedure's arguments */
	/* the results, which in NFSv2 and 3 begin with the status; procedure NULL has no results */
	void *rq_resp;
};

/* declared in include/linux/path.h */
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

/* declared in include/linux/sunrpc/cache.h */
struct cache_head {
	struct {
		int refcount;
	} ref;
};

/* declared in fs/nfsd/export.h */
struct svc_export {
	struct cache_head h;
	int ex_flags;
	struct path ex_path;
};

/* declared in fs/nfsd/nfsfh.h */
struct svc_fh {
	struct dentry *fh_dentry;
	struct svc_export *fh_export;
};

/* declared in fs/nfsd/xdr3.h */
struct nfsd3_writeargs {
	int stable;
};

struct nfsd3_readres {
	struct svc_fh fh; /* nfsd3_writeres has `fh` at the same offset */
};

/* declared in fs/nfsd/xdr4.h */
struct nfsd4_write {
	__u32 wr_stable_how;
};
union nfsd4_op_u {
	struct nfsd4_write write;
};
struct nfsd4_op {
	__u32 opnum;
	union nfsd4_op_u u;
};
struct nfsd4_compoundargs {
	__u32 minorversion;
	__u32 opcnt;
	struct nfsd4_op *ops;
};

struct nfsd4_compound_state {
	struct svc_fh current_fh;
};

struct nfsd4_compoundres {
	__u32 opcnt; /* number of operations that have begun */
	struct nfsd4_compound_state cstate;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_NFS_TYPES_H */
