/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NFS server's requests and operations, for the modules nfs and nfs_by_client. One thread of
 * the server runs a request from begin to end, and the operations of an NFSv4 compound one after
 * the other. Tracepoints:
 *
 *	svc_process		a request begins: a call of a procedure
 *	  nfsd_compound		NFSv4: the first operation begins
 *	  nfsd_compound_status	NFSv4: an operation ends, and the next begins
 *	    nfsd_read_io_done, nfsd_write_io_done	bytes were read, written
 *	svc_stats_latency	the request ends: the thread is about to send the reply
 *	svc_drop		the request ends without a reply
 *
 * Newer verifiers assume that an argument of a kernel module's tracepoint can be NULL
 * (btf_ctx_access() in kernel/bpf/btf.c), so the BPF programs check for NULL.
 */
#ifndef ESTAT_MODULES_NFS_NFS_H
#define ESTAT_MODULES_NFS_NFS_H

#include <linux/in.h>
#include <linux/nfs.h>

#include <bpf/bpf_endian.h>

#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "probe.bpf.h"
#include "protocol.bpf.h"
#include "thread.bpf.h"
#include "types.bpf.h"
#include "zfs/types.bpf.h"

#define NFSEXP_ASYNC    0x10       /* from include/uapi/linux/nfsd/export.h */
#define ZFS_SUPER_MAGIC 0x2fc12fc1 /* from ZFS's include/sys/fs/zfs.h */

/* NFSv4 has two procedures: NULL (0), and COMPOUND, which consists of operations. */
#define NFSPROC4_COMPOUND 1

enum op {
	op_read,
	op_write,
};

enum how {
	how_unknown,
	how_cached,   /* reads that did not wait for the server's disks */
	how_uncached, /* reads that waited for a disk or, on ZFS, for data missing in the ARC */
	how_sync,     /* writes that waited until the data was on the server's disks */
	how_async,    /* writes that did not wait until the data was on the server's disks */
};

/* The request that a thread runs. */
struct nfs_request {
	/*
	 * set only by the module nfs: when the last byte arrived that the thread has read by TCP
	 * since its latest request began; 0: it has read none; ~0: not known
	 */
	__u64 arrived;
	__u64 began;  /* when the request began; 0: the thread runs no request */
	__u64 queued; /* ns from `arrived` to `began`; set only by the module nfs; 0: not known */
	struct svc_rqst *rqstp;
	__u32 version; /* of NFS: 2, 3 or 4 */
	__u32 proc;    /* the procedure's number in that version */
	void *args;    /* the procedure's arguments */
	void *results;
	__u32 ended; /* how many of a compound's operations have ended */
	/* The members below belong to the operation, or to an NFSv2 or v3 request as a whole. */
	__u64 export; /* the id of the export, for nfs_by_client; 0: none */
	__u64 op_began;
	__u64 bytes;     /* bytes read or written */
	bool moved;      /* the operation has read or written, even if only 0 bytes */
	bool waited;     /* the thread waited for a device */
	bool missed;     /* ZFS's ARC lacked data that the thread read; see also nfs_arc_miss */
	bool committing; /* zil_commit was called */
	bool commits;    /* zil_commit did not return at once */
	bool on_zfs;
	bool async; /* the export has the option async */
};

/*
 * A request or an operation that has just ended. A walk uses the struct for one that is under way,
 * and sets only `version` and `procedure`. nfs_request_taken() gets only `version` and `ns`.
 */
struct done {
	char version[4]; /* "v3", "v4.1" */
	enum procedure procedure;
	enum status status;
	__u32 stable; /* of a write, the stability that the client asked for; 0: UNSTABLE4 */
	__u64 ns;
};

ESTAT_INFLIGHT(requests, THREAD, struct nfs_request);

/* The module that includes this file defines the following four functions. */

