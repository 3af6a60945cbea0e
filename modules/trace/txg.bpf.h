/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of the data that a write of a file or a volume's bio leaves in ZFS's memory:
 *
 *	dmu_tx_wait		the operation's thread waits because too much data is dirty
 *	dmu_tx_commit		a write of a file has changed data in a txg: the span of the data
 *				begins, if none has begun
 *	zvol_log_write		the same for a volume's bio, see volume.bpf.h
 *	spa_sync		ZFS begins to write a txg
 *	zio_nowait		ZFS writes a block that has some of the data: the zio's span begins
 *	dsl_pool_sync_done	the txg is on the disk
 *
 * The span of the data ends when the last txg with the data is on the disk.
 */
#ifndef ESTAT_MODULES_TRACE_TXG_H
#define ESTAT_MODULES_TRACE_TXG_H

#include "cache.bpf.h"
#include "probe.bpf.h"
#include "span.bpf.h"
#include "zfs/types.bpf.h"
#include "zio.bpf.h"

ESTAT_OPTIONAL("", dmu_tx_commit);
ESTAT_OPTIONAL("", dmu_tx_wait);
ESTAT_OPTIONAL("", spa_sync);
ESTAT_OPTIONAL("", dsl_pool_sync_done);

/*
 * A thread has changed data of an object, a file or a volume, in transaction `tx`: begin the span
 * of the data below span `above`. `bytes` at `offset` are those of a volume; both are 0 for a file,
 * whose bytes are those of the journey's write. Returns the span's index; NONE: CACHES such spans
 * are under way, or no span is free.
 */
static __always_inline int data_begins(__u64 above, struct dmu_tx *tx, __u64 objset, __u64 object,
				       __u64 offset, __u64 bytes)
{
	int i = dirtied < CACHES ? span_claim(above, kind_cache, 0) : NONE;
	struct span *s = span_at(i);

	if (i < 0)
		return NONE;
	s->offset = offset;
	s->size = bytes;
	s->data.objset = objset;
	s->data.object = object;
	s->data.first = s->data.last = BPF_CORE_READ(tx, tx_txg);
	s->data.synced = 0;
	span_begins(i, span_at(above)->device, 0, 0);
	s->data.spa = estat_id(BPF_CORE_READ(tx, tx_pool, dp_spa));
	__sync_fetch_and_add(&dirtied, 1);
	return i;
}

/*
 * The operation's thread has changed data in a txg. Transactions that the thread commits while it
 * waits for the log are not counted, because they have no data.
 */
static __noinline int txg_dirtied(struct dmu_tx *tx)
{
	int n = journey_of_task(bpf_get_current_task());
	struct journey *j = traced_at(n);
	__u64 txg = BPF_CORE_READ(tx, tx_txg);

	if (n < 0 || !j->in_zfs || j->op != op_write || span_at(n)->wait >= 0 || !txg)
		return 0;
	if (j->cache >= 0)
		span_at(j->cache)->data.last = txg;
	else
		j->cache = data_begins(n, tx, j->objset, j->file, 0, 0);
	return 0;
}

ESTAT_ENTRY(trace_txg_dirtied, dmu_tx_commit, 1)
{
	return active ? txg_dirtied((struct dmu_tx *)call->arg[0]) : 0;
}

/*
 * Does a zio write data of span `s`, in the data's pool and in one of the data's txgs? The zios of
 * a file's write that ZFS issues before the write has returned are followed whether they have the
 * write's last bytes or not, because these bytes are not known yet.
 */
static __always_inline bool has_data_of(struct zio *zio, const struct span *s)
{
	const struct journey *j = traced_at(s->journey);
	__u64 txg = BPF_CORE_READ(zio, io_txg), from = s->size ? s->offset : j->offset;
	__u64 to = s->size ? from + s->size : j->ended ? from + j->bytes : -1, begin;

	if (estat_id(BPF_CORE_READ(zio, io_spa)) != s->data.spa || txg < s->data.first ||
	    txg > s->data.last || from == -1ULL ||
	    BPF_CORE_READ(zio, io_type) != bpf_core_enum_value(enum zio_type, ZIO_TYPE_WRITE))
		return false;
	begin = offset_in(zio, s->data.objset, s->data.object);
	return begin != -1ULL && begin < to && begin + BPF_CORE_READ(zio, io_lsize) > from;
}

