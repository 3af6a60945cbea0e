/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data that a buffered write leaves in the page cache, until the data is on the disk. The data
 * is known by its file and offset: pages are not marked. If a task submits a bio that writes, and
 * the bio's first page is of an inode with such data, the module looks at the bio's first SEGMENTS
 * segments.
 */
#ifndef ESTAT_MODULES_TRACE_CACHE_H
#define ESTAT_MODULES_TRACE_CACHE_H

#include "segment.bpf.h"
#include "span.bpf.h"

#define SEGMENTS 256 /* bytes_of() counts only the bytes of a bio's first SEGMENTS segments */

/*
 * The highest number of journeys that have data in the page cache at once, and the highest number
 * of spans of data in txgs of ZFS at once. So neither kind alone takes all journeys or all spans.
 */
#define CACHES 48

/* The claimed span `i` of a bio begins: the bio is submitted to its disk at `now`. */
static __always_inline void bio_begins(int i, struct bio *bio, __u64 now)
{
	span_begins_at(i, device_of_disk(BPF_CORE_READ(bio, bi_bdev, bd_disk)),
		       BPF_CORE_READ(bio, bi_iter.bi_sector), BPF_CORE_READ(bio, bi_iter.bi_size),
		       now);
}

/*
 * The journey's write goes to the page cache. Begin the span of the page cache, unless CACHES
 * journeys have such a span or no span is free. Set j->inode, by which bios and RPCs with the
 * write's data are found.
 */
static __always_inline void cache_begins(__u64 journey)
{
	struct journey *j = traced_at(journey);
	int i = watched < CACHES ? span_claim(journey, kind_cache, 0) : NONE;

	if (i < 0)
		return;
	j->cache = i;
	j->left = 0;
	j->unstable = false;
	span_begins(i, span_at(journey)->device, 0, 0);
	__sync_fetch_and_add(&watched, 1);
	j->inode = j->address;
}

/*
 * The write has returned, so its number of bytes is known: end the span of the page cache if all of
 * the bytes are on the disk already.
 */
static __always_inline int cache_filled(__u64 journey)
{
	struct journey *j = traced_at(journey);

	__sync_fetch_and_add(&j->left, j->bytes);
	return cache_settles(journey, j->ended);
}

/* The address of the inode of the bio's first page, if a journey has data in the inode; else 0. */
static __always_inline __u64 watched_inode(__u64 bio)
{
	__u64 inode = inode_in(bio);

	for (int i = 0; i < JOURNEYS; i++)
		if (inode && traced[i].inode == inode)
			return inode;
	return 0;
}

/*
 * How many of the file's bytes `begin` to `end` - 1 belong to the journey's write. Before the write
 * has ended, the bytes that it is to write belong to it.
 */
static __always_inline __u64 bytes_between(const struct journey *j, __u64 begin, __u64 end)
{
	__u64 from = j->offset, to = from + (j->ended ? j->bytes : j->most);

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return end > begin ? end - begin : 0;
}

/*
 * How many bytes of the journey's write are in segment `i` of the bio. Not static, so that the
 * verifier checks the function once, and not each way through it for each segment.
 */
__noinline __u64 bytes_in(__u64 bio, __u64 journey, __u64 i)
{
	struct segment s = segment_of((struct bio___pages *)bio, i);
	__u64 begin = byte_in_file(&s);

	return bytes_between(traced_at(journey), begin, begin + s.bytes);
}

/* How many bytes of the journey's write are in the bio's first SEGMENTS segments. */
__noinline __u64 bytes_of(__u64 bio, __u64 journey)
{
	__u32 n = BPF_CORE_READ((struct bio___pages *)bio, bi_vcnt);
	__u64 sum = 0;

	for (__u32 i = 0; i < SEGMENTS && i < n; i++)
		sum += bytes_in(bio, journey, i);
	return sum;
}

/*
 * The bio or rpc_task at `writer` writes `bytes` of journey `n`'s data: claim a span below the span
 * of the page cache. NONE: `bytes` is 0, no span is free, or the span of the page cache has ended.
 */
__noinline int cache_claim(__u64 n, __u64 kind, __u64 writer, __u64 bytes)
{
	struct journey *j = traced_at(n);
	int other = bytes ? span_of_bio(writer) : NONE;
	int i = bytes ? span_claim(j->cache, kind, writer) : NONE;

	if (i < 0)
		return NONE;
	if (other >= 0)
		span_at(i)->shared = span_at(other)->shared = true;
	__sync_fetch_and_add(&j->left, -bytes);
	return i;
}

/*
 * A bio with pages of the inode is submitted at `now`. Begin a span if the bio has data of journey
 * `n`.
 */
