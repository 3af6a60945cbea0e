/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two windows side by side: what each has of a row, and whether they differ by more than the
 * parts of each window do among themselves.
 */
#ifndef ESTAT_CLIENT_DIFF_COMPARE_H
#define ESTAT_CLIENT_DIFF_COMPARE_H

#include "base/options.h"
#include "source/rows.h"

#define PARTS 8 /* at most, that a window is split into */

/* A window. */
struct side {
	const char *name; /* as it was given */
	struct source s;
	struct interval measured; /* of the whole window */
	double seconds;           /* that were measured since the last part */
	struct rows all;
	unsigned int nparts;
	struct {
		double seconds;
		struct rows rows;
	} parts[PARTS];
};

/* What is compared. */
struct measure {
	const char *name, *heading; /* in a document, and above a column */
};
#define MEASURES 7
extern const struct measure measures[MEASURES];

struct comparison {
	double value[2]; /* of A, of B; NAN: not known */
	double change;   /* B / A - 1; NAN: there is none */
	bool stands_out;
	unsigned int n[2]; /* parts that have the measure */
	double parts[2][PARTS];
};

/* A row of one of the sides, or both. */
struct pair {
	const struct row *rows[2]; /* NULL: it had no operation */
	struct comparison measures[MEASURES];
};

struct pairs {
	unsigned int n;
	struct pair *pairs;
};

/* All rows of both, in the order of their names. */
struct pairs compare(const struct side sides[2]);
void pairs_free(struct pairs *pairs);

/* Can anything stand out, with so many parts? */
bool can_stand_out(unsigned int a, unsigned int b);

/* As tables or a document. */
void print_pairs(const struct options *o, const struct side sides[2], const struct pairs *pairs);

#endif /* ESTAT_CLIENT_DIFF_COMPARE_H */
