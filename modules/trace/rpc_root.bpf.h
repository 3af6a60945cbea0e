/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client gives an RPC its number (XID), at xprt_reserve: the number is noted in the spans of
 * the RPC. If the RPC has no span, reads, writes or commits, and is_chosen(), the RPC begins a
 * journey of its own. The journey's operation is the RPC, and below it is the RPC's span.
 */
#ifndef ESTAT_MODULES_TRACE_RPC_ROOT_H
#define ESTAT_MODULES_TRACE_RPC_ROOT_H

#include "pace.bpf.h"
#include "root.bpf.h"
#include "rpc.bpf.h"

/* Without the kernel module sunrpc there are no RPCs, so the module lacks nothing. */
ESTAT_OPTIONAL("", __traceiter_xprt_reserve);

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in include/linux/nfs_fs.h */
struct nfs_open_context {
	struct dentry *dentry;
};
#pragma clang attribute pop

/* Note the number of the client's RPC `task` in the RPC's spans. Result 0: the RPC has none. */
EACH_SPAN(rpc_is_numbered, PROTO(__u64 task, __u64 xid), ARGS(task, xid),
	  s->bio == task && s->kind == kind_rpc ? (s->rpc.xid = xid, 1) : 0);

static __always_inline enum op op_of(enum procedure procedure)
{
	if (procedure == procedure_commit)
		return op_fsync;
	return procedure == procedure_write ? op_write : op_read;
}

/* Note in journey `i` the file of the RPC, which has been opened with `context`. */
static __always_inline void set_rpc_file(int i, struct nfs_open_context *context,
					 struct inode *inode)
{
	struct journey *j = traced_at(i);
	struct super_block *sb = BPF_CORE_READ(inode, i_sb);
	__u32 device = BPF_CORE_READ(sb, s_dev);

	span_at(i)->device = device;
	estat_name_mounted(device, sb);
	j->file = BPF_CORE_READ((struct inode___number *)inode, i_ino);
	j->name[0] = 0;
	bpf_probe_read_kernel_str(j->name, sizeof(j->name),
				  BPF_CORE_READ(context, dentry, d_name.name));
}

/* Begin the span of the RPC `id`, which is the operation of journey `i`. */
static __always_inline int rpc_root_below(int i, __u64 id, __u64 xid, __u64 bytes)
{
	struct span *s = span_at(i);
	int n = span_claim(i, kind_rpc, id);

	if (n < 0)
		return journey_ends(i, fate_lost);
	rpc_span_begins(n, traced_at(i)->offset, bytes);
	span_at(n)->began = s->first = s->began;
	span_at(n)->rpc.xid = xid;
	return set_client(n, id);
}

/* Begin a journey with the RPC whose rpc_task is `id`, if the RPC reads, writes or commits. */
__noinline int rpc_root_begins(__u64 id, __u64 xid)
{
	struct rpc_task *task = (struct rpc_task *)id;
	struct nfs_commit_data *data;
	struct nfs_pgio_header *header;
	enum procedure procedure;
	char name[24] = "";
	__u64 bytes = 0, began = BPF_CORE_READ(task, tk_start);
	int i;

	if (!TYPES_KNOWN || !estat_end_is_seen(began) ||
	    BPF_CORE_READ(task, tk_client, cl_prog) != NFS_PROGRAM)
		return 0;
	set_procedure(task, name);
	procedure = procedure_of(name);
	if (procedure == procedure_other)
		return 0;
	i = journey_claim();
	if (i < 0)
		return account_refused(op_of(procedure));
	root_clear(traced_at(i), span_at(i), op_of(procedure));
	traced_at(i)->of_rpc = true;
	set_task(traced_at(i));
	if (procedure == procedure_commit) {
		data = commit_of(task);
		set_rpc_file(i, BPF_CORE_READ(data, context), BPF_CORE_READ(data, inode));
	} else {
		header = transfer_of(task);
		set_rpc_file(i, BPF_CORE_READ(header, args.context), BPF_CORE_READ(header, inode));
		traced_at(i)->offset = BPF_CORE_READ(header, args.offset);
		bytes = BPF_CORE_READ(header, args.count);
	}
	root_starts(i, began, bpf_ktime_get_ns());
	return rpc_root_below(i, id, xid, bytes);
}

SEC("tp_btf/xprt_reserve")
int trace_rpc_numbered(__u64 *ctx)
{
	const struct rpc_rqst *rqst = (const void *)ctx[0];
	__u64 task;
	__u32 xid;

	if (!rqst) /* never, but the verifier of newer kernels does not know */
		return 0;
	task = estat_id(rqst->rq_task);
	xid = bpf_ntohl(rqst->rq_xid);
	if (active && rpc_is_numbered(task, xid))
		return 0;
	return is_chosen(xid) ? rpc_root_begins(task, xid) : 0;
}

#endif /* ESTAT_MODULES_TRACE_RPC_ROOT_H */
