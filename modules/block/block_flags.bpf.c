// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * block_flags: the requests of backend_io, by disk, by flags as blktrace prints them, and by how
 * near the CPU that completes the request is to the CPU that allocated it; and how long threads
 * keep requests in a plug.
 */
#define ESTAT_NAMES_VALUE struct estat_short_name

#include "disk.bpf.h"

#include "cpu.bpf.h"
#include "rwbs.bpf.h"

ESTAT_MODULE(block_flags, 30);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;

/* Which CPU completes a request, relative to the CPU that allocated the request. */
enum cpu {
	cpu_same,
	cpu_cache, /* another CPU of the same last-level cache */
	cpu_another,
};

struct request_key {
	estat_dev_t disk;
	char rwbs[8];
	enum cpu cpu;
};

#define REQUESTS(f)         block_flags_##f
#define REQUEST_OP(rq, key) op_of((rq)->cmd_flags)
#include "request.bpf.h"

ESTAT_OVERFLOW(block_flags);
ESTAT_SERIES(
	block_flags, 0, struct request_key, struct request_value, 512,
	"The requests of estat.backend_io, by flags and CPU. The letters of rwbs are those of\n"
	"blktrace: F REQ_PREFLUSH, then the operation (R read, W write, D discard, DE secure\n"
	"erase, F flush, WZ write zeroes, ZA, ZO, ZC, ZF, ZR, ZRA zone operations, N any other),\n"
	"then F REQ_FUA, A REQ_RAHEAD, S REQ_SYNC, M REQ_META, U REQ_ATOMIC. Older kernels'\n"
	"blktrace prints N for WZ and zone operations. The axis cpu says which CPU completes the\n"
	"request. same: the CPU that allocated the request; cache: another CPU of the same\n"
	"last-level cache (as cpus_share_cache()), known only with KALLSYMS_ALL; another: any\n"
	"other CPU. Linux 5.15 or newer");
ESTAT_LAYOUT(block_flags, "rows {rwbs}, {cpu}");

struct plug_key {
	estat_dev_t disk;
};

struct plug_value {
	struct estat_latency;
	estat_count_t requests ESTAT_FIELD(
		17, "Number of requests that the first unplug of each plug takes out of the plug");
};

ESTAT_SERIES(
	plug, 2, struct plug_key, struct plug_value, 200,
	"From when a thread puts the first request into its plug (tracepoint block_plug) to the\n"
	"thread's next unplug (tracepoint block_unplug). A plug with requests for several disks\n"
	"or hardware queues can have several unplugs; only the first unplug counts, for the disk\n"
	"of that unplug. In Linux 5.16 to 6.11 most plugs for one disk without an I/O scheduler\n"
	"have no unplug and do not count. Linux 5.15 or newer");

ESTAT_ADDRESS(sd_llc_id);
ESTAT_ADDRESS(__per_cpu_offset);

/* The number of a CPU's last-level cache; the CPU's own number if the cache is not known. */
static __noinline __u32 cache_of(__u32 cpu)
{
	__u32 cache = cpu;

	if (estat_address_sd_llc_id)
		estat_read_of_cpu(&cache, sizeof(cache), estat_address_sd_llc_id,
				  estat_address___per_cpu_offset, cpu);
	return cache;
}

static __always_inline struct request_key request_key_of(struct request *rq, struct gendisk *disk)
{
	__u32 here = bpf_get_smp_processor_id(), there = rq->mq_ctx->cpu;
	struct request_key key = { .disk = key_by(disk, 0).disk };
	__u64 text = rwbs_of(rq->cmd_flags);

	__builtin_memcpy(key.rwbs, &text, sizeof(text));
	if (here != there)
		key.cpu = cache_of(here) == cache_of(there) ? cpu_cache : cpu_another;
	return key;
}

/* When a thread put the first request into its plug, by thread. */
ESTAT_INFLIGHT(plugs, SETS, 256);

SEC("tp_btf/block_plug")
int block_flags_plug(__u64 *ctx)
{
	plugs_begin(bpf_get_current_pid_tgid(), bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/block_unplug")
int block_flags_unplugged(__u64 *ctx)
{
	struct request_queue *q = (struct request_queue *)ctx[0];
	__s64 ns = plugs_take(bpf_get_current_pid_tgid(), bpf_ktime_get_ns());
	struct plug_key key = { .disk = key_by(q->disk, 0).disk };
	struct plug_value *v = ns < 0 ? NULL : plug_get(&key);

	if (!v)
		return 0;
	estat_count_latency(v, ns);
	estat_add(v->requests, (__u32)ctx[1]);
	return 0;
}
