/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow reads and writes, for the module nfs. */
#ifndef ESTAT_MODULES_NFS_NFS_SLOW_H
#define ESTAT_MODULES_NFS_NFS_SLOW_H

#include "ip.bpf.h"
#include "slow.bpf.h"
#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in fs/nfsd/xdr.h, xdr3.h, xdr4.h */
struct nfsd_readargs {
	__u32 offset;
};
struct nfsd_writeargs {
	__u32 offset;
};
struct nfsd3_readargs {
	__u64 offset;
};
struct nfsd3_writeargs___offset {
	__u64 offset;
};
struct nfsd4_read {
	__u64 rd_offset;
};
struct nfsd4_write___offset {
	__u64 wr_offset;
};
union nfsd4_op_u___offset {
	struct nfsd4_read read;
	struct nfsd4_write___offset write;
};
struct nfsd4_op___offset {
	union nfsd4_op_u___offset u;
};

#pragma clang attribute pop

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_bytes_t offset ESTAT_PARAMETER(4, "Where in the file the read or write began");
	__u32 error ESTAT_PARAMETER(5, "The status that the server sends; 0: no error");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the operation ended");
	estat_ip_t client ESTAT_PARAMETER(7, "The client's address");
	estat_nsec_t stage_queue ESTAT_PARAMETER(
		20, "The request's wait for a thread, as estat.nfs.queue.latency; 0 if not known");
	estat_nsec_t stage_before ESTAT_PARAMETER(
		21, "Of NFSv4: time from the begin of the compound to the begin of the operation");
	estat_nsec_t stage_thread ESTAT_PARAMETER(
		22, "From the begin to the end of the operation, as estat.nfs.latency");
	char version[4] ESTAT_PARAMETER(40, "The version of NFS");
	enum op op ESTAT_PARAMETER(41, "The operation");
	enum how how ESTAT_PARAMETER(42, "cached, uncached, sync, async, unknown: see estat.nfs");
};

ESTAT_SLOW(nfs, struct key, struct slow,
	   "One record for each read or write whose latency is above the threshold, see\n"
	   "estat.module.slow");

static __always_inline __u64 offset_of(const struct nfs_request *r, enum op op)
{
	struct nfsd4_compoundargs *compound = r->args;
	struct nfsd4_op___offset *op4;
	void *args = r->args;

	if (r->version == 4) {
		op4 = (void *)BPF_CORE_READ(compound, ops) +
		      r->ended * bpf_core_type_size(struct nfsd4_op);
		return op == op_read ? BPF_CORE_READ(op4, u.read.rd_offset)
				     : BPF_CORE_READ(op4, u.write.wr_offset);
	}
	if (r->version == 3)
		return op == op_read
			       ? BPF_CORE_READ((struct nfsd3_readargs *)args, offset)
			       : BPF_CORE_READ((struct nfsd3_writeargs___offset *)args, offset);
	if (!bpf_core_type_exists(struct nfsd_readargs)) /* a kernel without NFSv2 */
		return 0;
	return op == op_read ? BPF_CORE_READ((struct nfsd_readargs *)args, offset)
			     : BPF_CORE_READ((struct nfsd_writeargs *)args, offset);
}

static __noinline int nfs_record(const struct nfs_request *r, const struct key *key,
				 const struct done *d)
{
	struct slow *e = nfs_begin_slow(key);
	struct svc_rqst *rqstp = r->rqstp;

	if (!e)
		return 0;
	e->latency = d->ns;
	e->stage_queue = r->queued;
	e->stage_before = r->op_began - r->began;
	e->stage_thread = d->ns;
	e->time = e->stage_queue + e->stage_before + d->ns;
	e->bytes = r->bytes;
	e->offset = offset_of(r, key->op);
	e->error = d->status;
	e->cpu = bpf_get_smp_processor_id();
	__builtin_memset(&e->client, 0, sizeof(e->client));
	estat_ip_of(&e->client, (const char *)__builtin_preserve_access_index(&rqstp->rq_addr));
	__builtin_memcpy(e->version, key->version, sizeof(e->version));
	e->op = key->op;
	e->how = key->how;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_NFS_NFS_SLOW_H */
