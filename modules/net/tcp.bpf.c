// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp: TCP connections of storage's ports, by peer, service and role. The probes are tracepoints
 * (include/trace/events/tcp.h, sock.h). Most BPF programs run in softirqs, so the current task has
 * nothing to do with the connection.
 */
#include <linux/in.h>

#include "connection.bpf.h"

ESTAT_MODULE(tcp, 38);

struct value {
	struct estat_latency;
	estat_count_t retransmits
		ESTAT_FIELD(17, "Number of segments sent again, among them SYN and SYN-ACK");
	estat_count_t resets_sent ESTAT_FIELD(
		18, "Number of resets (RST) sent, without those that refuse a connection");
	estat_count_t resets_received ESTAT_FIELD(19, "Number of resets (RST) received");
	estat_count_t drops ESTAT_FIELD(
		20, "Number of received segments that the kernel dropped (the d of ss -m). Drops\n"
		    "since the latest sample of a connection are not counted yet. Not counted:\n"
		    "connections that were open when the module was attached");
	struct estat_latency life ESTAT_GROUP(
		2, "From the state ESTABLISHED of a connection to CLOSE, without TIME_WAIT. Not\n"
		   "counted: connections that were open when the module was attached");
};

ESTAT_SERIES(
	tcp, 0, struct key, struct value, 256,
	"Round trips of TCP connections of NFS, iSCSI, NVMe and SMB: the kernel's smoothed round\n"
	"trip time (the rtt of ss -ti), at one of 16 segments received in the state ESTABLISHED\n"
	"and at the end of each connection. ops is the number of these samples. service is the\n"
	"port: nfs 2049, iscsi 3260, nvme 4420, smb 445. role is the end of the connection that\n"
	"this host is: client if the peer has the service's port, else server. Not counted: RDMA;\n"
	"other ports. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(tcp);
ESTAT_LAYOUT(tcp, "rows {service} {role}, {peer}");

#include "connect.bpf.h"

/* Segments received for storage, by the CPU's number modulo 64. Every 16th takes a sample. */
__u32 received[64];

static __noinline struct value *value_of(struct sock *sk)
{
	struct key key = {};

	return sk && key_of(sk, &key) ? tcp_get(&key) : NULL;
}

/* Take a sample: count the round trip time, and the drops since the connection's last sample. */
static __noinline int sample(struct sock *sk, struct value *v)
{
	__u64 srtt = BPF_CORE_READ((struct tcp_sock *)sk, srtt_us);
	__u32 drops = BPF_CORE_READ(sk, sk_drops.counter);
	struct estat_begun *e = connections_find(estat_id(sk));

	if (!v)
		return 0;
	if (srtt)
		estat_count_latency(v, srtt * 1000 / 8);
	if (!e)
		return 0;
	estat_add(v->drops, (__u32)(drops - connections_note(e)->drops));
	connections_note(e)->drops = drops;
	return 0;
}

static __noinline int closed(struct sock *sk, const struct key *key, __u64 now)
{
	struct value *v = tcp_get(key);
	__s64 ns;

	sample(sk, v);
	ns = connections_end(estat_id(sk), now);
	if (v && ns >= 0)
		estat_count_latency(&v->life, ns);
	return 0;
}

static __noinline int set_state(struct sock *sk, int from, int to)
{
	__u64 now = bpf_ktime_get_ns(), id = estat_id(sk);
	struct key key = {};

	if (BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP || !key_of(sk, &key))
		return 0;
	if (from == BPF_TCP_SYN_SENT)
		connected(&key, id, now, to == BPF_TCP_CLOSE);
	if (to == BPF_TCP_SYN_SENT || to == BPF_TCP_ESTABLISHED)
		connections_begin(id, now, (struct connection_note){});
	else if (to == BPF_TCP_CLOSE && 1 << from & OPENED)
		closed(sk, &key, now);
	return 0;
}

/* The socket is never NULL, but the verifiers of some releases of Linux 6.12 demand the check. */
SEC("tp_btf/inet_sock_set_state")
int tcp_sets_state(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];

	return sk && may_be_storage(sk) ? set_state(sk, ctx[1], ctx[2]) : 0;
}

/* The tracepoint is at the begin of tcp_rcv_established(). */
SEC("tp_btf/tcp_probe")
int tcp_receives(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];

	if (!sk || !may_be_storage(sk) || ++received[bpf_get_smp_processor_id() % 64] % 16)
		return 0;
	return sample(sk, value_of(sk));
}

/* The tracepoint can fire once for several segments. Each counts, as in TcpRetransSegs. */
SEC("tp_btf/tcp_retransmit_skb")
int tcp_retransmits(__u64 *ctx)
{
	const struct trace_event_raw_tcp_retransmit_skb *record = NULL;
	struct value *v;

	if (bpf_core_field_exists(record->err) && (int)ctx[2])
		return 0;
	v = value_of((struct sock *)ctx[0]);
	if (v)
		estat_add(v->retransmits, segments_of((struct sk_buff *)ctx[1]));
	return 0;
}

/* Tracepoint tcp_TRACEPOINT, whose argument N is the socket, counts in MEMBER. */
#define COUNTS(TRACEPOINT, N, MEMBER)                              \
	SEC("tp_btf/tcp_" #TRACEPOINT)                             \
	int tcp_counts_##TRACEPOINT(__u64 *ctx)                    \
	{                                                          \
		struct value *v = value_of((struct sock *)ctx[N]); \
                                                                   \
		if (v)                                             \
			estat_add(v->MEMBER, 1);                   \
		return 0;                                          \
	}

COUNTS(retransmit_synack, 1, retransmits)
COUNTS(send_reset, 0, resets_sent)
COUNTS(receive_reset, 0, resets_received)
