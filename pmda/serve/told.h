/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat_walk has stored of the oldest operations under way, as a text: the values of
 * estat.GROUP.oldest_op.
 */
#ifndef ESTAT_PMDA_SERVE_TOLD_H
#define ESTAT_PMDA_SERVE_TOLD_H

#include "data/series.h"

/*
 * What the newest walk has stored of a row's oldest operation under way. `values`: the row's
 * values; `oldest`: the field with that operation's age. The caller frees the text. NULL: the walk
 * has stored nothing.
 */
char *told_text(const struct series *s, const struct field *oldest, const uint64_t *values);

#endif /* ESTAT_PMDA_SERVE_TOLD_H */
