/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of the data that a write leaves in ZFS's memory:
 *
 *	dmu_tx_wait		the operation's thread waits because too much data is dirty
 *	dmu_tx_commit		a write has changed data in a txg: the span of the data begins, if
 *				none has begun
 *	spa_sync		ZFS begins to write a txg
 *	dsl_pool_sync_done	the txg is on the disk
 *
 * The span of the data ends when the last txg with data of the write is on the disk.
 */
#ifndef ESTAT_MODULES_TRACE_TXG_H
#define ESTAT_MODULES_TRACE_TXG_H

#include "cache.bpf.h"
#include "probe.bpf.h"
#include "span.bpf.h"
#include "zfs/types.bpf.h"

ESTAT_OPTIONAL("", dmu_tx_commit);
ESTAT_OPTIONAL("", dmu_tx_wait);
ESTAT_OPTIONAL("", spa_sync);
ESTAT_OPTIONAL("", dsl_pool_sync_done);

/*
 * The operation's thread has changed data in a txg. Transactions that the thread commits while it
 * waits for the log are not counted, because they have no data.
 */
static __noinline int txg_dirtied(struct dmu_tx *tx)
{
	int n = journey_of_task(bpf_get_current_task()), i;
	struct journey *j = traced_at(n);
	__u64 txg = BPF_CORE_READ(tx, tx_txg);

	if (n < 0 || !j->in_zfs || j->op != op_write || span_at(n)->wait >= 0 || !txg)
		return 0;
	j->txg = txg;
	if (j->spa)
		return 0;
	i = dirtied < CACHES ? span_claim(n, kind_cache, 0) : NONE;
	if (i < 0)
		return 0;
	span_begins(i, span_at(n)->device, 0, 0);
	j->cache = i;
	j->txg_first = txg;
	__sync_fetch_and_add(&dirtied, 1);
	j->spa = estat_id(BPF_CORE_READ(tx, tx_pool, dp_spa));
	return 0;
}

ESTAT_ENTRY(trace_txg_dirtied, dmu_tx_commit, 1)
{
	return active ? txg_dirtied((struct dmu_tx *)call->arg[0]) : 0;
}

/* ZFS begins to write a txg: if the txg is the first with journey `n`'s data, note the time. */
__noinline int txg_begins(__u64 n, __u64 spa, __u64 txg, __u64 now)
{
	struct journey *j = traced_at(n);
	struct span *s = span_at(j->cache);

	if (j->spa == spa && txg >= j->txg_first && !s->picked)
		s->picked = now;
	return 0;
}

ESTAT_ENTRY(trace_txg_begins, spa_sync, 2)
{
	__u64 now = bpf_ktime_get_ns();

	for (int n = 0; dirtied && n < JOURNEYS; n++)
		if (traced[n].spa == call->arg[0])
			txg_begins(n, call->arg[0], call->arg[1], now);
	return 0;
}

/*
 * A txg is on the disk, with the uberblock. The span of journey `n`'s data ends here if two things
 * are true: the write has returned, and no later txg has data of the write.
 */
__noinline int txg_synced(__u64 n, __u64 spa, __u64 txg, __u64 now)
{
	struct journey *j = traced_at(n);

	if (j->spa != spa || !j->id)
		return 0;
	j->synced = txg;
	return j->ended ? txg_settles(n, now) : 0;
}

ESTAT_ENTRY(trace_txg_ends, dsl_pool_sync_done, 2)
{
	struct dsl_pool *dp = (struct dsl_pool *)call->arg[0];
	__u64 now = bpf_ktime_get_ns(), spa;

	if (!dirtied)
		return 0;
	spa = estat_id(BPF_CORE_READ(dp, dp_spa));
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].spa == spa)
			txg_synced(n, spa, call->arg[1], now);
	return 0;
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
