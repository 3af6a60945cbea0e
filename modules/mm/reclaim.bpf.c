// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reclaim: what the kernel does when memory is short: it reclaims pages, compacts memory, swaps,
 * and kills (mm/vmscan.c, compaction.c, page_io.c, oom_kill.c, Linux 5.15 to 7.3).
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"
#include "thread.bpf.h"

/* room for names of cgroups; flags 0 allocate it at load, because memory can be short later */
#define ESTAT_NAMES       256
#define ESTAT_NAMES_FLAGS 0

#include "cgroup.bpf.h"
#include "oom.bpf.h"
#include "return.bpf.h"
#include "vfs/page.bpf.h"

ESTAT_MODULE(reclaim, 32);
ESTAT_EVIDENCE("/proc/vmstat", "^pgsteal_direct ");
ESTAT_OPTIONAL("passes of kswapd", balance_pgdat);
ESTAT_OPTIONAL("reclaim for limits of cgroups", try_to_free_mem_cgroup_pages);
ESTAT_OPTIONAL("compaction", try_to_compact_pages);
ESTAT_OPTIONAL("compaction by kcompactd", kcompactd_do_work);
ESTAT_OPTIONAL("pages that are swapped", swap_add_folio, swap_read_folio, swap_readpage);
ESTAT_OPTIONAL("pages that are swapped out", swap_write_submit, __swap_writepage);

enum kind {
	kind_direct,
	kind_memcg,
	kind_kswapd,
	kind_compaction,
	kind_kcompactd,
	kind_swap_in,
	kind_swap_out,
};

struct key {
	enum kind kind;
	estat_cgroup_t cgroup;
};

struct value {
	struct estat_latency;
	estat_bytes_t bytes ESTAT_HELP("Bytes that were freed, moved by compaction, or swapped");
};

ESTAT_SERIES(
	reclaim, 0, struct key, struct value, 256,
	"From the entry of the named function to its return, by the cgroup (v2) of the thread.\n"
	"direct: a thread that allocates memory frees pages (try_to_free_pages). memcg: a thread\n"
	"frees pages of one cgroup, for a limit or memory.reclaim (try_to_free_mem_cgroup_pages).\n"
	"kswapd: a pass (balance_pgdat). compaction: a thread that allocates memory moves pages\n"
	"(try_to_compact_pages, without calls that return COMPACT_SKIPPED). kcompactd: a pass\n"
	"(kcompactd_do_work). swap_in, swap_out: a page or folio is read from swap, also from\n"
	"zswap (swap_read_folio, swap_readpage), or written to a disk (__swap_writepage); in that\n"
	"time most disks only begin the I/O, but zram completes the I/O. Since Linux 7.3 the time\n"
	"is that of swap_add_folio, which often only adds the folio to a batch; reads from zswap\n"
	"are then not counted. direct, memcg and kswapd contain the time of swap_out. The bytes\n"
	"freed by direct, memcg and kswapd are without slab, as pgsteal in /proc/vmstat and\n"
	"memory.stat; with the multi-generational LRU these bytes are known since Linux 6.7. Not\n"
	"counted: reclaim on one NUMA node, proactive compaction. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(reclaim);

/* How many pages a thread has freed or moved since pages_before() first ran in the thread. */
ESTAT_PER_THREAD(pages, __u64);

static __always_inline int add(__u64 number)
{
	__u64 *n = pages_here();

	if (n)
		*n += number;
	return 0;
}

SEC("tp_btf/mm_vmscan_lru_shrink_inactive")
int reclaim_freed(__u64 *ctx)
{
	return add(ctx[2]);
}

SEC("tp_btf/mm_migrate_pages")
int reclaim_moved(__u64 *ctx)
{
	/* pages that a reclaiming thread moves to slower memory count in reclaim_freed() */
	return current_task()->reclaim_state ? 0 : add(ctx[0]);
}

static __noinline int ended(enum kind kind, __u64 ns, __u64 number)
{
	struct cgroup *cgroup = current_task()->cgroups->dfl_cgrp;
	struct key key = {};
	struct value *v;

	key.kind = kind;
	key.cgroup = cgroup->kn->id;
	v = ESTAT_GET_NAMED(reclaim, &key, estat_name_cgroup_v2(estat_id(cgroup)));
	if (!v)
		return 0;
	estat_count_latency(v, ns);
	estat_add(v->bytes, number << PAGE_SHIFT);
	return 0;
}

/* For call->noted: the thread's value in `pages` at the entry, plus 1; 0: there is no value. */
static __always_inline __u64 pages_before(const struct estat_call *call, bool typed)
{
	__u64 *n = pages_make();

	return n ? *n + 1 : 0;
}

static __always_inline int freed(enum kind kind, const struct estat_call *call)
{
	__u64 *n = pages_here();

	return n ? ended(kind, estat_elapsed(call), *n + 1 - call->noted) : 0;
}

/* For call->noted: the number of pages of the folio that is the first or second argument. */
#define pages_of_first(call, typed)  pages_of((struct folio *)(call)->arg[0], false)
#define pages_of_second(call, typed) pages_of((struct folio *)(call)->arg[1], false)

#define RECLAIM(NAME, FUNCTION, KIND) \
	ESTAT_RUN(ESTAT_CALL(NAME, FUNCTION, 0, pages_before), freed(KIND, call))
#define SWAP(NAME, FUNCTION, KIND)                               \
	ESTAT_RUN(ESTAT_CALL(NAME, FUNCTION, 1, pages_of_first), \
		  ended(KIND, estat_elapsed(call), call->noted))

RECLAIM(reclaim_direct, try_to_free_pages, kind_direct)
RECLAIM(reclaim_memcg, try_to_free_mem_cgroup_pages, kind_memcg)
RECLAIM(reclaim_kswapd, balance_pgdat, kind_kswapd)
RECLAIM(reclaim_kcompactd, kcompactd_do_work, kind_kcompactd)
SWAP(reclaim_swap_in, swap_read_folio, kind_swap_in)
SWAP(reclaim_swap_in_old, swap_readpage, kind_swap_in)
SWAP(reclaim_swap_out, __swap_writepage, kind_swap_out)
/* since Linux 7.3 all I/O of swap devices passes swap_add_folio; argument 3 is READ or WRITE */
ESTAT_RUN(ESTAT_CALL(reclaim_swap, swap_add_folio, 3, pages_of_second),
	  ended(call->arg[2] ? kind_swap_out : kind_swap_in, estat_elapsed(call), call->noted))

ESTAT_CALL(reclaim_compaction, try_to_compact_pages, 0, pages_before)
{
	bool skipped = (__u32)call->ret ==
		       bpf_core_enum_value(enum compact_result, COMPACT_SKIPPED);

	return skipped ? 0 : freed(kind_compaction, call);
}
