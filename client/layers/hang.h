/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hangs: operations that are under way for long, although nothing of their kind ends, or what
 * ends takes far less time.
 */
#ifndef ESTAT_CLIENT_LAYERS_HANG_H
#define ESTAT_CLIENT_LAYERS_HANG_H

#include "place.h"
#include "stack.h"

/*
 * Set stack->hang and level->hangs. The operations are those of the target, at the lowest place, in
 * the lowest layer, where the oldest one can be.
 */
void hang_find(struct stack *stack, const struct layers *layers, const struct graph *graph);

/*
 * The sentence without its full stop: "4 reads of dm-0 (bio) have been under way for up to 31s;
 * nothing below dm-0 has them". NULL: nothing hangs. The caller frees the text.
 */
char *hang_sentence(const struct stack *stack);

#endif /* ESTAT_CLIENT_LAYERS_HANG_H */
