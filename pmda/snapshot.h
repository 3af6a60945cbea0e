/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What clients need of a fold to compute, at their next fetch, what has changed since: of
 * each row those words that an instant metric is computed from, and none that are 0.
 */
#ifndef ESTAT_SNAPSHOT_H
#define ESTAT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group;
struct series;

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

#endif /* ESTAT_SNAPSHOT_H */
