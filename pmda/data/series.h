/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series in the agent: its instance domains, and a row of values for each key, folded (added up)
 * from the slots in the series' maps. Declares the functions of series.c, rows.c, slots.c,
 * under_way.c, snapshot.c, baseline.c and buckets.c.
 */
#ifndef ESTAT_PMDA_DATA_SERIES_H
#define ESTAT_PMDA_DATA_SERIES_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "load/module.h"

/* Row 0 of a series is the total over all keys; each other row belongs to a key, or is free. */
#define SERIES_TOTAL 0

/* The counter inflight_time of a group in a row, nanoseconds; see under_way.c. */
struct under_way {
	/* summed latency of all ended operations at the last under_way_begin() */
	uint64_t ended;
	uint64_t shown;  /* the counter, as under_way_end() has set it */
	uint64_t offset; /* added to the counted time, so that the counter never falls */
	uint64_t low;    /* if `fell`: the value to which the counter would have fallen */
	/* after a complete walk the counter would have fallen, so `shown` stayed; see update() */
	bool fell;
};

/* The lowest and the highest bucket of a histogram that were ever hit; high < low: none was. */
struct range {
	short low, high;
};

/* The row of a key, or of the total. After row_free() another key may get the row. */
struct row {
	/* the key's instance number; < 0: PCP has refused the instance; not set in row 0 */
	int inst;
	char *name;   /* the instance name, such as sda::read; owned; NULL: total, or a free row */
	char *labels; /* the key's labels: the inside of a JSON object; owned */
	uint64_t first_fold;  /* the number of the first fold since the key got the row */
	uint64_t new_until;   /* until then latency_seconds.* of the key is 0; CLOCK_MONOTONIC ns */
	unsigned int slots;   /* how many slots count for this row */
	unsigned int live;    /* how many of `slots` are not retired */
	unsigned int awaited; /* during a fold: how many of `slots` are still to be added */
	/*
	 * since when the row lingers, see row_leave(), CLOCK_MONOTONIC ns; 0: the row does not
	 * linger
	 */
	uint64_t left;
	/* no instance: the instance has ended, PCP has refused the instance, or the row is free */
	bool gone;
	/*
	 * the values of the row's former slots, added up; in the total's row, those of freed rows;
	 * in the form of packed.h; owned
	 */
	uint64_t *kept;
	/* for each group the range of latency, in fine buckets, and the range of size; owned */
	struct range (*ranges)[2];
	struct under_way *under_way; /* an element for each group; owned */
	unsigned __int128 *sumsqs;   /* for each group the newest fold's sum of squared latencies */
	uint64_t p999; /* the p99.9 that slow_look() has computed, nanoseconds; 0: not known */
};

/* Values of the member `row` in struct slot that are not the number of a row. */
enum {
	SLOT_FREE = -1,
	SLOT_PASSED_OVER = -2, /* the series is a view that leaves out the slot's key */
};

/* What the agent knows of a slot in the maps of a series. */
struct slot {
	int row;          /* the row that the slot counts for; or SLOT_FREE, SLOT_PASSED_OVER */
	bool retired;     /* the slot's key has left the hash; slots_check() will clear the slot */
	uint64_t counted; /* events_of() of the slot at the last evict_look(), see evict.c */
};

/* The value of `counted` in struct slot until the first evict_look() after a key got the slot. */
#define SLOT_IS_NEW UINT64_MAX

struct bucket_indom;

struct series {
	const struct module *module;
	const struct series_schema *schema;
	const struct series_schema *table; /* schema of the series that owns the maps */
	const struct memory *memory;       /* what the module's BPF programs share with the agent */
	const struct series_maps *maps;
	struct series *first; /* the first series with these maps, which manages their slots */
	struct series *next;  /* the next of the series with these maps; NULL: none */

