/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series alive: the values of its keys, folded from the shards of its maps,
 * and its instance domains, whose numbers PCP's cache keeps from run to run.
 */
#ifndef ESTAT_SERIES_H
#define ESTAT_SERIES_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "module.h"
#include "snapshot.h"

/* Row 0 of a series is the total over all keys; the others are a key each. */
#define SERIES_TOTAL 0

/* How often to look whether what keys name is still there, nanoseconds. */
#define NAMES_CHECK_NS UINT64_C(10000000000)

/* Buckets of one key in an instance number: key number x this + bucket. */
#define BUCKETS_PER_KEY 128
/* The same for latency by size: size bucket x BUCKETS_PER_KEY + latency bucket. */
#define CELLS_PER_KEY (32 * BUCKETS_PER_KEY)

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
	unsigned int slots, live;  /* slots whose counts go here; those not retired */
	bool gone;                 /* what it names went; its counts stay in the total */
	bool renamed;              /* its buckets still have the names of another key */
	struct range (*ranges)[2]; /* one a group: latency and size */
	unsigned __int128 *sumsqs; /* one a group: as of the last fold */
};

/* Where a slot's counts go. */
struct slot {
	int row;      /* -1: the slot is free */
	bool retired; /* its key has left the hash; given back at the next check */
};

/* An instance domain whose instances are buckets. */
struct bucket_indom {
	enum bucket_indom_kind {
		BUCKETS_LATENCY,
		BUCKETS_SIZE,
		BUCKETS_BY_SIZE,
	} kind;
	const struct group *group;
	unsigned int group_index; /* in the series */
	bool total;
	pmdaIndom indom; /* its instances, in order */
	char **names;    /* of the instances made so far, by row and bucket */
	unsigned int nnames;
};

struct series {
	const struct module *module;
	const struct series_schema *schema;
	const struct series_schema *table; /* all axes of what it has the maps of */
	const struct series_maps *maps;
	pmInDom keys;       /* instance domain of the keys */
	unsigned int words; /* of a row: the value's, and the matrix's if configured */
	unsigned int nrows, nfree;
	struct row *rows;
	unsigned int named_rows;     /* whose buckets had names when the domains were built */
	unsigned int lowest_free;    /* no row below is free */
	uint64_t *values;            /* folded: nrows x words */
	uint64_t *retired;           /* counts of slots that were given back: nrows x words */
	uint64_t nfolds;             /* how many there were */
	struct slot *slots;          /* one each that the maps hold */
	uint32_t taken;              /* how many slots the kernel took that got their rows */
	uint64_t folded;             /* when, CLOCK_MONOTONIC nanoseconds */
	uint64_t checked;            /* when names were last looked at */
	struct snapshot **snapshots; /* of the last fold, see snapshot.c; NULL if nobody took it */
	unsigned int nindoms;
	struct bucket_indom *indoms;
	struct series *first; /* of those that have the same maps, and see to them for all */
	struct series *next;  /* the one after this, or NULL */
	bool fresh;           /* folded for the request being served */
	bool changed;         /* instances came or went since the domains were built */
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
 * Bring rows, values and instance domains up to date. The module must have
 * started, or it has no rows but the total. No system calls, but when a key is
 * new and, for keys that name disks or pools, a look at those every ten seconds.
 */
void series_fold(struct series *s);

/* How many keys have a slot now. */
unsigned int series_keys(const struct series *s);

/* The row of a key's instance number, or -1. */
int series_row(const struct series *s, int inst);

/* A row's values, as of the last fold. */
static inline const uint64_t *series_values(const struct series *s, unsigned int row)
{
	return s->values + (size_t)row * s->words;
}

/* The sum of squares among a row's values; nanoseconds squared. */
static inline unsigned __int128 values_sumsq(const uint64_t *values, const struct field *f)
{
	return (unsigned __int128)values[f->word + 1] << 64 | values[f->word];
}

/* Add one value of a series to another, field by field; of a gauge, take the newer. */
void values_add(const struct series_schema *schema, uint64_t *into, const uint64_t *from);

/* Save a domain's instance numbers; the first time that fails is logged. */
void cache_save(pmInDom indom);

#endif /* ESTAT_SERIES_H */
