/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys in the order of their values, to find all keys with one value quickly. */
#ifndef ESTAT_CLIENT_SOURCE_SORTED_H
#define ESTAT_CLIENT_SOURCE_SORTED_H

#include "series.h"

/*
 * The series->nkeys keys of a series in the order of their values on `axis`, keys without a value
 * first; if `axis` is NULL, of their values on all axes. The caller frees the array.
 */
const struct key **keys_by(const struct series *series, const char *axis);

/*
 * The index of the first key with `value` on `axis` among the n keys that keys_by() sorted by
 * `axis`; n: no key has the value.
 */
unsigned int keys_find(const struct key *const *keys, unsigned int n, const char *axis,
		       const char *value);

#endif /* ESTAT_CLIENT_SOURCE_SORTED_H */
