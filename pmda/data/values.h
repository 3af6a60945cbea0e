/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up the values of keys. */
#ifndef ESTAT_PMDA_DATA_VALUES_H
#define ESTAT_PMDA_DATA_VALUES_H

#include "schema/schema.h"

/*
 * How many 64-bit words a matrix of latency by size has. In a row the matrix follows the
 * schema->value_words words of the value.
 */
#define MATRIX_WORDS (sizeof(struct estat_matrix) / sizeof(uint64_t))

/* Add the `n` words at `from` to those at `into`. */
void words_add(uint64_t *into, const uint64_t *from, unsigned int n);

/*
 * Add `from` to `into`, field by field: of a maximum, take the higher; of a gauge, take the newer.
 * Of gauges that the same walk by estat_walk has set, add up the numbers of operations and the sums
 * of ages, and take the higher age of the oldest operation.
 */
void values_add(const struct series_schema *schema, uint64_t *into, const uint64_t *from);

/* Multiply each of the `n` words by `by`. */
void words_multiply(uint64_t *words, unsigned int n, uint32_t by);

/* Multiply all counters and histograms in `values` by `by`. Maxima and gauges stay. */
void values_multiply(const struct series_schema *schema, uint64_t *values, uint32_t by);

/* The sum of squares in a row's values, in nanoseconds squared. */
static inline unsigned __int128 values_sumsq(const uint64_t *values, const struct field *f)
{
	return (unsigned __int128)values[f->word + 1] << 64 | values[f->word];
}

#endif /* ESTAT_PMDA_DATA_VALUES_H */