	/* The rows: a total, and a row for each key. */
	pmInDom keys; /* the instance domain of the keys */
	/*
	 * how many 64-bit words a row has: schema->value_words, then, with latency_by_size in
	 * estat.conf, those of the matrix of latency by size
	 */
	unsigned int words;
	unsigned int nrows;       /* how many rows there are, free rows included */
	unsigned int nfree;       /* rows that are free */
	unsigned int nleft;       /* how many rows have a `left` that is not 0 */
	unsigned int space;       /* for how many rows there is memory */
	unsigned int lowest_free; /* all rows with lower numbers are in use */
	unsigned int guess;       /* the row that series_row() found last, where it looks first */
	struct row *rows;         /* the rows: nrows elements; owned */
	uint64_t *values;         /* all rows' values at the last fold: nrows x words; owned */
	/* grows at each change of the instances of keys or buckets; can grow without a change */
	uint64_t changes;
	bool unsaved; /* slots were found, and cache_save() has not run since */

	/* Slots. Times are CLOCK_MONOTONIC nanoseconds. */
	/* maps->nslots elements; owned; NULL before the first search, and after slots_keep() */
	struct slot *slots;
	uint32_t taken;    /* how many slots were found, of those that state->taken counts */
	uint64_t found;    /* when slots_find_new() last looked for new slots */
	uint64_t checked;  /* when slots_check() last finished a check of all slots */
	uint32_t cursor;   /* the slot that slots_check() checks next; 0: no check is under way */
	uint32_t nretired; /* how many retired slots are not cleared yet */
	uint64_t compared; /* time of the newest call of evict_look() */

	/* The state of folds: calls of series_fold(), which adds up the slots into the rows. */
	uint64_t nfolds;  /* the number of folds so far */
	uint64_t folded;  /* when the last fold began, CLOCK_MONOTONIC nanoseconds */
	uint64_t elapsed; /* nanoseconds that the last fold took */
	uint64_t clock;   /* ns that the module had been attached in all at the last fold */
	bool fresh;       /* the series was folded for the present request */
	bool timed;       /* in this request under_way_begin() has run, under_way_end() not yet */
	/*
	 * snapshots of the newest fold: for each part of each group a snapshot of all rows, and a
	 * snapshot of the total alone. An element that is NULL: not taken
	 */
	struct snapshot **snapshots;
	struct snapshot **baseline; /* the snapshots that baseline_look() has kept */

	/* The instance domains of buckets, of all groups. */
	unsigned int nindoms;
	struct bucket_indom *indoms; /* the domains of buckets: nindoms elements; owned */
};

/* Make series number `index` of a module's schema. To be freed with series_free(). */
struct series *series_new(const struct module *module, unsigned int index, int domain);
void series_free(struct series *s);

/* Remember that the new series `s` has the same maps as `first`, the first series with these maps.
 */
void series_share(struct series *first, struct series *s);

/*
 * Fold: bring the rows and values of a series up to date, if the module runs. Makes system calls
 * only for new keys and, once in NAMES_CHECK_NS, in slots_check().
 */
void series_fold(struct series *s);

/* The part of a fold that adds up the slots of each row, and all rows to the total. */
void series_add_up(struct series *s);

/*
 * Give the new series `s` the rows and counts of `from`, the same series of the old object. The
 * counts of a row without an instance go to the total.
 */
void series_carry(struct series *s, const struct series *from);

/*
 * The number of keys that have a slot, not counting the overflow key. In an idle module without an
 * object: the number of keys that are kept for the next object. 0 if module_runs() is false.
 */
unsigned int series_keys(const struct series *s);

/* The row of the key that has the instance number `inst`; -1: no key has it. */
int series_row(struct series *s, int inst);

/* A row's values at the last fold: s->words words. */
static inline const uint64_t *series_values(const struct series *s, unsigned int row)
{
	return s->values + (size_t)row * s->words;
}

/* rows.c: the rows of a series. */

/* Add row 0, the total's. */
void rows_begin(struct series *s);
void rows_free(struct series *s);

/*
 * The row whose instance name is `name`; if there is none, a new row, exported as an instance.
 * Takes over `labels`, which only a new row gets.
 */
