/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps an entry for each connection of storage, from the state ESTABLISHED to CLOSE. If this host
 * opens the connection, there is another entry before, while the state is SYN_SENT. The series
 * `connect` counts the time that a connection is in SYN_SENT.
 */
#ifndef ESTAT_MODULES_NET_CONNECT_H
#define ESTAT_MODULES_NET_CONNECT_H

#include "connection.bpf.h"
#include "inflight.bpf.h"

struct connect_value {
	struct estat_latency_errors;
	struct estat_inflight;
};

ESTAT_SERIES(connect, 1, struct key, struct connect_value, 256,
	     "Connections that this host opens, from connect(2) (the state SYN_SENT) to the state\n"
	     "ESTABLISHED. errors: refused, timed out or given up. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(connect);
ESTAT_LAYOUT(connect, "rows {service}, {peer}");

struct connection_note {
	__u64 drops; /* how many drops of the connection are counted already */
	__u64 unused;
};

/*
 * An entry for each connection of storage, from the state ESTABLISHED to CLOSE. A connection that
 * this host opens has another entry before, while in SYN_SENT. The id is estat_id() of the sock.
 * There are 1024 sets of four entries.
 */
ESTAT_INFLIGHT(connections, NOTED, 1024, struct connection_note);

static __noinline int connected(const struct key *key, __u64 id, __u64 now, bool failed)
{
	__s64 ns = connections_end(id, now);

	if (ns >= 0)
		estat_count_end(connect_get(key), ns, failed);
	return 0;
}

static __always_inline bool key_under_way(const struct estat_begun *e, struct key *key)
{
	struct sock *sk = (struct sock *)e->id;

	return BPF_CORE_READ(sk, __sk_common.skc_state) == BPF_TCP_SYN_SENT && key_of(sk, key);
}

ESTAT_WALK(connections, connect, struct key, key_under_way, estat_tells_nothing);

#endif /* ESTAT_MODULES_NET_CONNECT_H */
