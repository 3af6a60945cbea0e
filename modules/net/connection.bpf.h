/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP connection of storage: its key of peer, service and role, and the kernel's types. */
#ifndef ESTAT_MODULES_NET_CONNECTION_H
#define ESTAT_MODULES_NET_CONNECTION_H

#include <linux/in6.h>

#include <bpf/bpf_endian.h>

#include "aggregate.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/net/sock.h; also the begin of struct request_sock and struct inet_timewait_sock */
struct sock_common {
	__u16 skc_dport; /* big endian */
	/* the local port; 0 when the state becomes TCP_CLOSE, unless bind(2) chose the port */
	__u16 skc_num;
	__u8 skc_state;
	__u32 skc_daddr;
	__u16 skc_family;
	/*
	 * An IPv4 address is stored as ::ffff:a.b.c.d, but not in a socket of AF_INET in TIME_WAIT.
	 * The member is there only if the kernel has IPv6.
	 */
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
	struct {
		int counter;
	} sk_drops;
};

/* include/net/inet_sock.h, linux/tcp.h, linux/skbuff.h, net/tcp.h */
struct inet_sock {
	__u16 inet_sport; /* big endian */
};

struct tcp_sock {
	__u32 srtt_us; /* eight times the smoothed round trip time, in us */
};

struct sk_buff {
	char cb[48];
};

struct tcp_skb_cb {
	__u16 tcp_gso_segs;
};

/*
 * The record of tracepoint tcp_retransmit_skb. Linux 6.18 has the member err, 6.12 has not; with
 * err the tracepoint fires for failures, too.
 */
struct trace_event_raw_tcp_retransmit_skb {
	int err;
};

#pragma clang attribute pop

#define AF_INET6 10 /* from include/linux/socket.h */

/* The states of a connection that is established, or was established and is not closed yet. */
#define OPENED                                                                        \
	(1 << BPF_TCP_ESTABLISHED | 1 << BPF_TCP_FIN_WAIT1 | 1 << BPF_TCP_FIN_WAIT2 | \
	 1 << BPF_TCP_CLOSE_WAIT | 1 << BPF_TCP_LAST_ACK | 1 << BPF_TCP_CLOSING)

/* Services; the value of each is its port. */
enum service {
	service_smb = 445,
	service_nfs = 2049,
	service_iscsi = 3260,
	service_nvme = 4420,
};

/* Which end of the connection this host is. */
enum role {
	role_client,
	role_server,
};

struct key {
	estat_ip_t peer;
	enum service service;
	enum role role;
};

static __always_inline bool is_storage(__u16 port)
{
	return port == service_nfs || port == service_iscsi || port == service_nvme ||
	       port == service_smb;
}

/*
 * False: no port of the connection is one of storage. The function runs for all connections, so it
 * uses typed loads, which are quick.
 */
static __always_inline bool may_be_storage(struct sock *sk)
{
	__u16 local = sk->__sk_common.skc_num;

	return is_storage(bpf_ntohs(sk->__sk_common.skc_dport)) || is_storage(local) || !local;
}

/* Fill in the key, which the caller has zeroed; 0: the socket is no connection of storage. */
static __noinline int key_of(struct sock *sk, struct key *key)
{
	__u16 remote = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	__u16 local = BPF_CORE_READ(sk, __sk_common.skc_num);

	if (!local)
		local = bpf_ntohs(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
	key->role = is_storage(remote) ? role_client : role_server;
	key->service = is_storage(remote) ? remote : local;
	if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr) &&
	    BPF_CORE_READ(sk, __sk_common.skc_family) == AF_INET6) {
		BPF_CORE_READ_INTO((struct in6_addr *)&key->peer, sk, __sk_common.skc_v6_daddr);
	} else {
		key->peer.octets[10] = key->peer.octets[11] = 0xff;
		BPF_CORE_READ_INTO((__u32 *)&key->peer.octets[12], sk, __sk_common.skc_daddr);
	}
	return is_storage(key->service) &&
	       BPF_CORE_READ(sk, __sk_common.skc_state) != BPF_TCP_LISTEN;
}

static __always_inline __u16 segments_of(struct sk_buff *skb)
{
	/* `cb` is a variable, because clang 15 crashes if BPF_CORE_READ gets the cast itself */
	struct tcp_skb_cb *cb = (struct tcp_skb_cb *)&skb->cb;

	return BPF_CORE_READ(cb, tcp_gso_segs);
}

#endif /* ESTAT_MODULES_NET_CONNECTION_H */
