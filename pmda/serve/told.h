/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the walk tells of operations under way, as a text: the values of estat.SERIES.oldest_op. */
#ifndef ESTAT_PMDA_SERVE_TOLD_H
#define ESTAT_PMDA_SERVE_TOLD_H

#include "data/series.h"

/*
 * The text for the oldest operation of a row with these values; `oldest`: the field of its age. The
 * caller frees the text. NULL: nothing is told.
 */
char *told_text(const struct series *s, const struct field *oldest, const uint64_t *values);

#endif /* ESTAT_PMDA_SERVE_TOLD_H */
