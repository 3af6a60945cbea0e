// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packed: requests under way. The module has 256 entries for them, in 64 sets of four. A loop
 * device takes only 128 requests at a time, but their sets are chosen at random, so some sets
 * overflow.
 */
#include "aggregate.bpf.h"
#include "inflight.bpf.h"

ESTAT_MODULE(packed, 0);

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major, first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

enum mq_rq_state { MQ_RQ_IDLE };

struct request {
	struct request_queue *q;
	enum mq_rq_state state;
};

#pragma clang attribute pop

struct key {
	estat_dev_t disk;
};

struct value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(packed, 0, struct key, struct value, 64, "From a request's issue to its completion");

struct note {
	__u64 request;
	__u64 unused;
};

ESTAT_INFLIGHT(requests, NOTED, 64, struct note);

/* An id made of a request's address. Such ids choose sets at random; addresses do not. */
static __always_inline __u64 id_of(__u64 request)
{
	request *= 0x5851f42d4c957f2d;
	return request ^ request >> 33;
}

static __always_inline bool set_key(const void *request, struct key *key)
{
	const struct request *rq = request;
	struct gendisk *disk = BPF_CORE_READ(rq, q, disk);

	key->disk = BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
	return BPF_CORE_READ(rq, state) != MQ_RQ_IDLE;
}

SEC("tp_btf/block_rq_issue")
int packed_begins(__u64 *ctx)
{
	__u64 request = estat_id((void *)ctx[0]);

	requests_begin(id_of(request), bpf_ktime_get_ns(), (struct note){ .request = request });
	return 0;
}

SEC("tp_btf/block_rq_complete")
int packed_ends(__u64 *ctx)
{
	__s64 ns = requests_take(id_of(estat_id((void *)ctx[0])), bpf_ktime_get_ns());
	struct key key = {};
	struct value *v;

	set_key((void *)ctx[0], &key);
	v = packed_get(&key);
	if (v && ns >= 0)
		estat_count_latency(v, ns);
	return 0;
}

static __always_inline bool under_way(const struct estat_begun *e, struct key *key)
{
	return set_key((void *)requests_note(e)->request, key);
}

ESTAT_WALK(requests, packed, struct key, under_way, estat_tells_nothing);
