/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed of an interval: rows, each of the keys that a program's name and
 * axis make one of, and what is computed of them.
 */
#ifndef ESTAT_ROWS_H
#define ESTAT_ROWS_H

#include "options.h"
#include "source.h"

struct row {
	char *name, *axis;
	struct axis axes[MAX_AXES]; /* those that all its keys have the same value of */
	unsigned int naxes;
	bool has_bytes; /* if not, what is done has no size */
	struct values values;
};

struct rows {
	unsigned int n;
	struct row *rows;
	struct row total;
};

/* The program's title of a key: its name and its axis, each to be freed. */
void title(const struct options *o, const struct key *key, char **name, char **axis);

/* Is the key among those that options select? */
bool selected(const struct options *o, const struct key *key);

/*
 * Exit with what there is if options select an axis or a value that was never seen.
 * The pool domain0 is selected where there is one and no other was asked for.
 */
void check_selection(struct options *o, const struct series *series);

/*
 * Add rows of what was done in the interval; of all the series' keys one, if it is given
 * a name. Then sort them.
 */
void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name);
void rows_sort(struct rows *rows, const struct options *o);
void rows_free(struct rows *rows);

/*
 * Of values with operations: microseconds. Deviations and what -P prints are NAN if the source has
 * not what they are computed from, as a recording without the histograms of all keys.
 */
double mean(const struct values *v);
double deviation(const struct values *v);
double percentile(const struct values *v, double share);
double highest(const struct values *v);

/* What -P prints. */
struct quantile {
	const char *name;
	double share; /* 1: the highest */
};
#define QUANTILES 5
extern const struct quantile quantiles[QUANTILES];
double quantile(const struct values *v, const struct quantile *q);

#endif /* ESTAT_ROWS_H */
