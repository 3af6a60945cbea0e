/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict in words. */
#ifndef ESTAT_CLIENT_LAYERS_SENTENCE_H
#define ESTAT_CLIENT_LAYERS_SENTENCE_H

#include "verdict.h"

/* The verdict in one or a few sentences. The caller frees the text. */
char *verdict_sentence(const struct verdict *v, const struct stack *stack);

/* What is not known of the verdict's operations, as a sentence; NULL: nothing to say. */
const char *verdict_unknown(const struct verdict *v, const struct stack *stack);

/* Print the steps of the verdict with their figures, and why the last step is the last. */
void verdict_explain(const struct verdict *v, const struct stack *stack);

/*
 * Replace each {AXIS} of a text by the key's value on that axis or, if the key lacks the axis, by
 * key_place() of the key. The caller frees the text.
 */
char *fill_text(const char *text, const struct key *key);

#endif /* ESTAT_CLIENT_LAYERS_SENTENCE_H */
