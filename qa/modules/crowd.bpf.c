// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd: more clients than the module has keys. Only reads and writes of exactly 99 sectors count;
 * other tests seldom make requests of this size. On any disk, the client's number is the request's
 * first sector divided by 99. A client with an even number has an IPv4 address, 10.x.x.x, one with
 * an odd number has an IPv6 address, fd00::x:x.
 */
#include "block/types.bpf.h"
#include "aggregate.bpf.h"

ESTAT_MODULE(crowd, 0);

struct request___crowd {
	unsigned long long __sector;
} __attribute__((preserve_access_index));

#define BLOCK 99

enum op {
	op_read,
	op_write,
};

struct crowd_key {
	estat_ip_t client;
	enum op op;
};

ESTAT_SERIES(crowd, 0, struct crowd_key, struct estat_io, 64, "One request of each client");
ESTAT_OVERFLOW(crowd);
ESTAT_VIEW(by_op, 1, crowd, "op", "The same of all clients");

static __always_inline void set_client(estat_ip_t *ip, __u64 number)
{
	if (number % 2) {
		ip->octets[0] = 0xfd;
	} else {
		ip->octets[10] = 0xff;
		ip->octets[11] = 0xff;
		ip->octets[12] = 10;
	}
	ip->octets[13] = number >> 16;
	ip->octets[14] = number >> 8;
	ip->octets[15] = number;
}

SEC("tp_btf/block_rq_complete")
int crowd_request(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct request___crowd *at = (struct request___crowd *)rq;
	struct crowd_key key = {};
	struct estat_io *v;
	__u32 bytes = ctx[2];

	key.op = BPF_CORE_READ(rq, cmd_flags) & 0xff;
	if (bytes != BLOCK * 512 || key.op > op_write)
		return 0;
	set_client(&key.client, BPF_CORE_READ(at, __sector) / BLOCK);
	v = crowd_get(&key);
	if (v)
		crowd_count_io(v, &key, 1000, bytes, key.op == op_write);
	return 0;
}
