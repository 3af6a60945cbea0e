/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The intervals that were measured, for commands in which the user can go back. A limited number of
 * consecutive intervals is in memory; earlier intervals of an archive are read again.
 */
#ifndef ESTAT_CLIENT_SOURCE_HISTORY_H
#define ESTAT_CLIENT_SOURCE_HISTORY_H

#include "modules.h"
#include "source.h"

/* The count of a bucket, if it is not 0. Numbers of fine buckets follow those of other buckets. */
struct cell {
	uint64_t bucket : 16, n : 48;
};

/* The values of a key in an interval. history.series[series]->keys[key] is the key. */
struct sample {
	unsigned int series, key, ncells;
	uint64_t ops, errors, bytes, sum_ns;
	double sumsq, max;
	struct cell cells[];
};

struct frame {
	struct interval interval;
	char *why;              /* the reason if time is left out; NULL: no time is left out */
	double missed, dropped; /* events in the interval; NAN: not known */
	double all_missed, all_dropped; /* events since the first interval, as far as known */
	unsigned int lacks[MAX_SERIES]; /* fields that are not known, one bit each, by series */
	size_t size;
	char *samples;         /* struct sample, one after the other */
	unsigned int drawing;  /* number of the drawing that `figures` are of; 0: none */
	unsigned int nfigures; /* rows of the drawing */
	float *figures;        /* by row of the drawing */
};

struct history {
	struct source *s;
	const char *module;
	double seconds;
	unsigned int samples; /* number of intervals to measure; 0: no limit */
	unsigned int nseries;
	struct series *series[MAX_SERIES];
	struct series *modules; /* missed and dropped events by module; or NULL */

	unsigned int first, n; /* intervals in memory: number of the first, and how many */
	struct frame **frames;
	size_t size;
	bool full;          /* memory was too small for all intervals that the last search wanted */
	bool ended;         /* the source has no further interval */
	unsigned int known; /* number of intervals that were measured so far */
	struct {
		unsigned int frame; /* number of the interval after the mark */
		struct mark *mark;
		double missed, dropped;
	} * marks;
	unsigned int nmarks, spacing;
};

/* Prepare the history. source_begin() must precede. */
void history_begin(struct history *h);

/* Measure the next interval. Returns false if there is none or the user stopped the command. */
bool history_step(struct history *h);

/* The interval with this number, from 0; NULL if it is not in memory. */
struct frame *history_frame(const struct history *h, unsigned int number);

/* Read interval `number`, and up to `before` earlier ones. Returns false if it does not exist. */
bool history_find(struct history *h, unsigned int number, unsigned int before);

/* Set the values of all keys to those of the interval. */
void history_show(struct history *h, const struct frame *frame);

/* Give the interval room for n figures. New figures are NAN. */
void history_figures(struct history *h, struct frame *frame, unsigned int n);

/* The sample after `sample`; the first one if `sample` is NULL; NULL after the last one. */
const struct sample *next_sample(const struct frame *frame, const struct sample *sample);

#endif /* ESTAT_CLIENT_SOURCE_HISTORY_H */
