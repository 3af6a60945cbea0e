/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an interval has of each layer, and which adds most to the waiting of those above it.
 */
#ifndef ESTAT_CLIENT_LAYERS_STACK_H
#define ESTAT_CLIENT_LAYERS_STACK_H

#include "target.h"
#include "source/layers.h"

/* What an interval has of a layer. Times are seconds of each second: as many are under way. */
struct level {
	const struct layer *layer;
	struct values values;
	double seconds;         /* that were measured of it */
	enum relation relation; /* how near those of its keys are that are at the place */
	bool all;               /* they do not, or not what filters ask for: it is of all */
	double waiting;         /* of all its operations; NAN: not known */
	double inner;           /* of those that can be compared with the layers below */
	double waited;          /* of these what operations above wait for */
	double own;             /* what it adds itself; NAN: not known */
	double own_most;        /* at most */
	layer_set above, below; /* next to it, of those that have done anything */
};

/* The layers that add most. */
struct verdict {
	layer_set most;     /* none: there was no operation */
	unsigned int first; /* of them that with most waiting */
	double adds;        /* what they add */
	unsigned int root;  /* the layer at the top whose operations wait for that */
	double of_root;     /* what of it they wait for, at most */
	layer_set roots;    /* with the others there that may wait for it, too */
	int busier;         /* a layer between where more is under way than above; -1: none */
};

struct stack {
	const struct target *target;
	unsigned int n;
	struct level levels[MAX_LAYERS];
	struct verdict verdict;
};

/* What was done in so many seconds. */
void stack_read(struct stack *stack, const struct layers *layers, const struct target *target,
		double seconds);

/* A layer below of which it is not known how long it takes, or -1. */
int stack_unknown_below(const struct stack *stack, unsigned int i);

/*
 * Where a layer's operations wait: a key, of whose axes so many, the first ones, have at least half
 * of the waiting; its share. NULL: nowhere in particular, or it is not known.
 */
const struct key *stack_where(const struct stack *stack, unsigned int i, unsigned int *naxes,
			      double *share);

#endif /* ESTAT_CLIENT_LAYERS_STACK_H */
