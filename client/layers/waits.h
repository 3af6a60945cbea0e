/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of the verdict's operations wait for, from the series fact.reasons. */
#ifndef ESTAT_CLIENT_LAYERS_WAITS_H
#define ESTAT_CLIENT_LAYERS_WAITS_H

#include "verdict.h"

/*
 * `operations`: the series that counts operations and their whole time. `reasons`: the series that
 * counts the time of the same operations by reason. NULL: the source lacks the series.
 */
struct waits {
	const struct series *operations, *reasons;
};

/* Set `waits`, and read its series from now on. */
void waits_read(struct waits *waits, const struct layers *layers, struct source *s);

/*
 * A sentence such as "Of the 10ms of each fsync, 8.0ms are the journal, 1.2ms the run queue."
 * NULL: the reasons are not known, or each has less than LEAST (waits.c) of the operations' time.
 * The caller frees the text.
 */
char *waits_sentence(const struct waits *waits, const struct verdict *v, const struct stack *stack);

#endif /* ESTAT_CLIENT_LAYERS_WAITS_H */
