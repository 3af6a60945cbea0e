// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arc_prefetch: how ZFS's cache, the ARC, serves reads of files, and what the ARC reads from the
 * pool on demand (normal_read) and as prefetch (prefetch_read), by pool.
 *
 *	zfs_read:	dmu_read_uio_dbuf ... dataset_kstats_update_read_kstats
 *	  arc_read.*	  arc_read --> spa_read_history_add, the end of arc_read
 *	*_read.*	    trace_zfs_arc__miss --> arc_read_done, in any thread
 *
 * `arc_read.*` stands for the metrics estat.arc_prefetch.arc_read.*, `*_read.*` for those of
 * normal_read and prefetch_read.
 *
 * zfs_read calls arc_read in its own thread. A prefetch's callback can call arc_read in another
 * thread, too: such a call is not in `arc_read.*`. zfs_read may return without a call of
 * dmu_read_uio_dbuf. After dmu_read_uio_dbuf zfs_read always calls
 * dataset_kstats_update_read_kstats. All probes are at entries, because the kernel can miss a
 * kretprobe.
 */
#include "inflight.bpf.h"
#include "thread.bpf.h"
#include "zfs.bpf.h"

ESTAT_MODULE(arc_prefetch, 9);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE("/proc/spl/kstat/zfs/arcstats", "^misses ");

struct key {
	estat_name_t pool;
};

struct value {
	estat_count_t hits ESTAT_FIELD(
		17, "Blocks of data that zfs_read found in the ARC; prefetches do not count");
	estat_count_t misses ESTAT_FIELD(
		18,
		"Blocks of data that zfs_read did not find in the ARC; prefetches do not count");
	estat_count_t iohits ESTAT_FIELD(19, "Blocks of data whose read was under way when "
					     "zfs_read called arc_read; prefetches do not count");
	estat_count_t metadata_hits ESTAT_FIELD(
		20,
		"Indirect blocks that zfs_read found in the ARC, also on the way to prefetch data");
	estat_count_t metadata_misses
		ESTAT_FIELD(21, "Indirect blocks that zfs_read did not find in the ARC");
	estat_count_t metadata_iohits ESTAT_FIELD(
		22, "Indirect blocks whose read was under way when zfs_read called arc_read");
	struct estat_latency arc_read ESTAT_GROUP(
		1,
		"From a call of arc_read within zfs_read, also for a prefetch, to\n"
		"spa_read_history_add, which arc_read calls last: the time to find a block in\n"
		"the ARC or to issue a read, not the time of the read. Blocks embedded in their\n"
		"block pointer do not count");
	struct estat_io normal_read ESTAT_GROUP(
		2,
		"From a demand miss in arc_read, just before arc_read issues a read to the pool\n"
		"or the L2ARC, to arc_read_done; in any thread, not only within zfs_read. Also\n"
		"reads of indirect blocks on the way to prefetch data. Bytes are compressed as in\n"
		"the pool, unless zfs_compressed_arc_enabled is 0");
	struct estat_io prefetch_read
		ESTAT_GROUP(3, "From a prefetch's miss in arc_read to arc_read_done, in any\n"
			       "thread. Bytes are compressed as in the pool, unless\n"
			       "zfs_compressed_arc_enabled is 0");
};

ESTAT_SERIES(
	arc_prefetch, 0, struct key, struct value, 128,
	"Reads of the ARC by zfs_read, by pool: demand hits, misses and iohits of data and\n"
	"metadata. The kstat arcstats has the same numbers of the whole host and all readers of\n"
	"the ARC, but no iohits before ZFS 2.2. Direct I/O (since ZFS 2.3) reads data past the\n"
	"ARC: its metadata counts, but of its data only blocks that a dbuf has. Reads of mapped\n"
	"files' pages and of volumes count only in estat.arc_prefetch.normal_read\n"
	"and .prefetch_read. OpenZFS 2.1 to 2.4, built without ZFS's own tracepoints");
ESTAT_LAYOUT(arc_prefetch, "nested; every 5 s");

/*
 * The highest number of nested calls of arc_read that the module follows. Calls nest, because a
 * prefetch's callback calls arc_read for the next level of blocks.
 */
#define MAX_CALLS 8

