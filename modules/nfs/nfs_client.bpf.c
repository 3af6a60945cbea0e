// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nfs_client: RPCs of this host's NFS mounts, by server, export and operation. At the end of an
 * RPC the kernel adds the RPC's times and bytes to /proc/self/mountstats, and calls the tracepoint
 * rpc_stats_latency with the times (rpc_count_iostats_metrics, net/sunrpc/stats.c, Linux 5.15 to
 * 7.3):
 *
 *	tk_start -- backlog --> rq_xtime -- round_trip (rq_rtt) --> reply ... ended
 *	         ------------------------ estat.nfs_client ----------------->
 *
 * An RPC does not name an export. The export is found by the RPC's rpc_clnt, because each mounted
 * file system has an rpc_clnt of its own (struct nfs_server). A map keeps the export until the
 * kernel frees the rpc_clnt.
 */
#include <linux/nfs.h>
#include <linux/nfs3.h>
#include <linux/socket.h>

#include "inflight.bpf.h"
#include "ip.bpf.h"
#include "rpc_types.bpf.h"
#include "vfs/mounted.bpf.h"

ESTAT_MODULE(nfs_client, 24);
/*
 * While the module is attached, the kernel module sunrpc cannot be unloaded. So the agent attaches
 * the module only while the kernel module nfs is loaded, which keeps sunrpc loaded anyway.
 */
ESTAT_NEEDS("nfs", "/proc/fs/nfsfs");
ESTAT_EVIDENCE("/proc/net/rpc/nfs", "^rpc ");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in include/linux/nfs_fs_sb.h */
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
		"From the begin of the RPC to its last transmission: the wait for a slot of the\n"
		"session or of the transport, for a connection, and for the socket");
	struct estat_latency round_trip ESTAT_GROUP(
		2, "From the last transmission of the RPC to the reply: the network and the\n"
		   "server");
	estat_count_t retransmissions ESTAT_FIELD(17, "Number of times that an RPC was sent again");
	estat_count_t timeouts ESTAT_FIELD(
		18,
		"Number of major timeouts of RPCs (timeo and retrans in nfs(5)); they count when\n"
		"the RPC ends");
	struct estat_inflight;
};

ESTAT_SERIES(
	nfs_client, 0, struct key, struct value, 256,
	"An RPC of the NFS client, from the begin to the end of the RPC (execute in tracepoint\n"
	"rpc_stats_latency), by the server's address, the path mounted from the server, and the\n"
	"operation: NFSv3's procedure, or the operation that NFSv4's compound is for. Bytes are\n"
	"those on the wire, sent and received. An RPC that ended with an error, such as no such\n"
	"file, counts only in errors, retransmissions and timeouts. The export is none for RPCs\n"
	"without a file system (about the client's state, or of a mount that is not yet complete)\n"
	"and on kernels without KALLSYMS_ALL. Paths mounted from one file system of a server\n"
	"share an rpc_clnt: the RPCs of all these paths count for the path mounted first, as long\n"
	"as one of the paths is mounted. Mounts of one path with different options are one\n"
	"instance here; /proc/self/mountstats tells them apart. Under way are also RPCs that wait\n"
	"for a session's slot or a connection, and RPCs that began before the module was\n"
	"attached. Kernels without KALLSYMS_ALL show no RPCs under way. Not counted: I/O that the\n"
	"page cache serves, and LOCALIO of a server on the same host. A slow RPC has an event\n"
	"record, with the process that began the RPC, the offset of a read or write, and the\n"
	"stages queue (backlog), wire (round_trip) and end. Linux 5.15 or newer");
ESTAT_OVERFLOW(nfs_client);
ESTAT_LAYER(nfs_client, 230, "vfs");

#include "client_slow.bpf.h"

/*
 * The file system types of NFS (fs/nfs/fs_context.c). Each type has a list of its mounted file
 * systems.
 */
ESTAT_ADDRESS(nfs_fs_type);
ESTAT_ADDRESS(nfs4_fs_type);

/* The most file systems of a type that find_super() looks at. */
#define SUPERS 512

/*
 * If an rpc_clnt's file system was not found, export_of() looks for the file system again, but not
 * before this many nanoseconds have passed. The first RPCs of a mount run before the file system
 * exists. The rpc_clnt of a pNFS data server never has a file system.
 */
