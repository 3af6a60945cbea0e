// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "by.h"
#include "lib/xalloc.h"
#include "source/sorted.h"

static int most_first(const void *a, const void *b)
{
	const struct by_row *x = a, *y = b;

	return (x->values.sum_ns < y->values.sum_ns) - (x->values.sum_ns > y->values.sum_ns);
}

unsigned int rows_by(const struct stack *stack, const struct level *level, const char *axis,
		     struct by_row **rows)
{
	const struct series *series = level->layer->keys;
	const struct key **keys = series ? keys_by(series, axis) : NULL;
	bool disks = !strcmp(axis, "disk");
	unsigned int n = 0;

	*rows = NULL;
	for (unsigned int k = 0; series && k < series->nkeys; k++) {
		const char *value = key_axis(keys[k], axis);

		if (!value || values_idle(&keys[k]->values) ||
		    !(disks ? target_has(stack->target, keys[k], level->relation)
			    : stack_shows(stack, level, keys[k])))
			continue;
		if (!n || strcmp((*rows)[n - 1].value, value)) {
			*rows = grow(*rows, n, sizeof(**rows));
			(*rows)[n++] = (struct by_row){ .value = value };
		}
		values_add(&(*rows)[n - 1].values, &keys[k]->values);
		(*rows)[n - 1].values.lacks |= series_lacks(series);
	}
	for (unsigned int r = 0; r < n; r++)
		(*rows)[r].waiting = lacks(&(*rows)[r].values, FIELD_SUM)
					     ? NAN
					     : (*rows)[r].values.sum_ns / NS / level->seconds;
	if (n)
		qsort(*rows, n, sizeof(**rows), most_first);
	free(keys);
	return n;
}
