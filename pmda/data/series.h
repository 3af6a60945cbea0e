/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series alive: the values of its keys, folded from the shards of its maps,
 * and its instance domains, whose numbers PCP's cache keeps from run to run.
 * One header for rows.c, slots.c, snapshot.c, baseline.c and buckets.c, too.
 */
#ifndef ESTAT_PMDA_DATA_SERIES_H
#define ESTAT_PMDA_DATA_SERIES_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "load/module.h"

/* Row 0 of a series is the total over all keys; the others are a key each. */
#define SERIES_TOTAL 0

/* The buckets of a histogram that were ever hit: low to high, none if high < low. */
struct range {
	short low, high;
};

/* A key's values; free for another key's when what it names has gone and its slots are cleared. */
struct row {
	int inst;                  /* the key's number in the cache; none for the total */
	char *name;                /* sda::read; NULL: the row is free */
	char *labels;              /* the inside of a JSON object */
	uint64_t first_fold;       /* that has it; see struct snapshot */
	uint64_t new_until;        /* to Prometheus, CLOCK_MONOTONIC nanoseconds */
	unsigned int slots, live;  /* slots whose counts go here; those not retired */
	unsigned int awaited;      /* of a fold under way: those that it has not come to */
	bool gone;                 /* what it names went; its counts stay in the total */
	uint64_t *kept;            /* words of slots that are no more; NULL if there are none */
	struct range (*ranges)[2]; /* one a group: latency, in fine buckets, and size */
	unsigned __int128 *sumsqs; /* one a group: as of the last fold */
};

/* Instead of a row of the series: */
enum {
	SLOT_FREE = -1,
	SLOT_PASSED_OVER = -2, /* its key is none of those that a view has */
};

/* Where a slot's counts go. */
struct slot {
	int row;          /* or one of those */
	bool retired;     /* its key has left the hash; given back at the next check */
	uint64_t counted; /* how many events, as of evict.c's last look */
};

/* What a slot has counted that evict.c has not looked at yet. */
#define SLOT_IS_NEW UINT64_MAX

struct bucket_indom;

struct series {
	const struct module *module;
	const struct series_schema *schema;
	const struct series_schema *table; /* all axes of what it has the maps of */
	const struct series_maps *maps;
	pmInDom keys;       /* instance domain of the keys */
	unsigned int words; /* of a row: the value's, and the matrix's if configured */
	unsigned int nrows, nfree;
	unsigned int space; /* for how many rows there is memory */
	struct row *rows;
	unsigned int lowest_free; /* no row below is free */
	uint64_t *values;         /* folded: nrows x words */
	uint64_t nfolds;          /* how many there were */
	struct slot *slots;       /* one each that the maps hold */
	uint32_t taken;           /* how many slots the kernel took that got their rows */
	bool unsaved;      /* the cache has numbers that its file has not: more are to come */
	uint64_t folded;   /* when, CLOCK_MONOTONIC nanoseconds */
	uint64_t elapsed;  /* and for how long, nanoseconds */
	uint64_t clock;    /* and for how long the module had been attached then */
	uint64_t found;    /* when new keys were last looked for, likewise */
	uint64_t checked;  /* when all names were last looked at */
	uint32_t cursor;   /* the slot to be looked at next; 0: none */
	uint32_t nretired; /* slots to be given back */
	uint64_t compared; /* when evict.c last looked, likewise */
	struct snapshot **snapshots; /* of the last fold, see snapshot.c; NULL if nobody took it */
	struct snapshot **baseline;  /* see baseline.c */
	unsigned int nindoms;
	struct bucket_indom *indoms;
	uint64_t changes;     /* how often instances came or went */
	struct series *first; /* of those that have the same maps, and see to them for all */
	struct series *next;  /* the one after this, or NULL */
	bool fresh;           /* folded for the request being served */
};

/*
 * Make a series of a module that has a schema. Its instance numbers are read
 * from PCP's cache.
 */
