/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds when a request arrived at the RPC server by TCP. Each time a socket gets data,
 * nfs_data_arrives() notes the time and the stream's position. When a thread has read a request,
 * the position up to which the thread has read tells when the request's last byte arrived. The
 * kernel's own stamps (xpt_qtime, rq_qtime) do not tell this time: they tell when a connection was
 * queued or a thread woken, and a connection can have many requests under way.
 */
#ifndef ESTAT_MODULES_NFS_ARRIVAL_H
#define ESTAT_MODULES_NFS_ARRIVAL_H

#include "probe.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/net/sock.h */
struct sock {
	__u16 sk_protocol;
	void *sk_user_data; /* the server's svc_sock, whose first member is the svc_xprt */
};

/* declared in include/linux/tcp.h */
struct tcp_sock {
	__u32 rcv_nxt;    /* position of the next byte to arrive */
	__u32 copied_seq; /* position of the next byte to read */
};

#pragma clang attribute pop

/*
 * The module keeps the latest ARRIVALS arrivals of a connection, for at most ARRIVAL_CONNECTIONS
 * connections: those last used.
 */
#define ARRIVALS            128
#define ARRIVAL_CONNECTIONS 1024

struct arrivals {
	struct tcp_sock *tcp;
	__u64 noted; /* how many arrivals were noted so far */
	__u64 used;  /* arrivals with a lower number, counted from 0, are not needed any more */
	struct arrival {
		__u64 ns;
		__u32 upto; /* the stream's position after this arrival */
	} ring[ARRIVALS];
};

ESTAT_HASH_MAP(arrivals, LRU_HASH, __u64, struct arrivals, ARRIVAL_CONNECTIONS);

static const struct arrivals no_arrivals;

static __always_inline struct arrival *arrival(struct arrivals *a, __u64 i)
{
	__u64 at = i % ARRIVALS;

	/* without the barrier the compiler drops the check below, which the verifier needs */
	barrier_var(at);
	return &a->ring[at < ARRIVALS ? at : 0];
}

/*
 * The connection's entry, which is made if there is none; NULL: the socket is not TCP's, or there
 * is no room.
 */
static __always_inline struct arrivals *arrivals_of(__u64 xprt, struct sock *sk)
{
	struct arrivals *a = bpf_map_lookup_elem(&arrivals, &xprt);

	if (a)
		return a;
	if (!xprt || BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return NULL;
	bpf_map_update_elem(&arrivals, &xprt, &no_arrivals, BPF_NOEXIST);
	return bpf_map_lookup_elem(&arrivals, &xprt);
}

/*
 * A server's socket has got data: note the time. TCP calls svc_data_ready with the socket locked.
 */
ESTAT_ENTRY(nfs_data_arrives, svc_data_ready, 1)
{
	struct sock *sk = (struct sock *)call->arg[0];
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	struct arrivals *a = arrivals_of((__u64)ESTAT_READ(sk, sk_user_data), sk);
	struct arrival *last;

	if (!a)
		return 0;
	if (a->tcp != tcp) { /* a new entry, or another connection has the svc_sock's address */
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
 * When the last byte arrived that this thread has read from the connection `xprt`, by
 * bpf_ktime_get_ns(); 0: unknown. Only one thread at a time reads a connection.
 */
static __noinline __u64 arrival_of(__u64 xprt)
{
	struct arrivals *a = bpf_map_lookup_elem(&arrivals, &xprt);
	struct tcp_sock *tcp;
	struct arrival *found;
	__u64 overwritten = 0;
	__u32 read;

	if (!a)
		return 0;
	tcp = a->tcp;
	read = BPF_CORE_READ(tcp, copied_seq);
	if (a->noted - a->used > ARRIVALS) {
		a->used = a->noted - ARRIVALS;
		overwritten = a->used;
	}
	for (int i = 0; i < ARRIVALS && a->used < a->noted; i++) {
		found = arrival(a, a->used);
		if (estat_since_attach(found->ns) && (__s32)(found->upto - read) >= 0)
			return overwritten && a->used == overwritten ? 0 : found->ns;
		a->used++;
	}
	return 0;
}

/*
 * When the oldest byte arrived that no thread has read from the connection yet, by
 * bpf_ktime_get_ns(); 0: all bytes are read, or the time is not known. If the entry of that arrival
 * is overwritten, the time is that of the oldest arrival kept.
 */
static __noinline __u64 unread_since(struct arrivals *a)
{
	struct tcp_sock *tcp = a->tcp;
	__u32 read = BPF_CORE_READ(tcp, copied_seq);
	__u64 noted = a->noted, i = a->used;
	struct arrival *found;

	if (noted - i > ARRIVALS)
		i = noted - ARRIVALS;
	for (int n = 0; n < ARRIVALS && i < noted; n++, i++) {
		found = arrival(a, i);
		if ((__s32)(found->upto - read) > 0)
			return estat_since_attach(found->ns) ? found->ns : 0;
	}
	return 0;
}

/* The kernel frees a connection: forget the connection's arrivals. */
SEC("tp_btf/svc_xprt_free")
int arrivals_end(__u64 *ctx)
{
	__u64 xprt = ctx[0];

	bpf_map_delete_elem(&arrivals, &xprt);
	return 0;
}

#endif /* ESTAT_MODULES_NFS_ARRIVAL_H */