unsigned int row_find(struct series *s, const char *name, char *labels);

/* Replace the labels of a key's row. Takes over `labels`. */
void row_label(struct series *s, unsigned int row, char *labels);

/*
 * Add to `s` a row for the key of `row`, which is a row of the old object's series. The new row has
 * the name, labels, `new_until` and `left` of `row`, but counts of 0.
 */
unsigned int row_copy(struct series *s, const struct row *row);

/*
 * row_kept(): a copy of the counts that a row keeps of its former slots: s->words words, to be
 * freed. row_keep(): let the row keep the counts in `words` instead. Frees `words`.
 */
uint64_t *row_kept(const struct series *s, unsigned int row);
void row_keep(struct series *s, unsigned int row, uint64_t *words);

/*
 * Add a row's words at `from` to those at `into`: values by values_add(), matrices by words_add().
 */
void row_add(const struct series *s, uint64_t *into, const uint64_t *from);

/*
 * Remember that a slot of the row was retired. If all slots of the row are retired now, the row's
 * instance ends: at once or, if `lingers` (the key's cgroup is gone), after LINGER_NS. So a
 * short-lived cgroup still has an instance at pmlogger's next record. If LINGER_MOST rows of the
 * series linger already, the instance ends at once.
 */
void row_leave(struct series *s, unsigned int row, bool lingers);
#define LINGER_NS   UINT64_C(120000000000) /* twice pmlogger's default interval */
#define LINGER_MOST 1000

/* End the instances that have lingered for long enough. */
void rows_expire(struct series *s, uint64_t now);

/* Free the row of a key that has no slot any more. The row's counts go to the total. */
void row_free(struct series *s, unsigned int row);

/*
 * After series_add_up(), let each key's row keep its values, remember that no row has slots any
 * more, and free the rows that have no instance. A row that lingers has an instance, and stays.
 */
void rows_rest(struct series *s);

/*
 * After slots_find_all(), end the instances of rows that have no slot, and free these rows: their
 * keys were renamed while the module had no object. Rows that linger stay. The overflow key's row
 * stays, too, because that key may get its slot later.
 */
void rows_hide_unused(struct series *s);

/* Give back the memory of free rows after the last used row. */
void rows_trim(struct series *s);

/* Widen the ranges of a row's histograms to the buckets that were hit since the previous call. */
void row_widen(struct series *s, unsigned int row);

/* slots.c: which row each slot counts for, and how slots go back to the BPF programs. */

/* The least time between two checks whether what keys name, such as disks, exists; nanoseconds. */
#define NAMES_CHECK_NS UINT64_C(10000000000)

/* The pause after a slots_find_new() that did not find all new slots, nanoseconds. */
#define FIND_PAUSE_NS UINT64_C(25000000)

/*
 * Give rows to the slots that BPF programs have taken since the previous call. If very many slots
 * are new, the call finds only some of them, and leaves s->unsaved true: then the agent calls again
 * after FIND_PAUSE_NS.
 */
void slots_find_new(struct series *s);

/*
 * Find all new slots at once. Call this before the maps are unmapped, because the counts of slots
 * that were not found are then lost. Takes some 5 ms for a thousand keys; meanwhile the agent
 * answers no request.
 */
void slots_find_all(struct series *s);

/*
 * Find all new slots, and have the rows keep all counts, because the maps are about to be unmapped.
 */
void slots_keep(struct series *s);

/* Have BPF programs taken slots that slots_find_new() has not found yet? */
bool slots_awaits(const struct series *s);

/*
 * For all series with the same maps: retire the slots of keys that name something that is deleted
 * or renamed, and clear the slots that were retired before this check. A check begins at the first
 * call that comes NAMES_CHECK_NS or more after the end of the previous check. A call checks slots
 * for at most 20 ms, and the next call goes on with the following slots. `now`: CLOCK_MONOTONIC
 * nanoseconds.
 */
void slots_check(struct series *first, uint64_t now);