#define LOOK_NS 1000000

/* The export of an rpc_clnt. */
struct known {
	__u64 export; /* id of the export; 0: none */
	__u64 looked; /* when the export was last looked for */
};

ESTAT_HASH_MAP(clients, LRU_HASH, __u64, struct known, 1024);

/* The file system of the type at `type` that has the rpc_clnt at `client`; or NULL. */
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
 * Find the export of the rpc_clnt at `client`, and store it in `clients`. The export's id is a hash
 * of its path. Not static, so the verifier checks the function once, and not at each call.
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
		/* `device` is SERVER:/PATH. SERVER can be an IPv6 address: it has no ":/" */
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
		/* makes the id differ from all ids of operations, which do not have this bit */
		known.export |= 1ULL << 63;
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

/* The kernel frees an rpc_clnt: forget its export. The next rpc_clnt can get the same address. */
SEC("tp_btf/rpc_clnt_free")
int nfs_client_gone(__u64 *ctx)
{
	__u64 client = ctx[0];

	bpf_map_delete_elem(&clients, &client);
	return 0;
}

/*
 * Give the operation `id` the name `text` in lower case or, if `text` is NULL, the name "null".
 * Also give the id 0, which stands for no export, the name "".
 */
static __noinline int name_op(__u64 id, const char *text)
{
	struct estat_name name = {};

	estat_name_as(0, &name);
	if (!text || bpf_probe_read_kernel_str(name.text, 32, text) <= 0)
		__builtin_memcpy(name.text, "null", 5); /* the kernel's rpcproc_null has no name */
	for (int i = 0; i < 32; i++)
		if (name.text[i] >= 'A' && name.text[i] <= 'Z')
			name.text[i] += 'a' - 'A';
	estat_name_as(id, &name);
	return 0;
}

/* Set *key to the key of an RPC's task. The caller has set all bytes of *key to 0. */
static __always_inline void set_key(struct key *key, struct rpc_task *task, struct rpc_xprt *xprt)
{
	struct rpc_clnt *client = BPF_CORE_READ(task, tk_client);

	estat_ip_of(&key->server, (const char *)__builtin_preserve_access_index(&xprt->addr));
	key->export = export_of((__u64)client);
	key->op = (__u64)BPF_CORE_READ(client, cl_vers) << 32 |
		  BPF_CORE_READ(task, tk_msg.rpc_proc, p_statidx);
}

SEC("tp_btf/rpc_stats_latency")
int nfs_client_ends(__u64 *ctx)
{
	struct rpc_task *task = (struct rpc_task *)ctx[0];
	struct rpc_rqst *rq;
	struct key key = {};
	struct value *v;
	int sent, error;
	__u64 bytes;

	if (!task || BPF_CORE_READ(task, tk_client, cl_prog) != NFS_PROGRAM)
		return 0;
	rq = BPF_CORE_READ(task, tk_rqstp);
	set_key(&key, task, BPF_CORE_READ(rq, rq_xprt));
	v = nfs_client_find(&key);
	if (!v) {
		if (!nfs_client_state.full)
			name_op(key.op, BPF_CORE_READ(task, tk_msg.rpc_proc, p_name));
		v = nfs_client_insert(&key);
	}
	if (!v)
		return 0;
	sent = BPF_CORE_READ(rq, rq_ntrans);
	if (sent > 1)
		estat_add(v->retransmissions, sent - 1);
	estat_add(v->timeouts, BPF_CORE_READ(task, tk_timeouts));
	bytes = BPF_CORE_READ(rq, rq_xmit_bytes_sent) + BPF_CORE_READ(rq, rq_reply_bytes_recvd);
	error = BPF_CORE_READ(task, tk_status);
	nfs_client_count_io((struct estat_io *)v, &key, ctx[3], bytes, error < 0);
	if (error >= 0) {
		estat_count_latency(&v->backlog, ctx[1]);
		estat_count_latency(&v->round_trip, ctx[2]);
	}
	if (nfs_client_is_slow(v, ctx[3])) {
		struct ended ended = { ctx[1], ctx[2], ctx[3], bytes, error };

		nfs_client_record(task, &key, &ended);
	}
	return 0;
}

#include "rpc_walk.bpf.h"
