// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module keys_N, with N = KEYS keys, to measure what a key costs. A block request's key is the
 * request's position on the disk, in units of 4 KiB, modulo KEYS.
 */
#include "aggregate.bpf.h"

#define GLUE_(a, b)  a##b
#define GLUE(a, b)   GLUE_(a, b)
#define NAME         GLUE(keys_, KEYS)
#define MODULE(NAME) ESTAT_MODULE(NAME, 0)
#define SERIES(...)  ESTAT_SERIES(__VA_ARGS__)
#define LAYER(NAME)  ESTAT_TOP_LAYER(NAME, 10)

struct request {
	__u64 __sector;
	__u64 start_time_ns;
	__u32 __data_len;
} __attribute__((preserve_access_index));

struct key {
	__u32 place;
};

MODULE(NAME);
SERIES(NAME, 0, struct key, struct estat_io, KEYS, "From a request's allocation to its completion");
LAYER(NAME);

SEC("tp_btf/block_rq_complete")
int keys_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct key key = { .place = rq->__sector / 8 % KEYS };
	__u64 ns = bpf_ktime_get_ns() - rq->start_time_ns;
	struct estat_io *v = GLUE(NAME, _get)(&key);

	if (!v)
		return 0;
	estat_count_latency(v, ns);
	estat_add(v->bytes, rq->__data_len);
	estat_count(v->size, estat_size_bucket(rq->__data_len));
	GLUE(NAME, _count_by_size)(&key, ns, rq->__data_len);
	return 0;
}
