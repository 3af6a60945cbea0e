/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow RPCs, for the module nfs_client. */
#ifndef ESTAT_MODULES_NFS_CLIENT_SLOW_H
#define ESTAT_MODULES_NFS_CLIENT_SLOW_H

#include "rpc_types.bpf.h"
#include "slow.bpf.h"

/* The client's numbers of NFSv4's operations, from an unnamed enum in include/linux/nfs4.h. */
#define NFSPROC4_CLNT_READ  1
#define NFSPROC4_CLNT_WRITE 2

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_bytes_t offset ESTAT_PARAMETER(
		4, "Where in the file a READ or WRITE of NFSv3 or NFSv4 begins; else 0");
	__u32 error ESTAT_PARAMETER(5, "The errno; 0: none");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the RPC ended");
	__u32 pid ESTAT_PARAMETER(
		7, "The process that began the RPC; for a write it can be a kernel thread");
	estat_nsec_t stage_queue ESTAT_PARAMETER(
		20,
		"From the RPC's begin to its last transmission: estat.nfs_client.backlog.latency");
	estat_nsec_t stage_wire ESTAT_PARAMETER(
		21, "From the last transmission to the reply: estat.nfs_client.round_trip.latency");
	estat_nsec_t stage_end ESTAT_PARAMETER(22, "From the reply to the end of the RPC");
	estat_ip_t server ESTAT_PARAMETER(40, "The server's address");
	estat_name_t export ESTAT_PARAMETER(41, "The path that is mounted from the server");
	estat_name_t op ESTAT_PARAMETER(42, "The operation");
};

ESTAT_SLOW(nfs_client, struct key, struct slow,
	   "One record for each RPC whose latency is above the threshold, see estat.module.slow");

/* An RPC that has ended; times in nanoseconds. */
struct ended {
	__u64 backlog, round_trip, whole;
	__u64 bytes;
	__s64 error; /* tk_status; below 0: a negative errno; else: no error */
};

/* Has the operation an offset: is it a read or a write of NFSv3 or NFSv4? */
static __always_inline bool has_offset(__u64 op)
{
	__u32 version = op >> 32, number = op;

	return version == 3 ? number == NFS3PROC_READ || number == NFS3PROC_WRITE
			    : version == 4 && (number == NFSPROC4_CLNT_READ ||
					       number == NFSPROC4_CLNT_WRITE);
}

static __noinline int nfs_client_record(struct rpc_task *task, const struct key *key,
					const struct ended *ended)
{
	struct slow *e = nfs_client_begin_slow(key);
	struct nfs_pgio_args *args;

	if (!e)
		return 0;
	args = BPF_CORE_READ(task, tk_msg.rpc_argp);
	e->latency = e->time = ended->whole;
	e->bytes = ended->bytes;
	e->offset = has_offset(key->op) ? BPF_CORE_READ(args, offset) : 0;
	e->error = ended->error < 0 ? -ended->error : 0;
	e->cpu = bpf_get_smp_processor_id();
	e->pid = BPF_CORE_READ(task, tk_owner);
	e->stage_queue = ended->backlog;
	e->stage_wire = ended->round_trip;
	e->stage_end = ended->whole - ended->backlog - ended->round_trip;
	e->server = key->server;
	e->export = key->export;
	e->op = key->op;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_NFS_CLIENT_SLOW_H */
