/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up values, the way modules count them, field by field. */
#ifndef ESTAT_PMDA_DATA_VALUES_H
#define ESTAT_PMDA_DATA_VALUES_H

#include "schema/schema.h"

/* Words of the matrix of latency by size, which follow a value's own. */
#define MATRIX_WORDS (sizeof(struct estat_matrix) / sizeof(uint64_t))

/* Add `n` words to others. */
void words_add(uint64_t *into, const uint64_t *from, unsigned int n);

/* Add a value to another, field by field. Of a gauge the newer stays, of a maximum the higher. */
void values_add(const struct series_schema *schema, uint64_t *into, const uint64_t *from);

/* The sum of squares among a row's values, nanoseconds squared. */
static inline unsigned __int128 values_sumsq(const uint64_t *values, const struct field *f)
{
	return (unsigned __int128)values[f->word + 1] << 64 | values[f->word];
}

#endif /* ESTAT_PMDA_DATA_VALUES_H */
