// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "sorted.h"

static int compare_values(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare(const void *a, const void *b, void *axis)
{
	const struct key *x = *(const struct key *const *)a, *y = *(const struct key *const *)b;
	int order = axis ? compare_values(key_axis(x, axis), key_axis(y, axis)) : 0;

	for (unsigned int i = 0; !axis && !order && i < x->naxes && i < y->naxes; i++)
		order = strcmp(x->axes[i].value, y->axes[i].value);
	return order;
}

const struct key **keys_by(const struct series *series, const char *axis)
{
	const struct key **keys = xalloc(malloc((series->nkeys + 1) * sizeof(*keys)));

	for (unsigned int k = 0; k < series->nkeys; k++)
		keys[k] = series->keys[k];
	qsort_r(keys, series->nkeys, sizeof(*keys), compare, (void *)axis);
	return keys;
}

unsigned int keys_find(const struct key *const *keys, unsigned int n, const char *axis,
		       const char *value)
{
	unsigned int low = 0, high = n;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (compare_values(key_axis(keys[middle], axis), value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && !compare_values(key_axis(keys[low], axis), value) ? low : n;
}
