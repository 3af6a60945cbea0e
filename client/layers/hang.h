/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An operation hangs if it has been under way for longer than one second, and all operations like
 * it that ended in the interval took less than a third of its age. An operation that is still under
 * way at the interval's end also hangs if it has been under way for longer than ten seconds.
 */
#ifndef ESTAT_CLIENT_LAYERS_HANG_H
#define ESTAT_CLIENT_LAYERS_HANG_H

#include "place.h"
#include "stack.h"

/*
 * Set stack->hang, and `hangs` of all stack->levels. First find the place of the oldest operation
 * of the target that hangs. Of the operations of the target that hang at this place or on devices
 * below, stack->hang is about those in the lowest layer and, in that layer, on the lowest device.
 * If nothing hangs at the interval's end, stack->hang is about operations that hung earlier in the
 * interval.
 */
void hang_find(struct stack *stack, const struct layers *layers, const struct graph *graph);

/*
 * A sentence about the operations of stack->hang, without a full stop: "4 reads of dm-0 (bio) have
 * been under way for up to 31s; nothing below dm-0 has them". NULL: nothing hangs or hung. The
 * caller frees the text.
 */
char *hang_sentence(const struct stack *stack);

#endif /* ESTAT_CLIENT_LAYERS_HANG_H */
