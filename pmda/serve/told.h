/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the walk tells of operations under way, as a text: the values of estat.SERIES.oldest_op. */
#ifndef ESTAT_PMDA_SERVE_TOLD_H
#define ESTAT_PMDA_SERVE_TOLD_H

#include "data/series.h"

/*
 * What the walk tells of a row's oldest operation under way. `values`: the row's values; `oldest`:
 * the field with that operation's age. The caller frees the text. NULL: nothing is told.
 */
char *told_text(const struct series *s, const struct field *oldest, const uint64_t *values);

#endif /* ESTAT_PMDA_SERVE_TOLD_H */
