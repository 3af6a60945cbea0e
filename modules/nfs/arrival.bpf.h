/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When requests arrived at the RPC server, by TCP. Whenever its socket has got more data
 * it is noted how far the stream is there, and when; when a thread has read a request, the
 * stream's position tells when the last of it was there. A client has many requests under
 * way on one connection, and the kernel's own stamp is of the connection, not of them.
 */
#ifndef ESTAT_MODULES_NFS_ARRIVAL_H
#define ESTAT_MODULES_NFS_ARRIVAL_H

#include "probe.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/net/sock.h */
struct sock {
	__u16 sk_protocol;
	void *sk_user_data; /* the server's svc_sock, which begins with its svc_xprt */
};

/* include/linux/tcp.h */
struct tcp_sock {
	__u32 rcv_nxt;    /* what is expected next */
	__u32 copied_seq; /* and what is not read yet */
};

#pragma clang attribute pop

/* How many arrivals are kept of a connection, and of how many. */
#define ARRIVALS            128
#define ARRIVAL_CONNECTIONS 1024

struct arrivals {
	struct tcp_sock *tcp;
	__u64 noted; /* how many, ever */
	__u64 used;  /* of these, as many as are of no use any more */
	struct arrival {
		__u64 ns;
		__u32 upto; /* position in the stream */
	} ring[ARRIVALS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ARRIVAL_CONNECTIONS);
	__type(key, __u64);
	__type(value, struct arrivals);
} arrivals SEC(".maps");

static const struct arrivals no_arrivals;

static __always_inline struct arrival *arrival(struct arrivals *a, __u64 i)
{
	__u64 at = i % ARRIVALS;

	barrier_var(at); /* keeps the bound that the verifier needs */
	return &a->ring[at < ARRIVALS ? at : 0];
}

/* A server's socket has more data. TCP calls it with the socket locked. */
ESTAT_ENTRY(arrival_noted, svc_data_ready, 1)
{
	struct sock *sk = (struct sock *)call->arg[0];
	__u64 key = (__u64)BPF_CORE_READ(sk, sk_user_data);
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	struct arrivals *a;
	struct arrival *last;

	if (!key || BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return 0;
	a = bpf_map_lookup_elem(&arrivals, &key);
	if (!a) {
		bpf_map_update_elem(&arrivals, &key, &no_arrivals, BPF_NOEXIST);
		a = bpf_map_lookup_elem(&arrivals, &key);
		if (!a)
			return 0;
	}
	if (a->tcp != tcp) { /* another one, at this address */
		a->tcp = tcp;
		a->used = a->noted;
	}
	last = arrival(a, a->noted);
	last->ns = bpf_ktime_get_ns();
	last->upto = BPF_CORE_READ(tcp, rcv_nxt);
	__sync_fetch_and_add(&a->noted, 1);
	return 0;
}

/*
 * When all had arrived that a thread has read now; 0: unknown. While it reads, no other
 * thread does.
 */
static __noinline __u64 arrival_of(__u64 xprt)
{
	struct arrivals *a = bpf_map_lookup_elem(&arrivals, &xprt);
	struct tcp_sock *tcp;
	struct arrival *found;
	__u64 lost = 0;
	__u32 read;

	if (!a)
		return 0;
	tcp = a->tcp;
	read = BPF_CORE_READ(tcp, copied_seq);
	if (a->noted - a->used > ARRIVALS) {
		a->used = a->noted - ARRIVALS;
		lost = a->used;
	}
	for (int i = 0; i < ARRIVALS && a->used < a->noted; i++) {
		found = arrival(a, a->used);
		if (found->ns > estat_attached && (__s32)(found->upto - read) >= 0)
			return lost && a->used == lost ? 0 : found->ns;
		a->used++;
	}
	return 0;
}

/* A connection is gone. */
SEC("tp_btf/svc_xprt_free")
int arrivals_end(__u64 *ctx)
{
	__u64 xprt = ctx[0];

	bpf_map_delete_elem(&arrivals, &xprt);
	return 0;
}

#endif /* ESTAT_MODULES_NFS_ARRIVAL_H */
