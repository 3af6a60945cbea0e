/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences about breakdowns, and commands that show the series of breakdowns. */
#ifndef ESTAT_CLIENT_LAYERS_BREAKDOWN_TEXT_H
#define ESTAT_CLIENT_LAYERS_BREAKDOWN_TEXT_H

#include "breakdown.h"

/*
 * Set lines[] for each axis that neither a layer nor a breakdown has: a sentence that says which
 * series have the axis. For the other axes lines[] stays NULL.
 */
void breakdowns_explain(struct breakdowns *b, struct source *s);

/*
 * A sentence about the rows by axes[a]: which series they show, or why there are none; NULL: the
 * rows need no sentence. The caller frees the text.
 */
char *breakdowns_note(const struct breakdowns *b, unsigned int a);

/*
 * If there are filters, and the verdict has no step: nothing_ended() if a layer has the axes of all
 * filters, else a sentence which says that no layer has them. NULL: there are no filters, or the
 * verdict has a step. The caller frees the text.
 */
char *breakdowns_no_step(const struct breakdowns *b, const struct stack *stack,
			 const struct verdict *v);

/*
 * next_commands() or, if that finds none, command lines that show the series whose rows are apart,
 * see breakdown_is_apart(). The caller frees the texts.
 */
unsigned int breakdowns_or_next(const struct breakdowns *b, const struct who *who,
				const struct verdict *v, const struct stack *stack,
				char *commands[MAX_NEXT]);

#endif /* ESTAT_CLIENT_LAYERS_BREAKDOWN_TEXT_H */