enum outcome {
	/*
	 * no hit or miss was seen; if arc_read ends with this outcome, the block's read was under
	 * way (an iohit) or, rarely, the block pointer is damaged
	 */
	outcome_none,
	outcome_hit,
	outcome_miss,
};

/* A thread in zfs_read. */
struct reader {
	__u64 pool;
	struct spa *spa; /* NULL: the thread is not in zfs_read, or has not begun a chunk */
	__u64 seen;      /* estat_any_time() when zfs_read began its latest chunk */
	__u64 ncalls;    /* number of calls of arc_read under way, except for embedded blocks */
	struct arc_call {
		__u64 began;
		__u64 outcome;
	} calls[MAX_CALLS];
};

ESTAT_PER_THREAD(readers, struct reader);

/*
 * A read of a block from the pool. The key in `pool_reads` is the address of the block's
 * arc_buf_hdr, because a block has at most one read at a time.
 */
struct pool_read {
	__u64 began;
	__u64 prefetch;
};

ESTAT_INFLIGHT(pool_reads, HASH, __u64, struct pool_read, 16384);

/*
 * This thread's struct reader; NULL: the thread is not in zfs_read, or has not begun a chunk since
 * the last attachment.
 */
static __always_inline struct reader *this_reader(void)
{
	struct reader *r = readers_here();

	return r && r->spa && estat_since_attach(r->seen) ? r : NULL;
}

/* The thread's i-th call of arc_read under way, from 0; NULL if i >= MAX_CALLS. */
static __always_inline struct arc_call *arc_call(struct reader *r, __u64 i)
{
	__u64 at = i % MAX_CALLS;

	/* without the barrier the compiler drops the modulo, which the verifier needs */
	barrier_var(at);
	return i < MAX_CALLS ? &r->calls[at] : NULL;
}

static __always_inline struct value *value_of(__u64 pool, struct spa *spa)
{
	struct key key = { .pool = pool };
	struct value *v = arc_prefetch_find(&key);

	if (v || is_tried(spa))
		return v;
	name_pool(pool, spa);
	return arc_prefetch_insert(&key);
}

static __always_inline bool is_prefetch(__u32 flags)
{
	return flags & bpf_core_enum_value(enum arc_flags, ARC_FLAG_PREFETCH);
}

/* Does the block pointer itself contain the block's data? (BP_IS_EMBEDDED, include/sys/spa.h) */
static __always_inline bool is_embedded(struct blkptr *bp)
{
	return BPF_CORE_READ(bp, blk_prop) >> 39 & 1;
}

static __always_inline void count_demand(struct value *v, enum outcome outcome, bool metadata)
{
	if (outcome == outcome_hit)
		estat_add(*(metadata ? &v->metadata_hits : &v->hits), 1);
	else if (outcome == outcome_miss)
		estat_add(*(metadata ? &v->metadata_misses : &v->misses), 1);
	else
		estat_add(*(metadata ? &v->metadata_iohits : &v->iohits), 1);
}

/* zfs_read begins to read a chunk. zfs_read splits a large read into chunks. */
ESTAT_ENTRY(reader_begins, dmu_read_uio_dbuf, 1)
{
	/* the argument's type is dmu_buf_t *, but ZFS passes a struct dmu_buf_impl */
	struct dmu_buf_impl *db = (struct dmu_buf_impl *)call->arg[0];
	struct spa *spa = BPF_CORE_READ(db, db_objset, os_spa);
	struct reader *r = readers_make();

	if (!r)
		return 0;
	r->pool = pool_id(spa, false);
	r->spa = spa;
	r->seen = estat_any_time();
	r->ncalls = 0;
	return 0;
}

/*
 * zfs_read calls the probed function after the last chunk. Calls by others, such as reads of zvols,
 * are outside of zfs_read. There is one exception: if zfs_read copies a chunk to memory that is a
 * mapped file, a page fault there may call the function. By then all blocks of the chunk are read.
 */
ESTAT_ENTRY(reader_ends, dataset_kstats_update_read_kstats, 1)
{
	struct reader *r = readers_here();

	if (r)
		r->spa = NULL;
	return 0;
}

