/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows below a layer: one for each value on an axis. */
#ifndef ESTAT_CLIENT_LAYERS_BY_H
#define ESTAT_CLIENT_LAYERS_BY_H

#include "stack.h"

struct by_row {
	const char *value; /* the value of the row's keys on the axis given to rows_by() */
	struct values values;
	double waiting; /* waiting time of the row's keys; see level.waiting */
};

/*
 * Group those keys of the level for which target_has() is true by their values on `axis`, and set
 * *rows to the sums, the row with the most waiting time first. A key with values_idle() is left
 * out; so is, unless `axis` is disk, a key whose operations are counted at another disk, too.
 * Returns the number of rows, which is 0 if the keys lack the axis. The caller frees *rows.
 */
unsigned int rows_by(const struct stack *stack, const struct level *level, const char *axis,
		     struct by_row **rows);

#endif /* ESTAT_CLIENT_LAYERS_BY_H */
