// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nfs: what clients ask of the NFS server, by version: reads and writes, and how
 * those were done; all other procedures; the compounds of NFSv4. See modules/nfs/nfs.bpf.h.
 */
#include "nfs.bpf.h"

#include "arrival.bpf.h"

ESTAT_MODULE(nfs, 10);
ESTAT_NEEDS("nfsd", "/sys/module/nfsd");
ESTAT_EVIDENCE("/proc/net/rpc/nfsd", "^io ");

struct key {
	char version[4];
	enum op op;
	enum how how;
};

struct procedure_key {
	char version[4];
	enum procedure procedure;
};

struct version_key {
	char version[4];
};

struct failure_key {
	char version[4];
	enum procedure procedure;
	enum status status;
};

struct failure {
	estat_count_t count ESTAT_FIELD(17, "Number of operations that ended with that status");
};

ESTAT_SERIES(
	nfs, 0, struct key, struct estat_io, 48,
	"Reads and writes. NFSv2 and 3: from when a thread of the server has found out which\n"
	"procedure it is to when the reply is about to be sent, that is with decoding and\n"
	"encoding. NFSv4: from the end of the operation before it in its compound to its\n"
	"own, with encoding. A read is cached if its thread did not have to wait for a\n"
	"device or, on ZFS, for what the ARC did not have yet; else uncached. A write is\n"
	"sync if it was asked to be stable and the export does not say async; on ZFS, if it\n"
	"has waited for a commit of the intent log, or for a txg while that is suspended, which\n"
	"with sync=disabled none does. What moved nothing because it failed is unknown, and so\n"
	"is what the kernel does not let see. Not in it: the wait for a thread (queue),\n"
	"the reply's sending, and what does without the server's threads, as LOCALIO of a client\n"
	"on the same host. Linux 5.15 to 7.3");

ESTAT_SERIES(
	procedures, 1, struct procedure_key, struct estat_latency_errors, 256,
	"All procedures but reads and writes, and NFSv4's operations, which are in compounds;\n"
	"from and to as estat.nfs. Linux 5.15 to 7.3");

ESTAT_SERIES(compounds, 2, struct version_key, struct estat_latency_errors, 8,
	     "NFSv4's compounds, that is requests of some operations; from and to as NFSv3's\n"
	     "procedures in estat.nfs. Linux 5.15 to 7.3");

ESTAT_SERIES(failures, 3, struct failure_key, struct failure, 512,
	     "What failed, reads and writes too, by the status that the client is told.\n"
	     "Linux 5.15 to 7.3");

ESTAT_SERIES(
	queue, 7, struct version_key, struct estat_latency, 8,
	"How long a request waits for a thread of the server: from when all of it has\n"
	"arrived to when a thread has read it and found out which procedure it is. With TCP\n"
	"only, and up to 1024 connections that are in use at the same time. A connection's first\n"
	"can arrive before the server has accepted that: then it is missed. Linux 5.15 to 7.3");
ESTAT_TOP_LAYER(nfs, 110);
ESTAT_TOP_LAYER(queue, 100);
ESTAT_SHOWN(nfs, "rows {version:2}/{op}, {how}");

static __always_inline void count_missed(void)
{
	__sync_fetch_and_add(&nfs_state.missed, 1);
}

static __always_inline void count(struct estat_latency_errors *v, const struct done *d)
{
	if (!v)
		return;
	estat_count_end(v, d->ns, d->status);
}

static __noinline int count_failure(const struct done *d)
{
	struct failure_key key = { .procedure = d->procedure, .status = d->status };
	struct failure *v;

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	v = failures_get(&key);
	if (v)
		estat_add(v->count, 1);
	return 0;
}

static __noinline int count_io(struct nfs_request *r, const struct done *d, enum op op)
{
	struct key key = { .op = op, .how = how_of(r, d, op) };
	struct estat_io *v;

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	v = nfs_get(&key);
	if (!v)
		return 0;
	nfs_count_io(v, &key, d->ns, r->bytes, d->status);
	return 0;
}

static __noinline int nfs_operation_ended(struct nfs_request *r, const struct done *d)
{
	struct procedure_key key = { .procedure = d->procedure };
	enum op op;

	if (d->status)
		count_failure(d);
	if (is_io(d->procedure, &op))
		return count_io(r, d, op);
	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	count(procedures_get(&key), d);
	return 0;
}

static __always_inline void nfs_operation_moved(struct nfs_request *r, struct svc_export *export)
{
}

static __noinline int nfs_compound_ended(struct nfs_request *r, const struct done *d)
{
	struct version_key key = {};

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	count(compounds_get(&key), d);
	return 0;
}

/* The first of a connection can be there before the server has accepted that. */
#define ARRIVED_UNSEEN (~0ULL)

static __noinline int nfs_request_taken(struct nfs_request *r, const struct done *d)
{
	struct version_key key = {};
	struct estat_latency *v;

	if (r->arrived == ARRIVED_UNSEEN) {
		__sync_fetch_and_add(&queue_state.missed, 1);
		return 0;
	}
	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	v = queue_get(&key);
	if (v)
		estat_count_latency(v, d->ns);
	return 0;
}

/* A thread has read a request; of any server, as lockd. */
SEC("tp_btf/svcsock_tcp_recv")
int nfs_request_read(__u64 *ctx)
{
	__u64 arrived = arrival_of(ctx[0]);
	struct nfs_request *r = requests_make();

	if (r)
		r->arrived = arrived ? arrived : ARRIVED_UNSEEN;
	else
		__sync_fetch_and_add(&queue_state.missed, 1);
	return 0;
}
