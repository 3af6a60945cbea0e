// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nfs: the NFS server's operations, by version: reads (cached or uncached), writes (sync or async),
 * all other procedures, the compounds of NFSv4, failures, and requests' waits for a thread. Most
 * probes are in modules/nfs/nfs.bpf.h.
 */
#include "nfs.bpf.h"

#include "arrival.bpf.h"
#include "thread_walk.bpf.h"

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
	estat_count_t count ESTAT_FIELD(17, "Number of operations that ended with the status");
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

struct procedure_value {
	struct estat_latency_errors;
	struct estat_inflight;
};

struct queue_value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(
	nfs, 0, struct key, struct value, 48,
	"Reads and writes. NFSv2 and 3: from the time when a thread of the server knows the\n"
	"request's procedure (tracepoint svc_process) to the time just before the thread sends\n"
	"the reply (tracepoint svc_stats_latency), with decoding and encoding. NFSv4: from the\n"
	"end of the previous operation in the compound (of the first operation, from tracepoint\n"
	"nfsd_compound) to the end of this operation, with encoding (nfsd_compound_status). A\n"
	"read is uncached if its thread waited for a device or if, on ZFS, the ARC did not have\n"
	"yet what the thread read (while zfs.ko has no BTF, also what it prefetched); else\n"
	"cached. A write is sync if the client asked for a stable write and the export is not\n"
	"async. On ZFS a write is sync if the write waited for a commit of the intent log or,\n"
	"while the log is suspended, for a txg; with sync=disabled no write does. The axis how\n"
	"is unknown for an operation that failed before it moved data, for an operation under\n"
	"way, and, where ZFS's functions cannot be probed, for a write on ZFS and for a read on\n"
	"ZFS that did not wait for a device. Not counted: the wait for a thread (nfs.queue), the\n"
	"sending of the reply, and I/O that bypasses the server's threads, such as LOCALIO of a\n"
	"client on the same host. A slow read or write has an event record, with the client, the\n"
	"offset in the file, and the stages queue, before and thread; the record's latency is\n"
	"the time of the stage thread alone. Linux 5.15 to 7.3");

ESTAT_SERIES(
	procedures, 1, struct procedure_key, struct procedure_value, 256,
	"All procedures except reads and writes; for NFSv4 all operations of compounds except\n"
	"reads and writes. The latency runs from and to the same points as in estat.nfs. Linux\n"
	"5.15 to 7.3");

ESTAT_SERIES(
	compounds, 2, struct version_key, struct procedure_value, 8,
	"NFSv4's compounds; a compound is a request of one or more operations. The latency\n"
	"runs from the tracepoint svc_process to the tracepoint svc_stats_latency. Linux 5.15\n"
	"to 7.3");

ESTAT_SERIES(failures, 3, struct failure_key, struct failure, 512,
	     "Failed procedures and operations, reads and writes included, by the status that the\n"
	     "server sends to the client; dropped: the server sends no reply (NFSv2 and 3). Linux\n"
	     "5.15 to 7.3");

ESTAT_SERIES(
	queue, 7, struct version_key, struct queue_value, 8,
	"How long a request waits for a thread of the server: from the arrival of the request's\n"
	"last byte to the time when a thread has read the request and knows the procedure. TCP\n"
	"only, and at most 1024 connections in use at the same time. A connection's first request\n"
	"can arrive before the server accepts the connection; then the request is missed. Under\n"
	"way are connections with data that no thread has read, not requests, because the number\n"
	"of requests in the data is not known; such a connection counts with the version ?.\n"
	"Linux 5.15 to 7.3");
ESTAT_TOP_LAYER(nfs, 110);
ESTAT_TOP_LAYER(queue, 100);
ESTAT_LAYOUT(nfs, "rows {version:2}/{op}, {how}");

#include "nfs_slow.bpf.h"

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
	struct value *v;

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	v = nfs_get(&key);
	if (!v)
		return 0;
	nfs_count_io((struct estat_io *)v, &key, d->ns, r->bytes, d->status);
	if (nfs_is_slow(v, d->ns))
		nfs_record(r, &key, d);
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
	estat_count_end(procedures_get(&key), d->ns, d->status);
	return 0;
}

static __always_inline void nfs_operation_moved(struct nfs_request *r, struct svc_export *export)
{
}

static __noinline int nfs_compound_ended(struct nfs_request *r, const struct done *d)
{
	struct version_key key = {};

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	estat_count_end(compounds_get(&key), d->ns, d->status);
	return 0;
}

/*
 * The value of `arrived` for a request whose time of arrival is not known, for example because the
 * request came before the server accepted the connection.
 */
#define ARRIVED_UNSEEN (~0ULL)

static __noinline int nfs_request_taken(struct nfs_request *r, const struct done *d)
{
	struct version_key key = {};

	if (r->arrived == ARRIVED_UNSEEN) {
		estat_count_missed();
		return 0;
	}
	r->queued = d->ns;
	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	estat_count_latency(queue_get(&key), d->ns);
	return 0;
}

/*
 * A thread of any RPC server, such as nfsd or lockd, has read a request, a part of one, or the
 * reply to a callback: note when the last byte read arrived.
 */
SEC("tp_btf/svcsock_tcp_recv")
int nfs_request_read(__u64 *ctx)
{
	__u64 arrived = arrival_of(ctx[0]);
	struct nfs_request *r = requests_make();

	if (r)
		r->arrived = arrived ? arrived : ARRIVED_UNSEEN;
	return 0;
}

ESTAT_FOUND(nfs, struct key)
ESTAT_FOUND(procedures, struct procedure_key)
ESTAT_FOUND(compounds, struct version_key)

static __always_inline int nfs_operation_found(const struct nfs_request *r, const struct done *d,
					       __u64 walk)
{
	struct procedure_key of = { .procedure = d->procedure };
	struct key key = {};

	__builtin_memcpy(of.version, d->version, sizeof(of.version));
	if (!is_io(d->procedure, &key.op))
		return procedures_found(&of, r->op_began, walk);
	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	return nfs_found(&key, r->op_began, walk);
}

static __always_inline int nfs_compound_found(const struct nfs_request *r, const struct done *d,
					      __u64 walk)
{
	struct version_key key = {};

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	return compounds_found(&key, r->began, walk);
}

ESTAT_FOUND(queue, struct version_key)

static long look_at_arrivals(void *map, const __u64 *at, struct arrivals *a, __u64 *state)
{
	struct svc_xprt *xprt = (struct svc_xprt *)*at;
	struct version_key key = { .version = "?" };
	/* only nfsd's sv_name is "nfsd": lockd and the NFS client's callbacks have other names */
	char name[5] = {};
	__u64 since = unread_since(a);

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(xprt, xpt_server, sv_name));
	if (since && name[0] == 'n' && name[1] == 'f' && name[2] == 's' && name[3] == 'd')
		state[1] |= queue_found(&key, since, state[0]);
	return 0;
}

static __always_inline int nfs_threads_found(__u64 walk)
{
	__u64 state[] = { walk, 0 }; /* [0]: when the walk began; [1]: the flags to return */

	if (bpf_for_each_map_elem(&arrivals, look_at_arrivals, state, 0) < 0)
		return ESTAT_WALK_PARTIAL;
	return state[1];
}
