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
 * Newer kernels' verifiers assume that a tracepoint's argument can be NULL: the BPF programs check.
 */
#ifndef ESTAT_MODULES_NFS_NFS_H
#define ESTAT_MODULES_NFS_NFS_H

#include <linux/in.h>
#include <linux/nfs.h>

#include <bpf/bpf_endian.h>

#include "aggregate.bpf.h"
#include "probe.bpf.h"
#include "thread.bpf.h"
#include "types.bpf.h"

#define NFSEXP_ASYNC    0x10       /* include/uapi/linux/nfsd/export.h */
#define ZFS_SUPER_MAGIC 0x2fc12fc1 /* include/sys/fs/zfs.h */

/* NFSv4 has two procedures: NULL, and COMPOUND, which has operations. */
#define NFSPROC4_COMPOUND 1

/* NFSv4's operations (RFC 7862, RFC 8276). From 128 on: procedures that only NFSv2 or 3 has. */
enum procedure {
	procedure_access = 3,
	procedure_close = 4,
	procedure_commit = 5,
	procedure_create = 6,
	procedure_delegpurge = 7,
	procedure_delegreturn = 8,
	procedure_getattr = 9,
	procedure_getfh = 10,
	procedure_link = 11,
	procedure_lock = 12,
	procedure_lockt = 13,
	procedure_locku = 14,
	procedure_lookup = 15,
	procedure_lookupp = 16,
	procedure_nverify = 17,
	procedure_open = 18,
	procedure_openattr = 19,
	procedure_open_confirm = 20,
	procedure_open_downgrade = 21,
	procedure_putfh = 22,
	procedure_putpubfh = 23,
	procedure_putrootfh = 24,
	procedure_read = 25,
	procedure_readdir = 26,
	procedure_readlink = 27,
	procedure_remove = 28,
	procedure_rename = 29,
	procedure_renew = 30,
	procedure_restorefh = 31,
	procedure_savefh = 32,
	procedure_secinfo = 33,
	procedure_setattr = 34,
	procedure_setclientid = 35,
	procedure_setclientid_confirm = 36,
	procedure_verify = 37,
	procedure_write = 38,
	procedure_release_lockowner = 39,
	procedure_backchannel_ctl = 40,
	procedure_bind_conn_to_session = 41,
	procedure_exchange_id = 42,
	procedure_create_session = 43,
	procedure_destroy_session = 44,
	procedure_free_stateid = 45,
	procedure_get_dir_delegation = 46,
	procedure_getdeviceinfo = 47,
	procedure_getdevicelist = 48,
	procedure_layoutcommit = 49,
	procedure_layoutget = 50,
	procedure_layoutreturn = 51,
	procedure_secinfo_no_name = 52,
	procedure_sequence = 53,
	procedure_set_ssv = 54,
	procedure_test_stateid = 55,
	procedure_want_delegation = 56,
	procedure_destroy_clientid = 57,
	procedure_reclaim_complete = 58,
	procedure_allocate = 59,
	procedure_copy = 60,
	procedure_copy_notify = 61,
	procedure_deallocate = 62,
	procedure_io_advise = 63,
	procedure_layouterror = 64,
	procedure_layoutstats = 65,
	procedure_offload_cancel = 66,
	procedure_offload_status = 67,
	procedure_read_plus = 68,
	procedure_seek = 69,
	procedure_write_same = 70,
	procedure_clone = 71,
	procedure_getxattr = 72,
	procedure_setxattr = 73,
	procedure_listxattrs = 74,
	procedure_removexattr = 75,

	procedure_null = 128,
	procedure_mkdir,
	procedure_mknod,
	procedure_rmdir,
	procedure_symlink,
	procedure_readdirplus,
	procedure_fsstat,
	procedure_fsinfo,
	procedure_pathconf,
	procedure_root,
	procedure_writecache,
	procedure_statfs,

	procedure_illegal = 10044,
};

