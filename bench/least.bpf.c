// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module least: the least that a module of block requests can do, to measure what the rest of
 * backend_io costs. It counts, by disk and operation, operations and a histogram of latency from
 * the kernel's own stamp, in one BPF program. It has neither bytes, sums, maximum nor sizes, does
 * not see partial completions, requeues or batches, and does not measure the queue.
 */
#include "block/disk.bpf.h"
#include "least.bpf.h"

ESTAT_MODULE(least, 0);

ESTAT_ONE_WRITER(least);
ESTAT_SERIES(least, 0, struct key, struct value, 200, "From a request's issue to its completion");

SEC("tp_btf/block_rq_complete")
int least_complete(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	__u64 ns = bpf_ktime_get_ns() - rq->io_start_time_ns;
	struct key key = key_by(disk_of(rq, rq->q), op_of(rq->cmd_flags));

	return least_count(least_get(&key), ns);
}
