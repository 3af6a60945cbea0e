/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph: a tree of frames, and its picture. */
#ifndef ESTAT_CLIENT_FLAME_FRAME_H
#define ESTAT_CLIENT_FLAME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* A function of a stack, or the value of an axis other than stack. */
struct frame {
	const char *name; /* owned by the caller of frame_add() */
	uint64_t weight;  /* sum of the weights of all stacks through this frame */
	/*
	 * first, last: the first and the last of the frames on top of this one. next: the next
	 * frame on top of the same frame
	 */
	struct frame *first, *last, *next;
};

/*
 * Add a stack. `text` has the names of the stack's frames, from the one on the root upwards, each
 * with a NUL at its end; an empty name ends `text`. `weight`: microseconds or, if flame.count is
 * set, a number, such as of operations.
 */
void frame_add(struct frame *root, const char *text, uint64_t weight);

/* Free all frames above the root. */
void frame_free(struct frame *root);

struct flame {
	const struct frame *root;
	const char *title;
	bool count; /* weights are counts, not microseconds */
};

/*
 * Write the graph as SVG, without scripts. A browser shows the <title> of a frame when the pointer
 * is on the frame.
 */
void flame_svg(const struct flame *flame, const char *file);

#endif /* ESTAT_CLIENT_FLAME_FRAME_H */