/* An operation, or a request of NFSv2 or v3, has ended. */
static int nfs_operation_ended(struct nfs_request *r, const struct done *d);
/* A compound has ended. */
static int nfs_compound_ended(struct nfs_request *r, const struct done *d);
/*
 * A thread has taken a request that came by TCP. d->ns: how long ago the request arrived; without
 * meaning if r->arrived is ~0.
 */
static int nfs_request_taken(struct nfs_request *r, const struct done *d);
/* An operation has read or written data of a file in `export`. */
static void nfs_operation_moved(struct nfs_request *r, struct svc_export *export);

/*
 * The modules also work without ZFS. Without ZFS, or if the loaded ZFS lacks a function, the
 * function's address, by ESTAT_ADDRESS, is 0.
 */
ESTAT_ALSO("zfs");
ESTAT_OPTIONAL("", trace_zfs_arc__miss);
ESTAT_OPTIONAL("", trace_zfs_blocked__read);
ESTAT_OPTIONAL("", zil_commit);
ESTAT_OPTIONAL("", zil_commit_flags);
ESTAT_OPTIONAL("", zil_itx_assign);
ESTAT_OPTIONAL("", txg_wait_synced);
ESTAT_OPTIONAL("", txg_wait_synced_flags);
ESTAT_ADDRESS(trace_zfs_arc__miss);
ESTAT_ADDRESS(trace_zfs_blocked__read);
ESTAT_ADDRESS(zil_commit);
ESTAT_ADDRESS(zil_itx_assign);

static __always_inline bool is_compound(const struct nfs_request *r)
{
	return r->version == 4 && r->proc == NFSPROC4_COMPOUND;
}

/* Set the version without the minor version, which is known only after decoding. */
static __always_inline void set_major_version(struct done *d, const struct nfs_request *r)
{
	d->version[0] = 'v';
	d->version[1] = '0' + r->version;
}

static __always_inline void set_version(struct done *d, const struct nfs_request *r)
{
	struct nfsd4_compoundargs *args = r->args;
	__u32 minor;

	set_major_version(d, r);
	if (is_compound(r)) {
		minor = BPF_CORE_READ(args, minorversion);
		d->version[2] = '.';
		d->version[3] = minor <= 9 ? '0' + minor : 'x'; /* clients can send any number */
	}
}

static __always_inline void nfs_begin(struct nfs_request *r, __u64 now)
{
	r->op_began = now;
	r->bytes = 0;
	r->export = 0;
	r->moved = r->waited = r->missed = r->on_zfs = r->async = false;
	r->committing = r->commits = false;
}

/* Is the procedure a read or a write? If so, *op tells which; else *op is op_read. */
static __always_inline bool is_io(enum procedure procedure, enum op *op)
{
	*op = procedure == procedure_write ? op_write : op_read;
	return procedure == procedure_write || procedure == procedure_read ||
	       procedure == procedure_read_plus;
}

static __always_inline enum how how_of(const struct nfs_request *r, const struct done *d,
				       enum op op)
{
	if (!r->moved)
		return how_unknown;
	if (op == op_read) {
		if (r->waited || r->missed)
			return how_uncached;
		if (r->on_zfs &&
		    !(estat_address_trace_zfs_arc__miss && estat_address_trace_zfs_blocked__read))
			return how_unknown;
		return how_cached;
	}
	if (r->on_zfs) {
		if (!(estat_address_zil_commit && estat_address_zil_itx_assign))
			return how_unknown;
		return r->commits ? how_sync : how_async;
	}
	return d->stable && !r->async ? how_sync : how_async;
}

/*
 * Is this the request that the thread has read last from TCP? Only then r->arrived is the time of
 * this request. A thread can read a part of a request, or the reply to a callback
 * (svc_tcp_recvfrom() in net/sunrpc/svcsock.c, Linux 5.15 to 7.3). Then the thread can take a
 * request that came by RDMA or UDP, or a request that was read earlier and deferred
 * (svc_deferred_recv() in net/sunrpc/svc_xprt.c).
 */