ESTAT_ENTRY(arc_read_begins, arc_read, ESTAT_MANY_ARGS)
{
	struct reader *r = this_reader();
	struct arc_call *c;

	if (!r || is_embedded((struct blkptr *)call->arg[2]))
		return 0;
	c = arc_call(r, r->ncalls++);
	if (c) {
		c->began = bpf_ktime_get_ns();
		c->outcome = outcome_none;
	}
	return 0;
}

/*
 * arc_read calls spa_read_history_add last, but does not call the function for an embedded block.
 * arg[2] has arc_read's flags.
 */
ESTAT_ENTRY(arc_read_ends, spa_read_history_add, 3)
{
	struct zbookmark_phys *zb = (struct zbookmark_phys *)call->arg[1];
	struct reader *r = this_reader();
	struct arc_call *c;
	struct value *v;

	if (!r || !r->ncalls)
		return 0;
	c = arc_call(r, --r->ncalls);
	if (!c) {
		estat_count_missed();
		return 0;
	}
	v = value_of(r->pool, r->spa);
	if (!v)
		return 0;
	estat_count_latency(&v->arc_read, bpf_ktime_get_ns() - c->began);
	if (!is_prefetch(call->arg[2]))
		count_demand(v, c->outcome, ESTAT_READ(zb, zb_level) > 0);
	return 0;
}

/*
 * Set the outcome of the thread's innermost call of arc_read. False: the thread is in no call of
 * arc_read, or is in more than MAX_CALLS nested calls, or the outcome was set before.
 */
static __always_inline bool note_outcome(struct reader *r, enum outcome outcome)
{
	struct arc_call *c = arc_call(r, r->ncalls - 1);

	if (!c || c->outcome != outcome_none)
		return false;
	c->outcome = outcome;
	return true;
}

/* ZFS declares the arguments of trace_zfs_* as integers, so BTF has no type for `hdr`. */
ESTAT_ENTRY(arc_hit, trace_zfs_arc__hit, 1)
{
	struct arc_buf_hdr *hdr = (struct arc_buf_hdr *)call->arg[0];
	struct reader *r = this_reader();
	struct value *v;

	/* arc_read_ends() counts a call of arc_read beyond MAX_CALLS as missed */
	if (!r || r->ncalls > MAX_CALLS || note_outcome(r, outcome_hit))
		return 0;
	/* the hit is one of arc_buf_access: a dbuf has the block, so ZFS does not call arc_read */
	v = value_of(r->pool, r->spa);
	if (v)
		count_demand(v, outcome_hit,
			     BPF_CORE_READ(hdr, b_flags) &
				     bpf_core_enum_value(enum arc_flags, ARC_FLAG_BUFC_METADATA));
	return 0;
}

ESTAT_ENTRY(arc_miss, trace_zfs_arc__miss, 1)
{
	struct arc_buf_hdr *hdr = (struct arc_buf_hdr *)call->arg[0];
	struct pool_read read = {
		.began = bpf_ktime_get_ns(),
		.prefetch = is_prefetch(BPF_CORE_READ(hdr, b_flags)),
	};
	struct reader *r = this_reader();

	pool_reads_begin(call->arg[0], &read);
	if (r)
		note_outcome(r, outcome_miss);
	return 0;
}

ESTAT_ENTRY(pool_read_done, arc_read_done, 1)
{
	__u64 now = bpf_ktime_get_ns();
	struct zio *zio = (struct zio *)call->arg[0];
	__u64 hdr = (__u64)ESTAT_READ(zio, io_private);
	struct pool_read *read = pool_reads_find(hdr);
	struct spa *spa = ESTAT_READ(zio, io_spa);
	struct value *v;

	if (!read) {
		/*
		 * an embedded block is not read from the pool; of any other block, the begin of the
		 * read was not seen or pool_reads was full
		 */
		if (!is_embedded(ESTAT_READ(zio, io_bp)))
			estat_count_missed();
		return 0;
	}
	v = value_of(pool_id(spa, typed), spa);
	if (v)
		estat_count_io(read->prefetch ? &v->prefetch_read : &v->normal_read,
			       now - read->began, ESTAT_READ(zio, io_size),
			       ESTAT_READ(zio, io_error));
	pool_reads_free(hdr);
	return 0;
}