/*
 * Write to `ids` the ids in the keys of all slots: of disks, of cgroups, and of all else whose name
 * is in estat_names. A slot has at most as many ids as its key has axes. Returns the number of ids.
 */
size_t slots_ids(const struct series *first, uint64_t *ids);

/*
 * Take a slot from its key, for all series that share the maps of `first`. slots_check() clears the
 * slot later.
 */
void slot_retire(struct series *first, unsigned int slot);

/*
 * Add what a slot has counted, in all shards, to `into`: s->words words of a row. With sample = 1/N
 * in estat.conf, slot_fold() and slot_word() multiply counters and histograms by N.
 */
void slot_fold(const struct series *s, unsigned int slot, uint64_t *into);

/*
 * What a slot has counted, in all shards, in word number `word` of its value. The word must be a
 * counter, not a maximum or gauge.
 */
uint64_t slot_word(const struct series *s, unsigned int slot, uint32_t word);

/* under_way.c: the counter inflight_time. */

/*
 * Remember in each row the summed latency of ended operations. After this call the caller runs the
 * walk: the BPF program estat_walk, which adds up the ages of the operations under way.
 */
void under_way_begin(struct series *s);

/*
 * Bring the counter inflight_time of each row up to date. The caller has run estat_walk, and then
 * series_fold().
 */
void under_way_end(struct series *s);

/*
 * snapshot.c: an instant metric is computed from two folds, so a snapshot of a fold is kept for the
 * client's next fetch. A snapshot has the words of one part of each row, but of a histogram only
 * the buckets from the lowest to the highest that was ever hit.
 */

/*
 * A part: those words of a group (struct group) from which an instant metric is computed. A part's
 * comment lists the words in their order.
 */
enum part {
	PART_OPS,   /* the word of ops */
	PART_BYTES, /* the word of bytes */
	PART_SUMS, /* ops, sum and, if the group has a sum of squares, the two halves of that sum */
	PART_LATENCY, /* the buckets of the histogram of latency, and LATENCY_SUM */
	PARTS,
};

/* The index of each word in PART_SUMS. */
enum {
	SUMS_OPS,
	SUMS_SUM,
	SUMS_SUMSQ,
};

/*
 * Index in PART_LATENCY of the sum of all latencies of a row. The sum limits the highest latency in
 * the last bucket, which has no upper edge. So a snapshot has the sum only of rows in which the
 * last bucket was ever hit.
 */
#define LATENCY_SUM ESTAT_FINE_BUCKETS

struct snapshot {
	unsigned int refs;
	unsigned int nrows;
	uint64_t fold;  /* the fold's number; the first fold has 1 */
	uint64_t clock; /* ns that the module had been attached in all at the fold */
	size_t size;    /* bytes of this struct and of `words` */
	uint64_t *words;
	struct snapshot_row {
		uint32_t start; /* index in `words` of the row's first word */
		/*
		 * `words` has `n` words of the row, from the part's word `low` on; the row's other
		 * words are 0
		 */
		uint16_t low, n;
	} rows[];
};

/* Has the group all fields that the part needs? PART_LATENCY needs the recorded maximum, too. */
bool part_is_there(const struct group *group, enum part part);

/*
 * Get the snapshot of the last fold: of all rows, or of the total alone. Until the next fold, calls
 * with the same arguments share one snapshot. The caller releases the snapshot with snapshot_put().
 */
struct snapshot *snapshot_take(struct series *s, unsigned int group, enum part part, bool total);
void snapshot_put(struct snapshot *snapshot);

/*
 * Release the series' references to snapshots of the newest fold. Each fold begins with this call.
 */
void snapshots_end(struct series *s);

/*
 * What the snapshot has of a row in word number `word` of the part; 0 if `snapshot` is NULL, lacks
 * the row or the word, or was taken before the key got the row.
 */
uint64_t snapshot_word(const struct snapshot *snapshot, const struct series *s, unsigned int row,
		       unsigned int word);

