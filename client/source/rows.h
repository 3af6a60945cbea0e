/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an interval. A row is the sum of the keys that title() gives one name and axis. */
#ifndef ESTAT_CLIENT_SOURCE_ROWS_H
#define ESTAT_CLIENT_SOURCE_ROWS_H

#include "base/options.h"
#include "source.h"

struct row {
	char *name, *axis;
	uint64_t hash;              /* hash of name and axis */
	struct axis axes[MAX_AXES]; /* axes on which all keys of the row have the same value */
	unsigned int naxes;
	struct values values;
	double sorted_by; /* the figure that rows_sort() compares */
};

struct rows {
	unsigned int n;
	struct row *rows;
	struct row total;
	unsigned int has; /* fields, one bit each, of which at least one series has a metric */
};

/*
 * Add the keys of a series that the filters select and that are not idle. `name` not NULL: these
 * keys become one row of that name or, with --by, several rows of that name. rows->total, and a row
 * of several disks, leave out keys with `twice` (once.h) to count an operation once. The agent's
 * total counts such an operation at each disk, because a counter must not fall when a disk gets
 * another disk below.
 */
void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name);

/*
 * Add to `into` what rows_add() adds to rows->total, without making rows. But if only the agent's
 * total has histograms, an operation that passes several disks is counted once for each of them.
 */
void rows_total(struct values *into, const struct options *o, const struct series *series);

/* The row with the name and axis of `like`, or NULL. */
struct row *rows_find(const struct rows *rows, const struct row *like);

/* For qsort(3): rows by axis, then by name, as in the original estat. */
int compare_rows(const void *a, const void *b);

void rows_sort(struct rows *rows, const struct options *o);

/* Free the rows, but not `rows` itself. */
void rows_free(struct rows *rows);

#endif /* ESTAT_CLIENT_SOURCE_ROWS_H */