/*
 * Thread `task` issues a zio of a block: begin a span if the zio writes data of span `above`. A zio
 * of the thread that works on the write or on the volume's bio is below that span already.
 */
__noinline int data_written(__u64 above, __u64 issued, __u64 task)
{
	struct zio *zio = (struct zio *)issued;
	const struct span *s = span_at(above), *bio = span_at(s->parent);
	int i;

	if (traced_at(s->journey)->task == task || !has_data_of(zio, s) ||
	    (bio->task == task && bio->id == s->id && bio->number == s->parent_number))
		return 0;
	i = zio_claim(above, issued);
	if (i >= 0)
		zio_span_begins(i, zio, offset_in(zio, s->data.objset, s->data.object));
	return 0;
}

EACH_SPAN(each_data_written, PROTO(__u64 issued, __u64 task), ARGS(issued, task),
	  s->data.spa ? data_written(i, issued, task) : 0);

/* ZFS begins to write a txg: note the time in the spans whose oldest data is in this txg. */
EACH_SPAN(txg_begins, PROTO(__u64 spa, __u64 txg, __u64 now), ARGS(spa, txg, now),
	  s->data.spa == spa && txg >= s->data.first && !s->picked ? (s->picked = now, 0) : 0);

ESTAT_ENTRY(trace_txg_begins, spa_sync, 2)
{
	return dirtied ? txg_begins(call->arg[0], call->arg[1], bpf_ktime_get_ns()) : 0;
}

/*
 * End span `i` of data in ZFS's memory if two things are true: the last txg with the data is on the
 * disk, and, of a file's write, the write has returned, so that no later txg has data of the write.
 */
static __always_inline int data_settles(__u64 i, __u64 now)
{
	const struct span *s = span_at(i);

	if (s->data.synced >= s->data.last && (s->size || traced_at(s->journey)->ended))
		span_ends(i, now);
	return 0;
}

/* Has the journey's write left data in ZFS's memory, which is not on the disk yet? */
static __always_inline bool is_dirty(const struct journey *j)
{
	const struct span *s = span_at(j->cache);

	return j->cache >= 0 && s->id == j->id && s->data.spa;
}

/* A txg is on the disk, with the uberblock. */
EACH_SPAN(txg_ends, PROTO(__u64 spa, __u64 txg, __u64 now), ARGS(spa, txg, now),
	  s->data.spa == spa ? (s->data.synced = txg, data_settles(i, now)) : 0);

ESTAT_ENTRY(trace_txg_ends, dsl_pool_sync_done, 2)
{
	struct dsl_pool *dp = (struct dsl_pool *)call->arg[0];

	return dirtied ? txg_ends(estat_id(BPF_CORE_READ(dp, dp_spa)), call->arg[1],
				  bpf_ktime_get_ns())
		       : 0;
}

/* The operation's thread waits because too much data is dirty or in the ZIL: begin the span. */
static __noinline int txg_wait_begins(void)
{
	int n = journey_of_task(bpf_get_current_task());

	if (n >= 0)
		wait_begins(n, kind_dirty_wait);
	return 0;
}

ESTAT_ENTRY(trace_txg_wait, dmu_tx_wait, 1)
{
	struct dmu_tx *tx = (struct dmu_tx *)call->arg[0];

	return active && BPF_CORE_READ(tx, tx_wait_dirty) ? txg_wait_begins() : 0;
}

static __noinline int txg_wait_ends(void)
{
	int n = journey_of_task(bpf_get_current_task());

	return n < 0 ? 0 : wait_ends(n, kind_dirty_wait);
}

ESTAT_RUN(ESTAT_EXIT(trace_txg_waited, dmu_tx_wait, 0), active ? txg_wait_ends() : 0);

#endif /* ESTAT_MODULES_TRACE_TXG_H */