/* Bytes that all snapshots take. */
size_t snapshots_size(void);

/*
 * baseline.c: the interval of a client's first fetch begins at a fold that is half a minute to one
 * minute old. Before there is such a fold, the interval begins at the fold of baseline_begin() or,
 * if baseline_begin() was not called, when the counters began.
 */

/* How often to call baseline_look(), nanoseconds. */
#define BASELINE_NS UINT64_C(30000000000)

/*
 * Keep snapshots of the newest fold, and those that the previous call took; release the older ones.
 * A fold reads the series' counters from the maps and sums them by row.
 */
void baseline_look(struct series *s);

/*
 * Make the newest fold the baseline, because the module's object was just loaded. Releases the
 * snapshots of older folds.
 */
void baseline_begin(struct series *s);

/*
 * The older of the two snapshots that are kept of a part. NULL: part_is_there() is false, or
 * neither baseline_begin() nor two calls of baseline_look() have kept an older snapshot.
 */
const struct snapshot *baseline_find(const struct series *s, unsigned int group, enum part part);

void baseline_free(struct series *s);

/* Bytes that the snapshots of all baselines take. */
size_t baseline_size(void);

/*
 * buckets.c: instance domains whose instances are buckets of histograms, of the keys or of the
 * total. A key, or the total, has the buckets from the lowest to the highest that was ever hit. But
 * all buckets are there in the cumulative histogram for Prometheus and, if all_buckets is on in
 * estat.conf, in each other domain except those of latency by size.
 */

/*
 * A bucket's instance number: the key's instance number (in a domain of the total 0) x
 * buckets_per_key() + the bucket's number. buckets_per_key() returns BUCKETS_PER_KEY, except in a
 * domain of fine buckets or of latency by size.
 */
#define BUCKETS_PER_KEY 128
/* What buckets_per_key() returns in a domain of fine buckets. */
#define FINE_PER_KEY 256
/*
 * What buckets_per_key() returns in a domain of latency by size. There a bucket's number is the
 * size bucket's number x BUCKETS_PER_KEY + the latency bucket's number.
 */
#define CELLS_PER_KEY (32 * BUCKETS_PER_KEY)

struct bucket_indom {
	enum bucket_indom_kind {
		BUCKETS_LATENCY,
		BUCKETS_SIZE,
		BUCKETS_BY_SIZE,
		BUCKETS_FINE,
		BUCKETS_BELOW,
	} kind;
	unsigned int group_index; /* index of the group in the series */
	bool total;
	pmdaIndom indom;      /* the instances, in the order of rows, then of buckets */
	char *names;          /* the instances' names; owned */
	uint64_t built;       /* the series' `changes` when the domain was built */
	pmdaIndom *pmda_copy; /* libpcp_pmda's copy of `indom`; NULL: no copy yet */
};

/* Make the bucket domains of a series. */
void buckets_begin(struct series *s);
void buckets_free(struct series *s);

/* The bucket domain of a group; NULL: the group has none of this kind. */
struct bucket_indom *buckets_find(const struct series *s, unsigned int group, bool total,
				  enum bucket_indom_kind kind);

/* Bring the instances of a domain, and of libpcp_pmda's copy, up to date with the last fold. */
void buckets_refresh(const struct series *s, struct bucket_indom *b);

/* Free the instances of domains that must be built again. Must not run during a request. */
void buckets_forget_stale(struct series *s);

/* How many instance numbers a domain has for each key. */
unsigned int buckets_per_key(const struct bucket_indom *b);

/*
 * Write a bucket's upper edge as OpenMetrics does, to le[BUCKET_NAME_LEN]. In a domain of latency
 * by size `le` gets the edge of latency, and size_le[BUCKET_NAME_LEN] that of size; in other
 * domains size_le becomes "".
 */
void buckets_edges(const struct bucket_indom *b, unsigned int number, char *le, char *size_le);

#endif /* ESTAT_PMDA_DATA_SERIES_H */
