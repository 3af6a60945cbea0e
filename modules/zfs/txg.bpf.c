// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * txg: how long ZFS takes to sync a transaction group (txg), by pool, and how long writers waited
 * while the txg was open.
 *
 *	open: writers dirty blocks; with too many dirty blocks ZFS delays the writers
 *	... quiescing ...
 *	spa_sync -- dsl_pool_sync in pass 1, in pass 2, ... --> synced
 *
 * A pool has at most three txgs that are not synced: one open, one quiescing, one in spa_sync. So
 * the last two bits of a txg's number tell these txgs apart, as in ZFS itself (TXG_SIZE).
 */
#define ESTAT_RARE

#include "event.bpf.h"
#include "pool_walk.bpf.h"
#include "return.bpf.h"
#include "thread.bpf.h"
#include "told.bpf.h"

ESTAT_MODULE(txg, 8);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE("/proc/spl/kstat/zfs/*/txgs", "^[0-9]+ +[0-9]+ +C ");

#define POOLS    256
#define TXG_MASK 3

struct key {
	estat_name_t pool;
};

/* Help texts, each for a gauge of a pool's last txg and for a field of each txg's event record. */
#define SYNC_TIME   "Time from the entry of spa_sync to its return"
#define PASS1_SHARE "Percent of sync_time spent in dsl_pool_sync in pass 1"
#define DIRTY                                                                             \
	"Highest number of dirty bytes in the pool while blocks of the txg became dirty " \
	"or when its sync began"
#define DIRTY_SHARE "The value of dirty, as percent of zfs_dirty_data_max"
#define THROTTLE    "Highest delay that the write throttle computed; the writer's sleep can differ"
#define DELAYS      "Waits in dmu_tx_wait because too many bytes were dirty or in the ZIL"
#define MAX_DELAY   "Longest wait in dmu_tx_wait because too many bytes were dirty or in the ZIL"
#define AVG_DELAY   "Mean wait in dmu_tx_wait because too many bytes were dirty or in the ZIL"

struct last {
	estat_gauge_t txg ESTAT_FIELD(17, "Number of the last txg that was synced");
	estat_gauge_nsec_t since_sync ESTAT_FIELD(18,
						  "Time from the return of the previous txg's "
						  "spa_sync to the entry of this txg's spa_sync");
	estat_gauge_nsec_t sync_time ESTAT_FIELD(19, SYNC_TIME);
	estat_gauge_share_t pass1_share ESTAT_FIELD(20, PASS1_SHARE);
	estat_gauge_bytes_t dirty ESTAT_FIELD(21, DIRTY);
	estat_gauge_share_t dirty_share ESTAT_FIELD(22, DIRTY_SHARE);
	estat_gauge_nsec_t throttle ESTAT_FIELD(23, THROTTLE);
	estat_gauge_t delays ESTAT_FIELD(24, DELAYS);
	estat_gauge_nsec_t max_delay ESTAT_FIELD(25, MAX_DELAY);
	estat_gauge_nsec_t avg_delay ESTAT_FIELD(26, AVG_DELAY);
};

struct value {
	struct estat_latency;
	struct estat_inflight;
	struct last last ESTAT_GROUP(
		1,
		"The pool's last synced txg. A writer's wait counts in the txg that is open\n"
		"when the wait ends. If a sync ends during a fetch, some metrics can be of that\n"
		"txg and other metrics of the previous txg; estat.txg.events has all values of\n"
		"each txg");
};

ESTAT_SERIES(
	txg, 0, struct key, struct value, POOLS,
	"From the entry of spa_sync to the return, once for each txg. Not counted: the time while\n"
	"the txg was open and quiescing. Under way is a txg in spa_sync. OpenZFS 2.1 to 2.4");

