/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the rows of two windows, A and B. Each window is divided into splits. A difference
 * between the windows stands out if the noise among the splits does not explain the difference.
 */
#ifndef ESTAT_CLIENT_DIFF_COMPARE_H
#define ESTAT_CLIENT_DIFF_COMPARE_H

#include "base/options.h"
#include "source/rows.h"

#define SPLITS 8 /* splits of a window at most */

/* A window: A or B. */
struct side {
	const char *name; /* the argument of the command line */
	struct source s;
	struct interval measured; /* the whole window */
	double seconds;           /* measured since the last split */
	struct rows all;
	unsigned int nsplits;
	struct {
		double seconds;
		struct rows rows;
	} splits[SPLITS];
};

/* A measure: its name in JSON, and the heading of its column. */
struct measure {
	const char *name, *heading;
};
#define MEASURES 7
extern const struct measure measures[MEASURES];

/* A measure of a row in both windows. */
struct comparison {
	double value[2]; /* A, B; NAN: unknown */
	double change;   /* B / A - 1; NAN: unknown, or A is 0 */
	bool stands_out;
	unsigned int n[2]; /* splits in which the measure is known */
	double splits[2][SPLITS];
};

/* A row that at least one of the windows has. */
struct pair {
	const struct row *rows[2]; /* A, B; NULL: no operation in this window */
	struct comparison measures[MEASURES];
};

struct pairs {
	unsigned int n;
	struct pair *pairs;
};

/* Compare all rows. The pairs point into `sides`; pairs_free() frees the result. */
struct pairs compare(const struct side sides[2]);
void pairs_free(struct pairs *pairs);

/* Can the test be significant with `a` and `b` splits? */
bool can_stand_out(unsigned int a, unsigned int b);

/* Print the pairs as a table, or as a JSON document with --json. */
void print_pairs(const struct options *o, const struct side sides[2], const struct pairs *pairs);

#endif /* ESTAT_CLIENT_DIFF_COMPARE_H */
