/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured intervals, for commands in which the user can go back to earlier intervals. A
 * limited number of consecutive intervals is in memory; earlier ones of an archive are read again.
 */
#ifndef ESTAT_CLIENT_SOURCE_HISTORY_H
#define ESTAT_CLIENT_SOURCE_HISTORY_H

#include "modules.h"
#include "source.h"

/* A bucket's number, and its count n > 0. Fine buckets are numbered from ESTAT_LATENCY_BUCKETS. */
struct cell {
	uint64_t bucket : 16, n : 48;
};

/* The values of a key in an interval. history.series[series]->keys[key] is the key. */
struct sample {
	unsigned int series, key, ncells;
	uint64_t ops, errors, bytes, sum_ns, inflight, oldest;
	double sumsq, max;
	struct cell cells[];
};

struct frame {
	struct interval interval;
	char *why;              /* why time of the interval is left out; NULL: none is left out */
	double missed, dropped; /* missed events, dropped operations; NAN: not known */
	/*
	 * the sums of `missed`, and of `dropped`, from the first interval to this one, without the
	 * intervals in which they are NAN; NAN: they are NAN in all
	 */
	double all_missed, all_dropped;
	unsigned int lacks[MAX_SERIES]; /* by series: fields, one bit each, that are not known */
	size_t size;
	char *samples;         /* `size` bytes: one struct sample after another */
	unsigned int drawing;  /* top.drawing when `figures` were computed; 0: never computed */
	unsigned int nfigures; /* length of the array `figures` */
	float *figures;        /* [top_number() of a row]: the row's p99, us; NAN: none */
};

struct history {
	struct source *s;
	const char *module;
	double seconds;
	unsigned int samples; /* number of intervals to measure; 0: no limit */
	unsigned int nseries;
	struct series *series[MAX_SERIES];
	struct series *modules; /* by module: missed, dropped, walk_truncated; NULL: not read */

	unsigned int first, n; /* the intervals in memory: the number of the first, and how many */
	struct frame **frames;
	size_t size;
	bool full;  /* memory was too small for all intervals that history_find() was to read */
	bool ended; /* the source has no further interval, or `samples` were measured */
	unsigned int known; /* how many intervals were measured so far */
	struct {
		unsigned int frame; /* number of the first interval after `mark` */
		struct mark *mark;
		double missed, dropped;
	} * marks;
	unsigned int nmarks, spacing;
};

/* Prepare the history. Call source_begin() before history_begin(). */
void history_begin(struct history *h);

/*
 * Measure the next interval. Returns false if there is none or, of an archive, if a signal came
 * before any time of the interval was measured.
 */
bool history_step(struct history *h);

/* The interval with this number, from 0; NULL if it is not in memory. */
struct frame *history_frame(const struct history *h, unsigned int number);

/*
 * Read on up to interval `number`. Of an archive, read again interval `number` and the `before`
 * intervals before it, if they have left memory. Returns false if interval `number` is not in
 * memory then: the source has no such interval, a signal came, or the interval of a host has left
 * memory.
 */
bool history_find(struct history *h, unsigned int number, unsigned int before);

/*
 * Set the values of all keys to those of the interval in `frame`; values that struct sample lacks,
 * such as the histogram of sizes, become 0.
 */
void history_show(struct history *h, const struct frame *frame);

/* Make frame->figures at least n figures long. Added figures are NAN. */
void history_figures(struct history *h, struct frame *frame, unsigned int n);

/*
 * The sample that comes after `sample` in the frame; `sample` NULL: the first sample. Returns NULL
 * after the last sample.
 */
const struct sample *next_sample(const struct frame *frame, const struct sample *sample);

#endif /* ESTAT_CLIENT_SOURCE_HISTORY_H */