struct event {
	char pool[256] ESTAT_PARAMETER(1, "The pool");
	estat_count_t txg ESTAT_PARAMETER(2, "Number of the txg");
	estat_nsec_t since_sync ESTAT_PARAMETER(
		3, "Time from the return of the previous txg's spa_sync to the entry of this\n"
		   "txg's spa_sync; 0 if unknown");
	estat_nsec_t sync_time ESTAT_PARAMETER(4, SYNC_TIME);
	estat_share_t pass1_share ESTAT_PARAMETER(5, PASS1_SHARE);
	estat_bytes_t dirty ESTAT_PARAMETER(6, DIRTY);
	estat_share_t dirty_share ESTAT_PARAMETER(7, DIRTY_SHARE);
	estat_nsec_t throttle ESTAT_PARAMETER(8, THROTTLE);
	estat_count_t delays ESTAT_PARAMETER(9, DELAYS);
	estat_nsec_t max_delay ESTAT_PARAMETER(10, MAX_DELAY);
	estat_nsec_t avg_delay ESTAT_PARAMETER(11, AVG_DELAY);
};

ESTAT_EVENTS(struct event, 1024, "One record for each txg, at the return of spa_sync");
ESTAT_LAYOUT(
	events,
	"        date                 txg     time since last sync\n"
	"         |                    |         |   sync time\n"
	"         |                    |         |        |  (% pass 1)\n"
	"         |                    |         |        |    |     highest dirty (%)\n"
	"         |                    |         |        |    |           |  highest throttle "
	"delay\n"
	"         |                    |         |        |    |           |            |      "
	"|  avg delay\n"
	"         v                    v         v        v    v           v            v      "
	"v       v\n"
	"{date:-24} {txg:10} {since_sync:5/1e6}ms {sync_time:5/1e6}ms ({pass1_share:2}% pass 1)"
	"{dirty:4/1048576}MB ({dirty_share:2}%) {throttle:4/1e3}us {max_delay:5/1e6}ms "
	"{avg_delay:4/1e6}ms");

/*
 * What is gathered for a txg until its sync ends. `dirty` is in bytes, `delays` is a number of
 * waits, all other members are in nanoseconds.
 */
struct gathered {
	__u64 dirty, throttle, delays, delay_sum, max_delay;
};

struct pool {
	__u64 txg;    /* number of the last synced txg */
	__u64 synced; /* when the sync of `txg` ended */
	__u64 began;  /* when the sync under way began; 0: no sync, or its begin was not seen */
	__u64 pass1;  /* ns in dsl_pool_sync in pass 1 of the sync under way */
	struct gathered txgs[TXG_MASK + 1];
};

ESTAT_HASH_MAP(pools, HASH, struct dsl_pool *, struct pool, POOLS);

/* A thread in dmu_tx_wait. */
struct writer {
	__u64 began; /* when a wait with tx_wait_dirty set began; 0: the thread is in none */
};

ESTAT_INFLIGHT(writers, THREAD, struct writer);

ESTAT_ADDRESS(zfs_dirty_data_max);

static const struct pool new_pool;

static __always_inline struct pool *pool_of(struct dsl_pool *dp)
{
	struct pool *p = bpf_map_lookup_elem(&pools, &dp);

	if (p)
		return p;
	bpf_map_update_elem(&pools, &dp, &new_pool, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pools, &dp);
}

static __always_inline struct gathered *gathered_of(struct dsl_pool *dp, __u64 txg)
{
	struct pool *p = pool_of(dp);

	if (!p)
		return NULL;
	/* without the barrier the compiler adds an offset to `p` before it checks `p` for NULL */
	barrier_var(p);
	return &p->txgs[txg & TXG_MASK];
}

/* arg[1] more bytes become dirty. dp_dirty_total does not include these bytes yet. */
ESTAT_ENTRY(txg_dirty, dsl_pool_dirty_space, 3)
{
	struct dsl_pool *dp = (struct dsl_pool *)call->arg[0];
	struct dmu_tx *tx = (struct dmu_tx *)call->arg[2];
	struct gathered *g = gathered_of(dp, ESTAT_READ(tx, tx_txg));

	if (g)
		estat_max_raise(&g->dirty, ESTAT_READ(dp, dp_dirty_total) + call->arg[1], true);
	return 0;
}

/*
 * A writer may begin to wait. If tx_wait_dirty is set, the writer waits while zfs_dirty_data_max or
 * more bytes are dirty. After that dmu_tx_delay may make the writer sleep.
 */
ESTAT_ENTRY(txg_wait_begins, dmu_tx_wait, 1)
{
	struct dmu_tx *tx = (struct dmu_tx *)call->arg[0];

	if (ESTAT_READ(tx, tx_wait_dirty))
		writers_begin();
	return 0;
}