static __always_inline bool has_come_by_tcp(struct svc_rqst *rqstp)
{
	return rqstp->rq_prot == IPPROTO_TCP && !rqstp->rq_deferred;
}

SEC("tp_btf/svc_process")
int nfs_request_begins(__u64 *ctx)
{
	struct svc_rqst *rqstp = (struct svc_rqst *)ctx[0];
	struct nfs_request *r;
	struct done d = {};
	__u64 now;

	if (!rqstp || rqstp->rq_prog != NFS_PROGRAM)
		return 0;
	r = requests_begin();
	if (!r)
		return 0;
	now = r->began;
	r->rqstp = rqstp;
	r->version = rqstp->rq_vers;
	r->proc = rqstp->rq_proc;
	r->args = rqstp->rq_argp;
	r->results = rqstp->rq_resp;
	r->ended = 0;
	r->queued = 0;
	nfs_begin(r, now);
	if (estat_since_attach(r->arrived) && has_come_by_tcp(rqstp)) {
		d.ns = now - r->arrived;
		set_major_version(&d, r);
		nfs_request_taken(r, &d);
	}
	r->arrived = 0;
	return 0;
}

static __noinline int request_ends(bool dropped)
{
	struct nfs_request *r = requests_find();
	struct nfsd3_writeargs *write;
	struct done d = {};
	__u32 status = 0;

	if (!r)
		return 0;
	d.ns = bpf_ktime_get_ns() - r->began;
	set_version(&d, r);
	d.procedure = procedure_of(r->version, r->proc);
	if (d.procedure == procedure_write) {
		write = r->args;
		d.stable = r->version == 3 ? BPF_CORE_READ(write, stable) : 1;
	}
	if (is_compound(r)) {
		d.status = dropped ? status_dropped : 0;
		nfs_compound_ended(r, &d);
	} else {
		if (d.procedure != procedure_null)
			bpf_probe_read_kernel(&status, sizeof(status), r->results);
		d.status = dropped ? status_dropped : bpf_ntohl(status);
		nfs_operation_ended(r, &d);
	}
	requests_free(r);
	return 0;
}

ESTAT_RUN(SEC("tp_btf/svc_stats_latency") int nfs_request_ends(__u64 *ctx), request_ends(false));
ESTAT_RUN(SEC("tp_btf/svc_drop") int nfs_request_dropped(__u64 *ctx), request_ends(true));

