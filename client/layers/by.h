/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a layer for --by: one for each value on an axis. */
#ifndef ESTAT_CLIENT_LAYERS_BY_H
#define ESTAT_CLIENT_LAYERS_BY_H

#include "stack.h"

struct by_row {
	const char *value; /* the value on the axis */
	struct values values;
	double waiting; /* waiting time of the row's keys; see level.waiting */
};

/*
 * Set *rows to the shown keys of layer i with operations, added by their value on `axis`, the most
 * waiting time first. Returns their number; 0: the layer lacks the axis. The caller frees *rows.
 */
unsigned int rows_by(const struct stack *stack, unsigned int i, const char *axis,
		     struct by_row **rows);

#endif /* ESTAT_CLIENT_LAYERS_BY_H */