/*
 * dmu_tx_delay, which compilers inline into dmu_tx_wait, calls the probed function when the thread
 * is about to sleep: arg[1] has the dirty bytes, arg[2] the computed delay in ns. The delay counts
 * from the begin of the transaction, not of the sleep. BTF has no type for arg[0].
 */
ESTAT_ENTRY(txg_throttle, trace_zfs_delay__mintime, 3)
{
	struct dmu_tx *tx = (struct dmu_tx *)call->arg[0];
	struct dsl_pool *dp = BPF_CORE_READ(tx, tx_pool);
	struct gathered *g = gathered_of(dp, BPF_CORE_READ(dp, dp_tx.tx_open_txg));

	if (!g)
		return 0;
	estat_max_raise(&g->dirty, call->arg[1], true);
	estat_max_raise(&g->throttle, call->arg[2], true);
	return 0;
}

/* A writer's wait ends. The wait counts in the txg that is open now. */
ESTAT_CALL(txg_wait, dmu_tx_wait, 1, estat_every_call)
{
	struct dmu_tx *tx = (struct dmu_tx *)call->arg[0];
	struct dsl_pool *dp = ESTAT_READ(tx, tx_pool);
	struct gathered *g = gathered_of(dp, ESTAT_READ(dp, dp_tx.tx_open_txg));
	struct writer *w = writers_find();
	__u64 ns;

	if (!w)
		return 0;
	ns = bpf_ktime_get_ns() - w->began;
	writers_free(w);
	if (!g)
		return 0;
	__sync_fetch_and_add(&g->delays, 1);
	__sync_fetch_and_add(&g->delay_sum, ns);
	estat_max_raise(&g->max_delay, ns, true);
	return 0;
}

/* A sync begins. Writers dirty no more blocks of the txg: note the time and the dirty bytes. */
ESTAT_ENTRY(txg_full, spa_sync, 2)
{
	struct spa *spa = (struct spa *)call->arg[0];
	struct dsl_pool *dp = ESTAT_READ(spa, spa_dsl_pool);
	struct pool *p = pool_of(dp);

	if (!p)
		return 0;
	p->began = bpf_ktime_get_ns();
	estat_max_raise(&p->txgs[call->arg[1] & TXG_MASK].dirty, ESTAT_READ(dp, dp_dirty_total),
			true);
	return 0;
}

ESTAT_CALL(txg_pass, dsl_pool_sync, 2, estat_every_call)
{
	struct dsl_pool *dp = (struct dsl_pool *)call->arg[0];
	struct spa *spa = ESTAT_READ(dp, dp_spa);
	struct pool *p = pool_of(dp);

	if (p && ESTAT_READ(spa, spa_sync_pass) == 1)
		p->pass1 = estat_elapsed(call);
	return 0;
}

static __always_inline __u64 dirty_data_max(void)
{
	__u64 max = 0;

	if (estat_address_zfs_dirty_data_max)
		bpf_probe_read_kernel(&max, sizeof(max),
				      (const void *)estat_address_zfs_dirty_data_max);
	return max;
}

static __always_inline void set_last(struct last *last, const struct event *e)
{
	estat_set(last->txg, e->txg);
	if (e->since_sync)
		estat_set(last->since_sync, e->since_sync);
	estat_set(last->sync_time, e->sync_time);
	estat_set(last->pass1_share, e->pass1_share);
	estat_set(last->dirty, e->dirty);
	if (estat_address_zfs_dirty_data_max)
		estat_set(last->dirty_share, e->dirty_share);
	estat_set(last->throttle, e->throttle);
	estat_set(last->delays, e->delays);
	estat_set(last->max_delay, e->max_delay);
	estat_set(last->avg_delay, e->avg_delay);
}

static __always_inline struct value *value_of(struct spa *spa, bool typed)
{
	struct key key = { .pool = pool_id(spa, typed) };

	return ESTAT_GET_NAMED(txg, &key, name_pool(key.pool, spa));
}

