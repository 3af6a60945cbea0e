// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io.wait: how long a bio waits for io.max, for other limits of a cgroup, for wbt or for a
 * tag, before the bio has a request. The module backend_io measures the request.
 *
 *	submitted -- this module --> allocated -- backend_io.queue, backend_io --> completed
 *
 * The kernel's own stamp of a bio does not tell when the wait begins. Up to Linux 6.17 the kernel
 * stamps each bio (bi_issue, by blkcg_bio_issue_init()) after the wait for io.max. Since 6.18 the
 * kernel stamps a bio (issue_time_ns) only if io.latency is set (QUEUE_FLAG_BIO_ISSUE_TIME). So the
 * module stamps bios. These stamps cost more than all of backend_io, so the module is attached on
 * demand.
 */
#include "bio_walk.bpf.h"
#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "probe.bpf.h"
#include "tell.bpf.h"

ESTAT_MODULE(backend_io.wait, 13);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;
/*
 * Since Linux 5.16 the kernel calls __blk_throtl_bio for a bio to which an io.max applies. Up to
 * 5.15 the kernel calls blk_throtl_bio for each bio, even if no io.max is set.
 */
ESTAT_OPTIONAL("waits for io.max", __blk_throtl_bio, blk_throtl_bio);

struct wait_value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(
	backend_io_wait, 0, struct key, struct wait_value, 200,
	"From a bio's submission (function __blk_throtl_bio if an io.max applies to the bio, else\n"
	"tracepoint block_bio_queue; in Linux 5.15 function blk_throtl_bio) to the allocation of\n"
	"the bio's request (tracepoint block_getrq). Most waits are for io.max, io.cost,\n"
	"io.latency, wbt, a frozen queue, a tag or, since Linux 6.10, earlier writes to a zone.\n"
	"Of bios merged to one request only the first counts. Of a bio that is split each part\n"
	"counts, from the submission of the whole bio. Disks without requests, such as those of\n"
	"LVM, have no wait here; the disks below them have. Under way are bios that have no\n"
	"request yet. Linux 5.15 or newer");
/*
 * The last argument names the layers whose time includes waits of this layer. The time of the layer
 * bio begins after a wait for io.max, and includes all other waits. So the layers above bio, whose
 * time includes waits for io.max, are named beside bio.
 */
ESTAT_LAYER(backend_io_wait, 505, "vfs page_cache journal.commit zio iscsi.backend bio");

/* Submitted bios that have no request yet. The id is the bio's address. */
ESTAT_INFLIGHT(submitted, SETS, 4096);

/* Flag: io.max was checked for the bio, and block_bio_queue has not fired for it yet. */
#define LIMIT ESTAT_FLAG_1

/*
 * Flag: the bio is the rest after a split. The kernel can check io.max for the rest again, but
 * block_bio_queue does not fire again. If block_bio_queue fires for a bio whose entry has this
 * flag, the entry was left by an older bio at the same address: a discard that was merged. The
 * kernel has no tracepoint for such a merge (bio_attempt_discard_merge in block/blk-merge.c).
 */
#define REST ESTAT_FLAG_2

/*
 * Store a bio when the kernel checks io.max for the bio the first time, before block_bio_queue. The
 * kernel checks io.max again for the rest after a split and, up to Linux 5.15, for a bio that was
 * throttled and released.
 */
static __always_inline int limit(const struct estat_call *call)
{
	__u64 id = estat_id((void *)call->arg[0]);
	struct estat_begun *e = submitted_find(id);

	if (!e || !(e->began & (LIMIT | REST)))
		submitted_begin(id, bpf_ktime_get_ns() | LIMIT);
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(backend_io_wait_limit, __blk_throtl_bio, 1), limit(call))
ESTAT_RUN(ESTAT_ENTRY(backend_io_wait_limit_old, blk_throtl_bio, 1), limit(call))

