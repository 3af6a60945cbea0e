// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nfs_client: the RPCs of this host's NFS mounts, by server, export and operation. When one has
 * ended the kernel adds its times and bytes to what /proc/self/mountstats has, and passes the
 * tracepoint with the times (net/sunrpc/stats.c, rpc_count_iostats_metrics, Linux 5.15 to 7.3):
 *
 *	tk_start -- backlog --> rq_xtime -- round_trip (rq_rtt) --> reply ... ended
 *	         ------------------------ estat.nfs_client ----------------->
 *
 * An RPC has no export. That is found by its rpc_clnt, of which each mounted file system has one
 * of its own (struct nfs_server), and kept until the kernel frees it.
 */
#include <linux/nfs.h>
#include <linux/socket.h>

#include "ip.bpf.h"
#include "vfs/mounted.bpf.h"

ESTAT_MODULE(nfs_client, 24);
/* sunrpc is what the probes hold, but that nfs does anyway. */
ESTAT_NEEDS("nfs", "/proc/fs/nfsfs");
ESTAT_EVIDENCE("/proc/net/rpc/nfs", "^rpc ");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/sunrpc/clnt.h */
struct rpc_procinfo {
	__u32 p_statidx; /* which operation it is, in a version of NFS */
	const char *p_name;
};

struct rpc_clnt {
	__u32 cl_prog;
	__u32 cl_vers;
};

/* include/linux/sunrpc/xprt.h */
struct rpc_xprt {
	struct __kernel_sockaddr_storage addr; /* the server's */
};

struct rpc_rqst {
	struct rpc_xprt *rq_xprt;
	__u64 rq_xmit_bytes_sent;
	__u64 rq_reply_bytes_recvd;
	int rq_ntrans; /* how often it was sent */
};

/* include/linux/sunrpc/sched.h */
struct rpc_message {
	struct rpc_procinfo *rpc_proc;
};

struct rpc_task {
	int tk_status;
	struct rpc_message tk_msg;
	struct rpc_clnt *tk_client;
	struct rpc_rqst *tk_rqstp;
	unsigned short tk_timeouts;
};

/* include/linux/nfs_fs_sb.h */
struct nfs_server {
	struct rpc_clnt *client;
};
#pragma clang attribute pop

struct key {
	estat_ip_t server;
	estat_name_t export;
	estat_name_t op;
};

struct value {
	struct estat_io;
	struct estat_latency backlog ESTAT_GROUP(
		1,
		"From the RPC's begin to its being sent for the last time: the wait for a slot of\n"
		"the session or of the transport, for a connection, and for the socket");
	struct estat_latency round_trip ESTAT_GROUP(
		2, "From the RPC's being sent for the last time to its reply: the network and the\n"
		   "server");
	estat_count_t retransmissions ESTAT_FIELD(17, "Number of times that one was sent again");
	estat_count_t timeouts ESTAT_FIELD(18, "Number of times that a reply took too long");
};

ESTAT_SERIES(
	nfs_client, 0, struct key, struct value, 256,
	"An RPC of the NFS client, from its begin to its end (tracepoint rpc_stats_latency:\n"
	"execute), by the address of the server, the path that is mounted from there, and the\n"
	"procedure of NFSv3, or of NFSv4 the operation that the compound is for. Bytes are those\n"
	"on the wire, sent and received. What ended with an error, as that there is no such\n"
	"file, counts only in errors. The export is none where there is no file system: for what\n"
	"keeps the client's state, and of a mount until it is complete; or where the kernel does\n"
	"not tell where it has its file systems (KALLSYMS_ALL). Paths that were mounted from one\n"
	"file system of the server share its RPCs: the first that was mounted has them as long\n"
	"as any is. Not in it: what the page cache has, and LOCALIO of a server on the same\n"
	"host. Linux 5.15 or newer");
ESTAT_OTHERS(nfs_client);
ESTAT_LAYER(nfs_client, 230, "vfs");

/* All NFS file systems of this host: by the types that fs/nfs/fs_context.c has. */
ESTAT_ADDRESS(nfs_fs_type);
ESTAT_ADDRESS(nfs4_fs_type);

/* How many of a type to look at. */
#define SUPERS 512

/*
 * When to look again for a file system that was not found, nanoseconds: it comes after the first
 * RPCs of its mount, and those to a data server of pNFS have none.
 */
#define LOOK_NS 1000000

/* The export of an rpc_clnt. */
struct known {
	__u64 export; /* 0: none */
	__u64 looked; /* when that was found out */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct known);
} clients SEC(".maps");

/* The file system, of a type, that has this rpc_clnt; or NULL. */
static __always_inline struct super_block *find_super(__u64 type, __u64 client)
{
	struct file_system_type *t = (struct file_system_type *)type;
	struct hlist_node *node = type ? BPF_CORE_READ(t, fs_supers.first) : NULL;
	struct nfs_server *server;
	struct super_block *sb;

	for (int i = 0; i < SUPERS && node; i++) {
		sb = (void *)node - bpf_core_field_offset(struct super_block, s_instances);
		server = BPF_CORE_READ(sb, s_fs_info);
		if (server && (__u64)BPF_CORE_READ(server, client) == client)
			return sb;
		node = BPF_CORE_READ(node, next);
	}
	return NULL;
}

