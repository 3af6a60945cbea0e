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
 * Set stack->failed, from layers with fact.fails and without level.all. First find the key of the
 * target that has the most failed reads, writes or syncs. Then, of the target's keys with such
 * failures at that key's place or on devices below, take the key in the lowest layer; of several
 * there, the key on the lowest device; of several there, the key with the most failures. If no key
 * has such failures, stack->failed.key is NULL.
 */
void fail_find(struct stack *stack, const struct graph *graph);

/*
 * A sentence about the operations that failed, without a full stop: "812 of 900 writes of dm-0
 * (bio) failed". NULL: none failed. The caller frees the text.
 */
char *fail_sentence(const struct stack *stack);

#endif /* ESTAT_CLIENT_LAYERS_FAIL_H */
