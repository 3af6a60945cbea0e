/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series alive: the values of its keys, folded from the shards of its maps,
 * and its instance domains, whose numbers PCP's cache keeps from run to run.
 * What is done with its rows is in rows.h, with its slots in slots.h, with its
 * domains of buckets in buckets.h.
 */
#ifndef ESTAT_SERIES_H
#define ESTAT_SERIES_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "module.h"
#include "snapshot.h"

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
	uint64_t counted; /* how many events, as of busy.c's last look */
};

/* What a slot has counted that busy.c has not looked at yet. */
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
	uint64_t took;     /* and for how long, nanoseconds */
	uint64_t clock;    /* and for how long the module had been attached then */
	uint64_t found;    /* when new keys were last looked for, likewise */
	uint64_t checked;  /* when all names were last looked at */
	uint32_t cursor;   /* the slot to be looked at next; 0: none */
	uint32_t nretired; /* slots to be given back */
	uint64_t compared; /* when busy.c last looked, likewise */
	struct snapshot **snapshots; /* of the last fold, see snapshot.c; NULL if nobody took it */
	struct snapshot **recent;    /* see recent.c */
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

#endif /* ESTAT_SERIES_H */