/* NFS's status codes (RFC 1813, 7530, 8881, 7862, 8276). */
enum status {
	status_perm = 1,
	status_noent = 2,
	status_io = 5,
	status_nxio = 6,
	status_acces = 13,
	status_exist = 17,
	status_xdev = 18,
	status_nodev = 19,
	status_notdir = 20,
	status_isdir = 21,
	status_inval = 22,
	status_fbig = 27,
	status_nospc = 28,
	status_rofs = 30,
	status_mlink = 31,
	status_nametoolong = 63,
	status_notempty = 66,
	status_dquot = 69,
	status_stale = 70,
	status_remote = 71,
	status_wflush = 99,
	status_badhandle = 10001,
	status_not_sync = 10002,
	status_bad_cookie = 10003,
	status_notsupp = 10004,
	status_toosmall = 10005,
	status_serverfault = 10006,
	status_badtype = 10007,
	status_delay = 10008,
	status_same = 10009,
	status_denied = 10010,
	status_expired = 10011,
	status_locked = 10012,
	status_grace = 10013,
	status_fhexpired = 10014,
	status_share_denied = 10015,
	status_wrongsec = 10016,
	status_clid_inuse = 10017,
	status_resource = 10018,
	status_moved = 10019,
	status_nofilehandle = 10020,
	status_minor_vers_mismatch = 10021,
	status_stale_clientid = 10022,
	status_stale_stateid = 10023,
	status_old_stateid = 10024,
	status_bad_stateid = 10025,
	status_bad_seqid = 10026,
	status_not_same = 10027,
	status_lock_range = 10028,
	status_symlink = 10029,
	status_restorefh = 10030,
	status_lease_moved = 10031,
	status_attrnotsupp = 10032,
	status_no_grace = 10033,
	status_reclaim_bad = 10034,
	status_reclaim_conflict = 10035,
	status_badxdr = 10036,
	status_locks_held = 10037,
	status_openmode = 10038,
	status_badowner = 10039,
	status_badchar = 10040,
	status_badname = 10041,
	status_bad_range = 10042,
	status_lock_notsupp = 10043,
	status_op_illegal = 10044,
	status_deadlock = 10045,
	status_file_open = 10046,
	status_admin_revoked = 10047,
	status_cb_path_down = 10048,
	status_badiomode = 10049,
	status_badlayout = 10050,
	status_bad_session_digest = 10051,
	status_badsession = 10052,
	status_badslot = 10053,
	status_complete_already = 10054,
	status_conn_not_bound_to_session = 10055,
	status_deleg_already_wanted = 10056,
	status_back_chan_busy = 10057,
	status_layouttrylater = 10058,
	status_layoutunavailable = 10059,
	status_nomatching_layout = 10060,
	status_recallconflict = 10061,
	status_unknown_layouttype = 10062,
	status_seq_misordered = 10063,
	status_sequence_pos = 10064,
	status_req_too_big = 10065,
	status_rep_too_big = 10066,
	status_rep_too_big_to_cache = 10067,
	status_retry_uncached_rep = 10068,
	status_unsafe_compound = 10069,
	status_too_many_ops = 10070,
	status_op_not_in_session = 10071,
	status_hash_alg_unsupp = 10072,
	status_clientid_busy = 10074,
	status_pnfs_io_hole = 10075,
	status_seq_false_retry = 10076,
	status_bad_high_slot = 10077,
	status_deadsession = 10078,
	status_encr_alg_unsupp = 10079,
	status_pnfs_no_layout = 10080,
	status_not_only_op = 10081,
	status_wrong_cred = 10082,
	status_wrong_type = 10083,
	status_dirdeleg_unavail = 10084,
	status_reject_deleg = 10085,
	status_returnconflict = 10086,
	status_deleg_revoked = 10087,
	status_partner_notsupp = 10088,
	status_partner_no_auth = 10089,
	status_union_notsupp = 10090,
	status_offload_denied = 10091,
	status_wrong_lfs = 10092,
	status_badlabel = 10093,
	status_offload_no_reqs = 10094,
	status_noxattr = 10095,
	status_xattr2big = 10096,

	status_dropped = 0xffffffff, /* no reply: the client or the server will try again */
};

enum op {
	op_read,
	op_write,
};

enum how {
	how_unknown,
	how_cached,   /* reads that did not wait for the device */
	how_uncached, /* reads that waited for the device */
	how_sync,     /* writes that waited until the data was on the device */
	how_async,    /* writes that did not wait */
};