struct series *series_new(const struct module *module, unsigned int index, int domain);
void series_free(struct series *s);

/* Tell a series, which has been told of no other, that another new one has the same maps. */
void series_share(struct series *first, struct series *s);

/*
 * Bring rows and values up to date. The module must have started, or it has no
 * rows but the total. No system calls, but when a key is new and, for keys that
 * name disks or pools, a look at those every ten seconds.
 */
void series_fold(struct series *s);

/* Have a new series, of a module that goes on for another, begin with what that one's has. */
void series_carry(struct series *s, const struct series *from);

/* How many keys have a slot now. */
unsigned int series_keys(const struct series *s);

/* The row of a key's instance number, or -1. */
int series_row(const struct series *s, int inst);

/* A row's values, as of the last fold. */
static inline const uint64_t *series_values(const struct series *s, unsigned int row)
{
	return s->values + (size_t)row * s->words;
}

/*
 * The rows of a series: a key's values each, by its name.
 */

/* Add the total's, which is the first. */
void rows_begin(struct series *s);
void rows_free(struct series *s);

/* Find the row of a key's name, or make one, and show it as an instance; and that of all others. */
unsigned int row_find(struct series *s, const char *name, const void *key);
unsigned int row_overflow(struct series *s);

/* Make the labels of a row anew, which is a key's. */
void row_label(struct series *s, unsigned int row, const void *key);

/* The same for a row of another series of the same name and axes. */
unsigned int row_copy(struct series *s, const struct row *row);

/* The words that a row keeps of what is no more, to be added to. */
uint64_t *row_kept(struct series *s, unsigned int row);

/* Add the words of a row to others. */
void row_add(const struct series *s, uint64_t *into, const uint64_t *from);

/* A slot of a row is retired: hide the row if it was the last. */
void row_leave(struct series *s, unsigned int row);

/* What a row's key named has gone, and no slot is its any more: the total keeps what it counted. */
void row_free(struct series *s, unsigned int row);

/* Let go of free rows at the end. */
void rows_trim(struct series *s);

/* Widen the ranges of a row's histograms to what it has counted. */
void row_widen(struct series *s, unsigned int row);

/*
 * The slots of a series' maps: whose row's each is, and when it is given back.
 */

/* How often to look whether what keys name is still there, nanoseconds. */
#define NAMES_CHECK_NS UINT64_C(10000000000)

/* How long to wait before more of very many new keys are found: others want the CPU, too. */
#define FIND_PAUSE_NS UINT64_C(25000000)

/*
 * Give the slots that the kernel has taken since the last time their rows. Of very many some at
 * each call: s->unsaved as long as there are more.
 */
void slots_find_new(struct series *s);

/*
 * All of them, in one go, before the maps go: what is not found then is lost. The agent answers
 * nobody meanwhile, for some 5 ms a thousand keys.
 */
void slots_find_all(struct series *s);

/* Has the kernel taken more slots than have been found? */
bool slots_awaits(const struct series *s);

/*
 * Once in a while, for all series that have the same maps, retire the slots whose
 * keys are stale: the disk's number is not that disk's any more, the pool has gone.
 * Of very many keys some at each fold.
 */
void slots_check(struct series *first, uint64_t now);

/* The ids in the keys of all slots, at most as many as these have axes. Returns how many. */
size_t slots_ids(const struct series *first, uint64_t *ids);

/* Take a slot from its key, in all series that have the same maps; it is given back later. */
void slot_retire(struct series *first, unsigned int slot);

/* Add all that a slot has counted, in all its shards, to a row's words. */
void slot_fold(const struct series *s, unsigned int slot, uint64_t *into);

/*
 * What clients need of a fold to compute, at their next fetch, what has changed since: of
 * each row those words that an instant metric is computed from, and none that are 0.
 */

/* What of a group, and the words in their order. */
enum part {
	PART_OPS,     /* ops */
	PART_BYTES,   /* bytes */
	PART_SUMS,    /* ops, sum, and the two halves of the sum of squares if there is one */
	PART_LATENCY, /* the buckets of the histogram */
	PARTS,
};