SEC("tp_btf/nfsd_compound")
int nfs_compound_begins(__u64 *ctx)
{
	struct nfs_request *r = requests_find();

	if (r)
		nfs_begin(r, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/nfsd_compound_status")
int nfs_operation_ends(__u64 *ctx)
{
	struct nfs_request *r = requests_find();
	struct nfsd4_compoundargs *args;
	__u32 number = ctx[1];
	struct done d = {};
	struct nfsd4_op *op;
	__u64 now;

	if (!r || !number)
		return 0;
	now = bpf_ktime_get_ns();
	args = r->args;
	op = (void *)BPF_CORE_READ(args, ops) + (number - 1) * bpf_core_type_size(struct nfsd4_op);
	set_version(&d, r);
	d.procedure = BPF_CORE_READ(op, opnum);
	d.status = bpf_ntohl((__u32)ctx[2]);
	if (d.procedure == procedure_write)
		d.stable = BPF_CORE_READ(op, u.write.wr_stable_how);
	d.ns = now - r->op_began;
	nfs_operation_ended(r, &d);
	r->ended = number;
	nfs_begin(r, now);
	return 0;
}

/*
 * nfsd has read or written `bytes` in the file of handle `fh`: add these bytes to the thread's
 * request, and note whether the export has the option async, and whether the file is on ZFS.
 */
static __noinline int nfs_moved(struct svc_fh *fh, __u64 bytes)
{
	struct nfs_request *r = requests_find();
	struct svc_export *export;

	if (!r || !fh)
		return 0;
	export = fh->fh_export;
	r->moved = true;
	r->bytes += bytes;
	r->on_zfs = fh->fh_dentry->d_sb->s_magic == ZFS_SUPER_MAGIC;
	r->async = export->ex_flags & NFSEXP_ASYNC;
	nfs_operation_moved(r, export);
	return 0;
}

ESTAT_RUN(SEC("tp_btf/nfsd_read_io_done") int nfs_read_moved(__u64 *ctx),
	  nfs_moved((struct svc_fh *)ctx[1], ctx[3]));
ESTAT_RUN(SEC("tp_btf/nfsd_write_io_done") int nfs_write_moved(__u64 *ctx),
	  nfs_moved((struct svc_fh *)ctx[1], ctx[3]));

/* Does a prefetch read the block into the ARC? */
static __always_inline bool is_prefetch(const struct arc_buf_hdr *hdr)
{
	return BPF_CORE_READ(hdr, b_flags) & bpf_core_enum_value(enum arc_flags, ARC_FLAG_PREFETCH);
}

/* If the thread has a request, and CONDITION is true: set the request's bool MEMBER to true. */
#define NFS_SET(MEMBER, CONDITION)                       \
	({                                               \
		struct nfs_request *r = requests_find(); \
                                                         \
		if (r && (CONDITION))                    \
			r->MEMBER = true;                \
		0;                                       \
	})

/* A call of io_schedule or io_schedule_timeout counts as a wait for a device. */
ESTAT_RUN(ESTAT_ENTRY(nfs_thread_waits, io_schedule, 0), NFS_SET(waited, true));
ESTAT_RUN(ESTAT_ENTRY(nfs_thread_waits_a_while, io_schedule_timeout, 0), NFS_SET(waited, true));

/*
 * A thread that reads in sequence also starts prefetches, whose misses do not delay the read. While
 * zfs.ko has no BTF, nothing tells them from the misses of the read itself, and all misses count.
 */
ESTAT_RUN(ESTAT_ENTRY(nfs_arc_miss, trace_zfs_arc__miss, 1),
	  NFS_SET(missed, !is_prefetch((struct arc_buf_hdr *)call->arg[0])));
ESTAT_RUN(ESTAT_ENTRY(nfs_arc_miss_untyped, trace_zfs_arc__miss, 0),
	  NFS_SET(missed, !bpf_core_type_exists(struct arc_buf_hdr)));
ESTAT_RUN(ESTAT_ENTRY(nfs_blocked_read, trace_zfs_blocked__read, 0), NFS_SET(missed, true));

/*
 * zfs_write ends with zil_commit if the write must be stable. With sync=disabled zil_commit returns
 * at once (module/zfs/zil.c, OpenZFS 2.1 to 2.4); else zil_commit queues a record (zil_itx_assign)
 * or, while the log is suspended or after the log has failed, waits for a txg. So a write has
 * committed if zil_itx_assign or txg_wait_synced follows zil_commit. To read zilog.zl_sync instead
 * would need the BTF of zfs.ko, which not every host has.
 */
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_commit, zil_commit, 0), NFS_SET(committing, true));

/* OpenZFS has zil_commit_flags since 2.4; zil_commit and other functions call it. */
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_commit_flags, zil_commit_flags, 0), NFS_SET(committing, true));
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_record, zil_itx_assign, 0), NFS_SET(commits, r->committing));
ESTAT_RUN(ESTAT_ENTRY(nfs_txg_wait, txg_wait_synced, 0), NFS_SET(commits, r->committing));

/* OpenZFS has txg_wait_synced_flags since 2.3.3; zil_commit_flags calls it since 2.4. */
ESTAT_RUN(ESTAT_ENTRY(nfs_txg_wait_flags, txg_wait_synced_flags, 0),
	  NFS_SET(commits, r->committing));

#endif /* ESTAT_MODULES_NFS_NFS_H */
