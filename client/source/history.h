/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was seen, to go back to: intervals with what they have of all keys. Those in memory follow
 * one another, and are so many as some memory takes; what an archive has before them is read again.
 */
#ifndef ESTAT_CLIENT_SOURCE_HISTORY_H
#define ESTAT_CLIENT_SOURCE_HISTORY_H

#include "modules.h"
#include "source.h"

/* A bucket that was hit: of latency, and after these of fine latency. */
struct cell {
	uint64_t bucket : 16, n : 48;
};

/* What an interval has of a key. `series` and `key` are indexes: history.series[].keys[]. */
struct sample {
	unsigned int series, key, ncells;
	uint64_t ops, errors, bytes, sum_ns;
	double sumsq, max;
	struct cell cells[];
};

/* An interval. */
struct frame {
	struct interval interval;
	char *why;                      /* some of it is left out; NULL: nothing is */
	double missed, dropped;         /* NAN: not known */
	double all_missed, all_dropped; /* since the first interval, as far as it is known */
	unsigned int lacks[MAX_SERIES]; /* fields */
	size_t size;
	char *samples; /* one after the other */

	/* For who draws: a figure of each of its rows, by their numbers. */
	unsigned int drawing; /* which rows these are; 0: none */
	unsigned int nfigures;
	float *figures;
};

struct history {
	struct source *s;
	const char *module;
	double seconds;
	unsigned int samples; /* how many intervals there are to be; 0: no limit */
	unsigned int nseries;
	struct series *series[MAX_SERIES];
	struct series *modules; /* what they lost; may be NULL */

	unsigned int first, n; /* the number of the first interval in memory; how many */
	struct frame **frames;
	size_t size;
	bool full;          /* when an archive was read again not all had room that was wanted */
	bool ended;         /* there comes no interval any more */
	unsigned int known; /* how many there are or were */
	struct {
		unsigned int frame; /* that comes after it */
		struct mark *mark;
		double missed, dropped;
	} * marks;
	unsigned int nmarks, spacing;
};

/* Begin, when the source has begun. */
void history_begin(struct history *h);

/* Take the next interval; a live one is waited for. False if there is none any more. */
bool history_step(struct history *h);

/* The interval with this number, or NULL if it is not in memory. */
struct frame *history_frame(const struct history *h, unsigned int number);

/*
 * Have an interval of an archive in memory and, as far as there is room, those before it, so
 * many. False if there is no such interval.
 */
bool history_find(struct history *h, unsigned int number, unsigned int before);

/* The keys' values are those of the interval. */
void history_show(struct history *h, const struct frame *frame);

/* Have room for so many figures in it; new ones are NAN. */
void history_figures(struct history *h, struct frame *frame, unsigned int n);

/* The sample after this one, or NULL; after NULL is the first. */
const struct sample *next_sample(const struct frame *frame, const struct sample *sample);

#endif /* ESTAT_CLIENT_SOURCE_HISTORY_H */
