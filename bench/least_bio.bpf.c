// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module least_bio: the least that a module of bios can do, to measure what the rest of bio
 * costs. It counts, by disk and operation, operations and a histogram of latency, by its own clock
 * at a bio's begin and end. It has neither bytes, sums, maximum nor sizes. It counts only the first
 * bio of a request, and takes a split bio as ended when its rest has ended.
 */
#include "block/disk.bpf.h"
#include "inflight.bpf.h"
#include "least.bpf.h"

ESTAT_MODULE(least_bio, 0);

ESTAT_ONE_WRITER(least_bio);
ESTAT_SERIES(least_bio, 0, struct key, struct value, 200, "From a bio's submission to its end");

ESTAT_INFLIGHT(bios, SETS, 4096);

SEC("tp_btf/block_bio_queue")
int least_begins(__u64 *ctx)
{
	bios_begin(estat_id((struct bio *)ctx[0]), bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/block_rq_complete")
int least_ends(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct bio *bio = rq->bio;
	__s64 ns = bio ? bios_take(estat_id(bio), bpf_ktime_get_ns()) : -1;
	struct key key;

	if (ns < 0)
		return 0;
	key = key_by(disk_of(rq, rq->q), op_of(rq->cmd_flags));
	return least_count(least_bio_get(&key), ns);
}
