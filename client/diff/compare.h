/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the rows of two windows of time, A and B, which are divided into splits. A difference
 * of A and B stands out if the differences among the splits do not explain the difference, and the
 * difference is at least MIN_CHANGE of the smaller value.
 */
#ifndef ESTAT_CLIENT_DIFF_COMPARE_H
#define ESTAT_CLIENT_DIFF_COMPARE_H

#include "base/options.h"
#include "source/rows.h"
#include "source/stats.h"

#define SPLITS 8 /* most splits of a window */

/* A window: A or B. */
struct side {
	const char *name; /* the window's argument on the command line */
	struct source s;
	/* begin of the first interval, end of the last, sums of all `seconds` and all `left_out` */
	struct interval measured;
	double seconds;  /* measured seconds that are in no split yet */
	struct rows all; /* the rows of the whole window */
	unsigned int nsplits;
	struct {
		double seconds;
		struct rows rows;
	} splits[SPLITS];
};

/*
 * A figure, its name in JSON, and the heading of its column. `estat diff` shows the figure ERRORS
 * as errors a second.
 */
struct measure {
	enum figure figure;
	const char *name, *heading;
};
#define MEASURES 7
extern const struct measure measures[MEASURES];

/* A measure of a row in A and in B. */
struct comparison {
	double value[2]; /* A, B; NAN: unknown */
	double change;   /* B / A - 1; NAN: unknown, or A is 0 */
	bool stands_out;
	unsigned int n[2]; /* how many splits of A, and of B, have a known value */
	double splits[2][SPLITS];
};

/* A row that window A, window B or both have. */
struct pair {
	/* the row in A, and in B; NULL: this window has no operation of the row */
	const struct row *rows[2];
	struct comparison measures[MEASURES];
};

struct pairs {
	unsigned int n;
	struct pair *pairs;
};

/* Compare all rows. The pairs point to rows of `sides`, which pairs_free() does not free. */
struct pairs compare(const struct side sides[2]);
void pairs_free(struct pairs *pairs);

/* Can a difference stand out if A has `a` splits and B has `b` splits? */
bool can_stand_out(unsigned int a, unsigned int b);

/* Print the pairs as a table, or as a JSON document with --json. */
void print_pairs(const struct options *o, const struct side sides[2], const struct pairs *pairs);

#endif /* ESTAT_CLIENT_DIFF_COMPARE_H */
