/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed of an interval: rows, each of the keys that a layout's name and
 * axis make one of, and what is computed of them.
 */
#ifndef ESTAT_CLIENT_SOURCE_ROWS_H
#define ESTAT_CLIENT_SOURCE_ROWS_H

#include "base/options.h"
#include "source.h"

struct row {
	char *name, *axis;
	uint64_t hash;              /* of both */
	struct axis axes[MAX_AXES]; /* those that all its keys have the same value of */
	unsigned int naxes;
	struct values values;
	double sorted_by; /* the figure, see rows_sort */
};

struct rows {
	unsigned int n;
	struct row *rows;
	struct row total;
	unsigned int has; /* fields of which a series has a metric */
};

/*
 * Add rows of what was done in the interval; of all the series' keys one, if it is given
 * a name. Then sort them.
 */
void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name);
void rows_sort(struct rows *rows, const struct options *o);
void rows_free(struct rows *rows);

#endif /* ESTAT_CLIENT_SOURCE_ROWS_H */
