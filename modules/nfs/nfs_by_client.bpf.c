// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nfs_by_client: the NFS server's reads and writes, by client, and by export and client. Most
 * probes are in modules/nfs/nfs.bpf.h.
 */
#include "nfs.bpf.h"

#include "export.bpf.h"
#include "ip.bpf.h"
#include "thread_walk.bpf.h"

ESTAT_MODULE(nfs_by_client, 11);
ESTAT_NEEDS("nfsd", "/sys/module/nfsd");
ESTAT_EVIDENCE("/proc/net/rpc/nfsd", "^io ");

struct key {
	estat_ip_t client;
	char version[4];
	enum op op;
	enum how how;
};

struct export_key {
	estat_name_t export;
	estat_ip_t client;
	enum op op;
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_SERIES(nfs_by_client, 0, struct key, struct value, 512,
	     "The same reads and writes as estat.nfs, by the client's address and\n"
	     "with the same latency. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(nfs_by_client);
ESTAT_LAYOUT(nfs_by_client, "rows {version:2}/{op}/{how}, {client}");

ESTAT_SERIES(export, 1, struct export_key, struct value, 512,
	     "The same reads and writes as estat.nfs, by the export's path in the server's mount\n"
	     "namespace and the client's address. Not counted: operations that failed before the\n"
	     "server had opened the file. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(export);

static __always_inline void set_client(estat_ip_t *client, struct svc_rqst *rqstp)
{
	estat_ip_of(client, (const char *)__builtin_preserve_access_index(&rqstp->rq_addr));
}

static __always_inline void nfs_operation_moved(struct nfs_request *r, struct svc_export *export)
{
	r->export = export_id(export);
}

/*
 * A read or write fails after the server has opened the file: note the file's export in the
 * thread's request.
 */
static __noinline int fails(struct svc_fh *fh)
{
	struct nfs_request *r = requests_find();

	if (r && fh)
		r->export = export_id(fh->fh_export);
	return 0;
}

ESTAT_RUN(SEC("tp_btf/nfsd_read_err") int nfs_by_client_read_fails(__u64 *ctx),
	  fails((struct svc_fh *)ctx[1]));
ESTAT_RUN(SEC("tp_btf/nfsd_write_err") int nfs_by_client_write_fails(__u64 *ctx),
	  fails((struct svc_fh *)ctx[1]));

static __noinline int count_by_version(struct nfs_request *r, const struct done *d, enum op op)
{
	struct key key = { .op = op, .how = how_of(r, d, op) };

	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	set_client(&key.client, r->rqstp);
	nfs_by_client_count_io((struct estat_io *)nfs_by_client_get(&key), &key, d->ns, r->bytes,
			       d->status);
	return 0;
}

static __noinline int count_by_export(struct nfs_request *r, const struct done *d, enum op op)
{
	struct export_key key = {};

	key.export = r->export;
	key.op = op;
	set_client(&key.client, r->rqstp);
	export_count_io((struct estat_io *)export_get(&key), &key, d->ns, r->bytes, d->status);
	return 0;
}

static __noinline int nfs_operation_ended(struct nfs_request *r, const struct done *d)
{
	enum op op;

	if (!is_io(d->procedure, &op))
		return 0;
	count_by_version(r, d, op);
	return r->export ? count_by_export(r, d, op) : 0;
}

static __always_inline int nfs_compound_ended(struct nfs_request *r, const struct done *d)
{
	return 0;
}

static __always_inline int nfs_request_taken(struct nfs_request *r, const struct done *d)
{
	return 0;
}

ESTAT_FOUND(nfs_by_client, struct key)
ESTAT_FOUND(export, struct export_key)

/* The export of a read or write that is under way; NULL: the server has not found the file yet. */
static __always_inline struct svc_export *export_under_way(const struct nfs_request *r)
{
	void *results = r->results;

	if (is_compound(r))
		return BPF_CORE_READ((struct nfsd4_compoundres *)results,
				     cstate.current_fh.fh_export);
	return BPF_CORE_READ((struct nfsd3_readres *)results, fh.fh_export);
}

static __noinline int found_by_export(const struct nfs_request *r, enum op op, __u64 walk)
{
	struct svc_export *export = export_under_way(r);
	struct export_key key = {};

	if (!export)
		return 0;
	key.export = export_id(export);
	key.op = op;
	set_client(&key.client, r->rqstp);
	return export_found(&key, r->op_began, walk);
}

static __always_inline int nfs_operation_found(const struct nfs_request *r, const struct done *d,
					       __u64 walk)
{
	struct key key = {};
	int flags;

	if (!is_io(d->procedure, &key.op))
		return 0;
	flags = found_by_export(r, key.op, walk);
	__builtin_memcpy(key.version, d->version, sizeof(key.version));
	set_client(&key.client, r->rqstp);
	return flags | nfs_by_client_found(&key, r->op_began, walk);
}

static __always_inline int nfs_compound_found(const struct nfs_request *r, const struct done *d,
					      __u64 walk)
{
	return 0;
}

static __always_inline int nfs_threads_found(__u64 walk)
{
	return 0;
}
