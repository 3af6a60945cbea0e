/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict in words. */
#ifndef ESTAT_CLIENT_LAYERS_SENTENCE_H
#define ESTAT_CLIENT_LAYERS_SENTENCE_H

#include "verdict.h"

/*
 * The sentence for an interval in which no operation has ended, or all that ended have failed.
 * `filters`: the command line's filters, such as "op=read and fs=ext4"; NULL: there are none. The
 * caller frees the text.
 */
char *nothing_ended(const struct stack *stack, const char *filters);

/* The verdict in one or a few sentences. The caller frees the text. */
char *verdict_sentence(const struct verdict *v, const struct stack *stack);

/*
 * A sentence, which says that the waits of the first step's operations in io_submit() are not
 * known. NULL: v->unsubmitted is false. The caller must not free the text.
 */
const char *verdict_unknown(const struct verdict *v, const struct stack *stack);

/* Print the steps of the verdict with their figures, and why the last step is the last. */
void verdict_explain(const struct verdict *v, const struct stack *stack);

/*
 * A copy of `text` in which each {AXIS} is replaced by the key's value on that axis; if the key
 * lacks the axis, by the key's place; if the key has no place, by nothing. The caller frees the
 * copy.
 */
char *fill_text(const char *text, const struct key *key);

#endif /* ESTAT_CLIENT_LAYERS_SENTENCE_H */