/*
 * The tracepoint fires once for a bio: it does not fire again when a lower disk gets the bio, nor
 * for the rest of a split bio.
 */
SEC("tp_btf/block_bio_queue")
int backend_io_wait_begin(__u64 *ctx)
{
	__u64 id = estat_id((void *)ctx[0]);
	struct estat_begun *e = submitted_find(id);

	if (e && e->began & LIMIT)
		e->began &= ~LIMIT;
	else
		submitted_begin(id, bpf_ktime_get_ns());
	return 0;
}

/*
 * A bio is split: the first part is a new bio, chained to the original. Both bios get the
 * original's time of submission. If the original has no entry, the first part gets none.
 */
SEC("tp_btf/block_split")
int backend_io_wait_split(__u64 *ctx)
{
	struct bio *part = (struct bio *)ctx[0];
	struct estat_begun *whole = submitted_find((__u64)BPF_CORE_READ(part, bi_private));
	__u64 began = whole ? whole->began : 0;

	if (!began) {
		/*
		 * the entry is an older bio's at the same address; or, since Linux 5.18, that of
		 * `part` itself, which device mapper has split and which gets no request
		 */
		submitted_remove(estat_id(part));
		return 0;
	}
	whole->began = began | REST;
	submitted_begin(estat_id(part), began & ESTAT_BEGAN);
	return 0;
}

/*
 * Drop the entry of a bio that gets no request of its own, because a later bio can have the same
 * address. Such a bio ends without a request, as bios of md and device mapper do, or is merged to
 * the request of another bio.
 */
#define WITHOUT_REQUEST(NAME, TRACEPOINT, BIO)             \
	SEC("tp_btf/" #TRACEPOINT)                         \
	int NAME(__u64 *ctx)                               \
	{                                                  \
		submitted_remove(estat_id((void *)(BIO))); \
		return 0;                                  \
	}

WITHOUT_REQUEST(backend_io_wait_no_request, block_bio_complete, ctx[1])
WITHOUT_REQUEST(backend_io_wait_backmerge, block_bio_backmerge, ctx[0])
WITHOUT_REQUEST(backend_io_wait_frontmerge, block_bio_frontmerge, ctx[0])

SEC("tp_btf/block_getrq")
int backend_io_wait_end(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	__s64 ns = submitted_end(estat_id(bio), bpf_ktime_get_ns());
	struct key key = key_by(bio->bi_bdev->bd_disk, bio_op(bio));
	struct wait_value *v;

	if (ns < 0)
		return 0;
	v = backend_io_wait_find(&key);
	if (!v) {
		note_hidden(bio->bi_bdev->bd_disk);
		v = backend_io_wait_insert(&key);
	}
	if (v)
		estat_count_latency(v, ns);
	return 0;
}

/*
 * Does the bio wait for a request? A bio of md or of bio-based device mapper never gets a request.
 * A merged discard does not wait any more, but its entry stays until a new bio has the discard's
 * address.
 */
static __always_inline bool bio_waits(const struct estat_begun *e, struct key *key)
{
	struct bio *bio = (struct bio *)e->id;
	struct gendisk *disk = BPF_CORE_READ(bio, bi_bdev, bd_disk);

	if (!disk || !BPF_CORE_READ(disk, queue, tag_set))
		return false;
	key->disk = dev_at(disk);
	key->op = op_of(BPF_CORE_READ(bio, bi_opf));
	if (key->op == op_write && !BPF_CORE_READ(bio, bi_iter.bi_size))
		key->op = op_flush;
	return e->began & LIMIT || bio_has_not_ended(bio);
}

static __always_inline void tell_entry(const struct estat_begun *e)
{
	struct bio *bio = (struct bio *)e->id;

	tell_bio((__u64)bio, BPF_CORE_READ(bio, bi_iter.bi_size));
}

ESTAT_TELLS;
ESTAT_WALK(submitted, backend_io_wait, struct key, bio_waits, tell_entry);