/* A thread's request under way. */
struct nfs_request {
	__u64 arrived;          /* when the thread's next or current request arrived; 0: unknown */
	struct svc_rqst *rqstp; /* NULL: no request under way */
	__u64 began;
	/* The members below are of a compound's operation, or of an NFSv2 or v3 request. */
	__u64 export; /* the id of the export, for nfs_by_client; 0: none */
	__u64 op_began;
	__u64 bytes;     /* bytes read or written */
	bool moved;      /* the operation has read or written, be it 0 bytes */
	bool waited;     /* the thread waited for a device */
	bool missed;     /* ZFS's ARC did not have the data, or not yet */
	bool committing; /* zil_commit was called */
	bool commits;    /* zil_commit did not return at once */
	bool on_zfs;
	bool async; /* the export has the option async */
};

/* A request or an operation that has just ended. */
struct done {
	char version[4]; /* "v3", "v4.1" */
	enum procedure procedure;
	enum status status;
	__u32 stable; /* how stable a write the client asked for; 0: unstable (UNSTABLE4) */
	__u64 ns;
};

ESTAT_PER_THREAD(requests, struct nfs_request);

/* The module that includes this file defines the following five functions. */

/* An operation, or a request of NFSv2 or v3, has ended. */
static int nfs_operation_ended(struct nfs_request *r, const struct done *d);
/* A compound has ended. */
static int nfs_compound_ended(struct nfs_request *r, const struct done *d);
/* A thread has taken a request; d->ns is the time since the request arrived. */
static int nfs_request_taken(struct nfs_request *r, const struct done *d);
/* An operation has read or written in an export. */
static void nfs_operation_moved(struct nfs_request *r, struct svc_export *export);
/* A request was missed. */
static __always_inline void count_missed(void);

/* ZFS may be loaded or not. An address of 0 says that ZFS, or the function in ZFS, is not there. */
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

static const __u16 v2_procedures[] = {
	procedure_null,    procedure_getattr,  procedure_setattr, procedure_root,
	procedure_lookup,  procedure_readlink, procedure_read,    procedure_writecache,
	procedure_write,   procedure_create,   procedure_remove,  procedure_rename,
	procedure_link,    procedure_symlink,  procedure_mkdir,   procedure_rmdir,
	procedure_readdir, procedure_statfs,
};

static const __u16 v3_procedures[] = {
	procedure_null,     procedure_getattr,     procedure_setattr, procedure_lookup,
	procedure_access,   procedure_readlink,    procedure_read,    procedure_write,
	procedure_create,   procedure_mkdir,       procedure_symlink, procedure_mknod,
	procedure_remove,   procedure_rmdir,       procedure_rename,  procedure_link,
	procedure_readdir,  procedure_readdirplus, procedure_fsstat,  procedure_fsinfo,
	procedure_pathconf, procedure_commit,
};

#define NFS_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static __always_inline enum procedure procedure_of(__u32 version, __u32 number)
{
	if (version == 2 && number < NFS_ELEMENTS(v2_procedures))
		return v2_procedures[number];
	if (version == 3 && number < NFS_ELEMENTS(v3_procedures))
		return v3_procedures[number];
	return number ? procedure_illegal : procedure_null;
}

static __always_inline bool is_compound(struct svc_rqst *rqstp)
{
	return BPF_CORE_READ(rqstp, rq_vers) == 4 &&
	       BPF_CORE_READ(rqstp, rq_proc) == NFSPROC4_COMPOUND;
}

/* Set the version without the minor version, which is known only after decoding. */
static __always_inline void set_major_version(struct done *d, struct svc_rqst *rqstp)
{
	d->version[0] = 'v';
	d->version[1] = '0' + BPF_CORE_READ(rqstp, rq_vers);
}