/*
 * Find an rpc_clnt's export, and note its path under an id that is made of that. It is not
 * static, so that it is verified alone and not with all that comes before a call.
 */
__noinline int nfs_client_look(__u64 client)
{
	struct super_block *sb = find_super(estat_address_nfs4_fs_type, client);
	struct known known = { .looked = bpf_ktime_get_ns() };
	struct estat_name name = {};
	const char *device;
	__u32 at = 0;

	if (!sb)
		sb = find_super(estat_address_nfs_fs_type, client);
	device = sb ? mounted_source(sb) : NULL;
	if (device && bpf_probe_read_kernel_str(name.text, sizeof(name.text), device) > 0) {
		/* an address of IPv6 has colons, too, but none before a slash */
		for (__u32 i = 0; i < sizeof(name.text) - 1; i++)
			if (name.text[i] == ':' && name.text[i + 1] == '/') {
				at = i + 1;
				break;
			}
		__builtin_memset(name.text, 0, sizeof(name.text));
		bpf_probe_read_kernel_str(name.text, sizeof(name.text), device + at);
		known.export = ESTAT_NAME_HASH;
		for (__u32 i = 0; i < sizeof(name.text); i++)
			known.export = estat_name_hash(known.export, name.text[i]);
		known.export |= 1ULL << 63; /* no operation has such an id */
		estat_name_as(known.export, &name);
	}
	bpf_map_update_elem(&clients, &client, &known, BPF_ANY);
	return 0;
}

static __always_inline __u64 export_of(__u64 client)
{
	struct known *known = bpf_map_lookup_elem(&clients, &client);

	if (!known || (!known->export && bpf_ktime_get_ns() - known->looked > LOOK_NS)) {
		nfs_client_look(client);
		known = bpf_map_lookup_elem(&clients, &client);
	}
	return known ? known->export : 0;
}

/* The kernel lets go of one; there will be another one in its place. */
SEC("tp_btf/rpc_clnt_free")
int nfs_client_gone(__u64 *ctx)
{
	__u64 client = ctx[0];

	bpf_map_delete_elem(&clients, &client);
	return 0;
}

/* An operation's name, as everywhere in lower case; and none, of no export. */
static __noinline int name_op(__u64 id, const char *text)
{
	struct estat_name name = {};

	estat_name_as(0, &name);
	if (!text || bpf_probe_read_kernel_str(name.text, 32, text) <= 0)
		__builtin_memcpy(name.text, "null", 5); /* as the kernel's rpcproc_null */
	for (int i = 0; i < 32; i++)
		if (name.text[i] >= 'A' && name.text[i] <= 'Z')
			name.text[i] += 'a' - 'A';
	estat_name_as(id, &name);
	return 0;
}

SEC("tp_btf/rpc_stats_latency")
int nfs_client_ends(__u64 *ctx)
{
	struct rpc_task *task = (struct rpc_task *)ctx[0];
	struct rpc_procinfo *procedure;
	struct rpc_clnt *client;
	struct rpc_rqst *rq;
	struct rpc_xprt *xprt;
	struct key key = {};
	struct value *v;
	__u64 bytes;
	int sent;

	if (!task)
		return 0;
	client = BPF_CORE_READ(task, tk_client);
	if (BPF_CORE_READ(client, cl_prog) != NFS_PROGRAM)
		return 0;
	rq = BPF_CORE_READ(task, tk_rqstp);
	xprt = BPF_CORE_READ(rq, rq_xprt);
	procedure = BPF_CORE_READ(task, tk_msg.rpc_proc);
	estat_ip_of(&key.server, (const char *)__builtin_preserve_access_index(&xprt->addr));
	key.export = export_of((__u64)client);
	key.op = (__u64)BPF_CORE_READ(client, cl_vers) << 32 | BPF_CORE_READ(procedure, p_statidx);
	v = nfs_client_find(&key);
	if (!v) {
		if (!nfs_client_state.full)
			name_op(key.op, BPF_CORE_READ(procedure, p_name));
		v = nfs_client_insert(&key);
	}
	if (!v)
		return 0;
	sent = BPF_CORE_READ(rq, rq_ntrans);
	if (sent > 1)
		estat_add(v->retransmissions, sent - 1);
	estat_add(v->timeouts, BPF_CORE_READ(task, tk_timeouts));
	bytes = BPF_CORE_READ(rq, rq_xmit_bytes_sent) + BPF_CORE_READ(rq, rq_reply_bytes_recvd);
	if (BPF_CORE_READ(task, tk_status) < 0) {
		estat_add(v->errors, 1);
		return 0;
	}
	nfs_client_count_io((struct estat_io *)v, &key, ctx[3], bytes, false);
	estat_count_latency(&v->backlog, ctx[1]);
	estat_count_latency(&v->round_trip, ctx[2]);
	return 0;
}