__noinline int cache_written(__u64 n, __u64 bio, __u64 inode, __u64 now)
{
	__u64 bytes = traced_at(n)->inode == inode ? bytes_of(bio, n) : 0;
	int i = cache_claim(n, kind_bio, bio, bytes);

	if (i >= 0)
		bio_begins(i, (struct bio *)bio, now);
	return 0;
}

/*
 * A bio is submitted at `now`: begin spans if the bio writes data that journeys left in the page
 * cache. `now` is 0 if nobody has read the clock yet. Returns the time, or 0 if still nobody has.
 */
static __always_inline __u64 cache_submits(struct bio *bio, __u64 now)
{
	__u64 inode;

	if ((bio->bi_opf & 255) != REQ_OP_WRITE || !((struct bio___pages *)bio)->bi_vcnt)
		return now;
	now = now ?: bpf_ktime_get_ns();
	inode = watched_inode(estat_id(bio));
	for (int n = 0; inode && n < JOURNEYS; n++)
		cache_written(n, estat_id(bio), inode, now);
	return now;
}

/*
 * A thread in a pass of writeback, and the pass's reason. The index in `flushers` is a hash of the
 * thread. Two threads can have the same index, so an entry can be overwritten by another thread.
 */
struct flusher {
	__u64 thread;
	enum reason reason;
};

#define FLUSHERS 64

struct flusher flushers[FLUSHERS];

static __always_inline struct flusher *flusher_of(__u64 thread)
{
	return &flushers[estat_masked(thread * 0x9e3779b97f4a7c15 >> 32, FLUSHERS - 1)];
}

SEC("tp_btf/writeback_start")
int trace_pass_begins(__u64 *ctx)
{
	__u64 thread = bpf_get_current_task();
	struct flusher *f = flusher_of(thread);

	f->reason = reason_of(((struct wb_writeback_work *)ctx[1])->reason);
	f->thread = thread;
	return 0;
}

SEC("tp_btf/writeback_written")
int trace_pass_ends(__u64 *ctx)
{
	flusher_of(bpf_get_current_task())->thread = 0;
	return 0;
}

/*
 * Writeback takes an inode: note when and why, in the span of the page cache of each journey with
 * data in the inode, unless an earlier time is noted there.
 */
__noinline int cache_picked(__u64 inode)
{
	__u64 thread = bpf_get_current_task();
	struct flusher *f = flusher_of(thread);

	for (int n = 0; n < JOURNEYS; n++) {
		struct span *s = span_at(traced[n].cache);

		if (traced[n].inode != inode || s->picked)
			continue;
		s->picked = bpf_ktime_get_ns();
		s->reason = f->thread == thread ? f->reason : reason_none;
	}
	return 0;
}

SEC("tp_btf/writeback_single_inode_start")
int trace_writeback(__u64 *ctx)
{
	return watched ? cache_picked(estat_id((void *)ctx[0])) : 0;
}

/*
 * A thread begins to write `bytes` or more bytes at *position in the file. Unless the file is open
 * with O_APPEND or O_DIRECT, set `overwritten` in the page cache's span of each journey whose write
 * has ended and has some of these bytes. Before a direct write the kernel writes dirty pages of the
 * same bytes to the disk, so their data is not overwritten.
 */
__noinline int cache_overwritten(__u64 file, __u64 position, __u64 bytes)
{
	__u64 inode = estat_id(BPF_CORE_READ((struct file *)file, f_mapping, host)), from = 0;

	if (BPF_CORE_READ((struct file *)file, f_flags) & (O_APPEND | O_DIRECT))
		return 0;
	bpf_probe_read_kernel(&from, sizeof(from), (const void *)position);
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].inode == inode && traced[n].ended &&
		    from < traced[n].offset + traced[n].bytes &&
		    from + bytes > (__u64)traced[n].offset)
			span_at(traced[n].cache)->overwritten = true;
	return 0;
}

/*
 * Bytes `from` to `to` of a file, both included, leave the page cache. End each journey whose write
 * has ended and lies in this range as a whole, if some of the write's bytes have no bio or RPC yet,
 * or are not yet on the NFS server's disk.
 */
__noinline int cache_truncated(__u64 mapping, __u64 from, __u64 to)
{
	__u64 inode = estat_id(BPF_CORE_READ((struct address_space *)mapping, host));

	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].inode == inode && traced[n].ended &&
		    (traced[n].left > 0 || traced[n].unstable) && from <= (__u64)traced[n].offset &&
		    to >= traced[n].offset + traced[n].bytes - 1)
			journey_ends(n, fate_truncated);
	return 0;
}

SEC("fentry/truncate_inode_pages_range")
int trace_truncate(__u64 *ctx)
{
	return watched ? cache_truncated(estat_id((void *)ctx[0]), ctx[1], ctx[2]) : 0;
}

#endif /* ESTAT_MODULES_TRACE_CACHE_H */