enum {
	SUMS_OPS,
	SUMS_SUM,
	SUMS_SUMSQ,
};

struct snapshot {
	unsigned int refs;
	unsigned int nrows;
	uint64_t fold;  /* its number, from 1 */
	uint64_t clock; /* for how long the module had been attached, nanoseconds */
	size_t size;    /* bytes, of all */
	uint64_t *words;
	struct snapshot_row {
		uint32_t start;  /* in words */
		uint16_t low, n; /* which of the part's are there */
	} rows[];
};

/* Has a group what a part consists of? */
bool part_is_there(const struct group *group, enum part part);

/*
 * Of the last fold: of the total alone, or of all rows. One reference is the caller's,
 * who must put it; whoever asks for the same gets the same.
 */
struct snapshot *snapshot_take(struct series *s, unsigned int group, enum part part, bool total);
void snapshot_put(struct snapshot *snapshot);

/* Those that a series has handed out are of a fold that is over. */
void snapshots_end(struct series *s);

/* A word of a part, as a row of the series had it then; 0 if it was not there. */
uint64_t snapshot_word(const struct snapshot *snapshot, const struct series *s, unsigned int row,
		       unsigned int word);

/* How many bytes all take. */
size_t snapshots_size(void);

/*
 * What a series had counted half to one minute ago: a client that fetches an instant
 * metric for the first time gets what it was since then.
 */

/* How often to look, nanoseconds. */
#define BASELINE_NS UINT64_C(30000000000)

/* The series was folded: remember this fold, and forget the one before the last. */
void baseline_look(struct series *s);

/* The module counts anew, or for another: what was before is not baseline any more. */
void baseline_begin(struct series *s);

/* The older of the two, all rows of it; NULL if the module runs for less than that. */
const struct snapshot *baseline_find(const struct series *s, unsigned int group, enum part part);

void baseline_free(struct series *s);

/* How many bytes all take. */
size_t baseline_size(void);

/*
 * Instance domains whose instances are buckets: of each key the range of those
 * that were ever hit, or all if estat.conf says so; cumulative ones always all.
 */

/* Buckets of one key in an instance number: key number x this + bucket. */
#define BUCKETS_PER_KEY 128
/* The same for fine buckets of latency. */
#define FINE_PER_KEY 256
/* The same for latency by size: size bucket x BUCKETS_PER_KEY + latency bucket. */
#define CELLS_PER_KEY (32 * BUCKETS_PER_KEY)

struct bucket_indom {
	enum bucket_indom_kind {
		BUCKETS_LATENCY,
		BUCKETS_SIZE,
		BUCKETS_BY_SIZE,
		BUCKETS_FINE,
		BUCKETS_BELOW,
	} kind;
	unsigned int group_index; /* in the series */
	bool total;
	pmdaIndom indom;      /* its instances, in order */
	char *names;          /* theirs */
	uint64_t built;       /* of the series' changes */
	pmdaIndom *pmda_copy; /* the copy that libpcp_pmda has of it */
};

/* Make the domains of a series. */
void buckets_begin(struct series *s);
void buckets_free(struct series *s);

/* The domain of a group's histogram, or NULL if there is none. */
struct bucket_indom *buckets_find(const struct series *s, unsigned int group, bool total,
				  enum bucket_indom_kind kind);

/* Bring a domain's instances up to date with the last fold, also where they are served. */
void buckets_refresh(const struct series *s, struct bucket_indom *b);

/* Between two requests: let go of the instances of domains that have to be built anew. */
void buckets_forget_stale(struct series *s);

/* How many instance numbers one key has in a domain. */
unsigned int buckets_per_key(const struct bucket_indom *b);

/* le="500", and size_le="4096" where there are two. Returns PCP's status. */
int buckets_labels(const struct bucket_indom *b, unsigned int number, pmLabelSet **set);

#endif /* ESTAT_PMDA_DATA_SERIES_H */
