/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations that fail have no latency, so no verdict is about them. Instead, fail_sentence() tells
 * which operations failed.
 */
#ifndef ESTAT_CLIENT_LAYERS_FAIL_H
#define ESTAT_CLIENT_LAYERS_FAIL_H

#include "place.h"
#include "stack.h"

/*
 * Set stack->failed, from layers with fact.fails. First find the one key of the target that has the
 * most failed reads, writes or synchronisations. Then look at all keys with such failures at this
 * key's place or on devices below: stack->failed is of those in the lowest layer, of these of those
 * on the lowest device, and of these the key with the most failures. If no key has such failures,
 * stack->failed.key is NULL.
 */
void fail_find(struct stack *stack, const struct graph *graph);

/*
 * A sentence about the operations that failed, without a full stop: "812 of 900 writes of dm-0
 * (bio) failed". NULL: none failed. The caller frees the text.
 */
char *fail_sentence(const struct stack *stack);

#endif /* ESTAT_CLIENT_LAYERS_FAIL_H */