static __always_inline void set_version(struct done *d, struct svc_rqst *rqstp)
{
	struct nfsd4_compoundargs *args = BPF_CORE_READ(rqstp, rq_argp);
	__u32 minor;

	set_major_version(d, rqstp);
	if (is_compound(rqstp)) {
		minor = BPF_CORE_READ(args, minorversion);
		d->version[2] = '.';
		d->version[3] = minor <= 9 ? '0' + minor : 'x'; /* a client can send any number */
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

/* The thread's request; NULL: none, or it began before the probes were attached. */
static __always_inline struct nfs_request *this_request(void)
{
	struct nfs_request *r = requests_here();

	return r && r->rqstp && r->began > estat_attached ? r : NULL;
}

/* Is the procedure a read or a write? Sets *op. */
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
 * Is this request the last thing that the thread has read from TCP? A thread can read a part of
 * another request or the reply to a callback (svc_tcp_recvfrom() in net/sunrpc/svcsock.c, Linux
 * 5.15 to 7.3), and then take a request that came by RDMA or UDP, or that was read earlier and
 * deferred (svc_deferred_recv() in net/sunrpc/svc_xprt.c).
 */
static __always_inline bool has_come_by_tcp(struct svc_rqst *rqstp)
{
	return BPF_CORE_READ(rqstp, rq_prot) == IPPROTO_TCP && !BPF_CORE_READ(rqstp, rq_deferred);
}

SEC("tp_btf/svc_process")
int nfs_request_begins(__u64 *ctx)
{
	struct svc_rqst *rqstp = (struct svc_rqst *)ctx[0];
	struct nfs_request *r;
	struct done d = {};
	__u64 now;

	if (!rqstp || BPF_CORE_READ(rqstp, rq_prog) != NFS_PROGRAM)
		return 0;
	r = requests_make();
	if (!r) {
		count_missed();
		return 0;
	}
	now = bpf_ktime_get_ns();
	r->rqstp = rqstp;
	r->began = now;
	nfs_begin(r, now);
	if (r->arrived > estat_attached && has_come_by_tcp(rqstp)) {
		d.ns = now - r->arrived;
		set_major_version(&d, rqstp);
		nfs_request_taken(r, &d);
	}
	r->arrived = 0;
	return 0;
}

static __noinline int request_ends(struct svc_rqst *rqstp, bool dropped)
{
	struct nfs_request *r = this_request();
	struct nfsd3_writeargs *write;
	struct done d = {};
	void *args, *results;
	__u32 status = 0;

	if (!r || !rqstp)
		return 0;
	d.ns = bpf_ktime_get_ns() - r->began;
	set_version(&d, rqstp);
	results = BPF_CORE_READ(rqstp, rq_resp);
	args = BPF_CORE_READ(rqstp, rq_argp);
	d.procedure = procedure_of(BPF_CORE_READ(rqstp, rq_vers), BPF_CORE_READ(rqstp, rq_proc));
	if (d.procedure == procedure_write) {
		write = args;
		d.stable = 1;
		if (BPF_CORE_READ(rqstp, rq_vers) == 3)
			d.stable = BPF_CORE_READ(write, stable);
	}
	if (is_compound(rqstp)) {
		d.status = dropped ? status_dropped : 0;
		nfs_compound_ended(r, &d);
	} else {
		if (d.procedure != procedure_null)
			bpf_probe_read_kernel(&status, sizeof(status), results);
		d.status = dropped ? status_dropped : bpf_ntohl(status);
		nfs_operation_ended(r, &d);
	}
	r->rqstp = NULL;
	return 0;
}

ESTAT_RUN(SEC("tp_btf/svc_stats_latency") int nfs_request_ends(__u64 *ctx),
	  request_ends((struct svc_rqst *)ctx[0], false));
ESTAT_RUN(SEC("tp_btf/svc_drop") int nfs_request_dropped(__u64 *ctx),
	  request_ends((struct svc_rqst *)ctx[0], true));

SEC("tp_btf/nfsd_compound")
int nfs_compound_begins(__u64 *ctx)
{
	struct nfs_request *r = this_request();

	if (r)
		nfs_begin(r, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/nfsd_compound_status")
int nfs_operation_ends(__u64 *ctx)
{
	struct nfs_request *r = this_request();
	struct nfsd4_compoundargs *args;
	struct svc_rqst *rqstp;
	__u32 number = ctx[1];
	struct done d = {};
	struct nfsd4_op *op;
	__u64 now;

	if (!r || !number)
		return 0;
	now = bpf_ktime_get_ns();
	rqstp = r->rqstp;
	args = BPF_CORE_READ(rqstp, rq_argp);
	op = (void *)BPF_CORE_READ(args, ops) + (number - 1) * bpf_core_type_size(struct nfsd4_op);
	set_version(&d, rqstp);
	d.procedure = BPF_CORE_READ(op, opnum);
	d.status = bpf_ntohl((__u32)ctx[2]);
	d.stable = BPF_CORE_READ(op, u.write.wr_stable_how);
	d.ns = now - r->op_began;
	nfs_operation_ended(r, &d);
	nfs_begin(r, now);
	return 0;
}

/* `bytes` were read or written through a file handle. */
static __noinline int nfs_moved(struct svc_fh *fh, __u64 bytes)
{
	struct nfs_request *r = this_request();
	struct super_block *sb;
	struct svc_export *export;

	if (!r || !fh)
		return 0;
	sb = BPF_CORE_READ(fh, fh_dentry, d_sb);
	r->moved = true;
	r->bytes += bytes;
	r->on_zfs = BPF_CORE_READ(sb, s_magic) == ZFS_SUPER_MAGIC;
	export = BPF_CORE_READ(fh, fh_export);
	r->async = BPF_CORE_READ(export, ex_flags) & NFSEXP_ASYNC;
	nfs_operation_moved(r, export);
	return 0;
}

ESTAT_RUN(SEC("tp_btf/nfsd_read_io_done") int nfs_read_moved(__u64 *ctx),
	  nfs_moved((struct svc_fh *)ctx[1], ctx[3]));
ESTAT_RUN(SEC("tp_btf/nfsd_write_io_done") int nfs_write_moved(__u64 *ctx),
	  nfs_moved((struct svc_fh *)ctx[1], ctx[3]));

/* Set a member of the thread's request, if the thread has a request and CONDITION is true. */
#define NFS_SET(MEMBER, CONDITION)                      \
	({                                              \
		struct nfs_request *r = this_request(); \
                                                        \
		if (r && (CONDITION))                   \
			r->MEMBER = true;               \
		0;                                      \
	})

/* A thread waits for a device in io_schedule or io_schedule_timeout. */
ESTAT_RUN(ESTAT_ENTRY(nfs_thread_waits, io_schedule, 0), NFS_SET(waited, true));
ESTAT_RUN(ESTAT_ENTRY(nfs_thread_waits_a_while, io_schedule_timeout, 0), NFS_SET(waited, true));

ESTAT_RUN(ESTAT_ENTRY(nfs_arc_miss, trace_zfs_arc__miss, 0), NFS_SET(missed, true));
ESTAT_RUN(ESTAT_ENTRY(nfs_blocked_read, trace_zfs_blocked__read, 0), NFS_SET(missed, true));

/*
 * zfs_write ends with zil_commit if the write must be stable. With sync=disabled zil_commit returns
 * at once (module/zfs/zil.c, OpenZFS 2.1 to 2.4); else zil_commit queues a record (zil_itx_assign)
 * or, while the log is suspended, waits for a txg. So a commit shows in zil_itx_assign or
 * txg_wait_synced after zil_commit. Reading zilog.zl_sync instead would need zfs.ko's BTF as well
 * as nfsd.ko's, and the agent passes one kernel module's BTF to a BPF program.
 */
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_commit, zil_commit, 0), NFS_SET(committing, true));

/* OpenZFS has zil_commit_flags since 2.4, called by zil_commit and other functions. */
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_commit_flags, zil_commit_flags, 0), NFS_SET(committing, true));
ESTAT_RUN(ESTAT_ENTRY(nfs_zil_record, zil_itx_assign, 0), NFS_SET(commits, r->committing));
ESTAT_RUN(ESTAT_ENTRY(nfs_txg_wait, txg_wait_synced, 0), NFS_SET(commits, r->committing));

/* OpenZFS has txg_wait_synced_flags since 2.3.3, called by zil_commit_flags since 2.4. */
ESTAT_RUN(ESTAT_ENTRY(nfs_txg_wait_flags, txg_wait_synced_flags, 0),
	  NFS_SET(commits, r->committing));

#endif /* ESTAT_MODULES_NFS_NFS_H */