/* Fill the record of the txg whose sync ends now. */
static __always_inline void report(struct event *e, const struct pool *p, const struct gathered *g,
				   const struct estat_call *sync, __u64 now)
{
	e->txg = sync->arg[1];
	e->since_sync = p->txg == e->txg - 1 ? sync->began - p->synced : 0;
	e->sync_time = now - sync->began;
	e->pass1_share = estat_share(p->pass1, e->sync_time);
	e->dirty = g->dirty;
	e->dirty_share = estat_share(g->dirty, dirty_data_max());
	e->throttle = g->throttle;
	e->delays = g->delays;
	e->max_delay = g->max_delay;
	e->avg_delay = g->delays ? g->delay_sum / g->delays : 0;
}

ESTAT_CALL(txg_sync, spa_sync, 2, estat_every_call)
{
	struct spa *spa = (struct spa *)call->arg[0];
	struct pool *p = pool_of(ESTAT_READ(spa, spa_dsl_pool));
	__u64 now = bpf_ktime_get_ns();
	struct gathered *g;
	struct event *e;
	struct value *v;

	e = p ? estat_event_begin() : NULL;
	if (!e) {
		estat_count_missed();
		return 0;
	}
	g = &p->txgs[call->arg[1] & TXG_MASK];
	bpf_probe_read_kernel_str(e->pool, sizeof(e->pool),
				  __builtin_preserve_access_index(&spa->spa_name));
	report(e, p, g, call, now);
	estat_event_end(e);
	v = value_of(spa, typed);
	if (v) {
		estat_count_latency((struct estat_latency *)v, e->sync_time);
		set_last(&v->last, e);
	}
	*g = (struct gathered){};
	/*
	 * clear the previous txg's data, too, which is still there if the end of that txg's sync
	 * was missed
	 */
	p->txgs[(call->arg[1] - 1) & TXG_MASK] = (struct gathered){};
	p->began = p->pass1 = 0;
	p->txg = call->arg[1];
	p->synced = now;
	return 0;
}

ESTAT_FOUND(txg, struct key)

/*
 * When the sync under way began, by bpf_ktime_get_ns(). `raw_ahead`: CLOCK_MONOTONIC_RAW minus
 * CLOCK_MONOTONIC, in ns.
 */
static __always_inline __u64 sync_began(struct spa *spa, struct dsl_pool *dp, __u64 raw_ahead)
{
	struct pool *p = bpf_map_lookup_elem(&pools, &dp);
	struct zil_commit_waiter *waiter = NULL;
	__u64 stamp;

	if (p && estat_since_attach(p->began))
		return p->began;
	/*
	 * the stamp is by CLOCK_MONOTONIC since OpenZFS 2.4.1, before by CLOCK_MONOTONIC_RAW.
	 * zcw_error tells these versions apart, except that 2.4.0 has zcw_error, too: for 2.4.0 the
	 * result is wrong by raw_ahead
	 */
	stamp = BPF_CORE_READ(spa, spa_sync_starttime);
	return bpf_core_field_exists(waiter->zcw_error) ? stamp : stamp - raw_ahead;
}

struct tree_walk at;

/* One move of the walk of all pools. Not static, so the verifier checks the function once. */
__noinline int txg_look(__u64 walk, __u64 raw_ahead)
{
	struct spa *spa = pools_move(&at);
	struct estat_told *t;
	struct dsl_pool *dp;
	struct key key = {};
	__u64 number;
	int flags;

	if (!spa)
		return at.node ? 0 : ESTAT_WALK_END;
	dp = BPF_CORE_READ(spa, spa_dsl_pool);
	number = BPF_CORE_READ(dp, dp_tx.tx_syncing_txg);
	if (!number)
		return 0;
	key.pool = pool_id(spa, false);
	if (!txg_find(&key))
		name_pool(key.pool, spa);
	flags = txg_found(&key, sync_began(spa, dp, raw_ahead), walk);
	t = estat_told();
	if (t)
		t->transaction = number;
	return flags;
}

ESTAT_TELLS;
ESTAT_WALK_BY(pools_begin(&at), txg_look(walk, raw_ahead));

/*
 * ZFS closes the pool, such as for an export, or after a failed import: forget the pool's txgs,
 * because another dsl_pool can get the same address.
 */
ESTAT_ENTRY(txg_pool_closes, dsl_pool_close, 1)
{
	__u64 dp = call->arg[0];

	bpf_map_delete_elem(&pools, &dp);
	return 0;
}
