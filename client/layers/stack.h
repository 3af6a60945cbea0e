/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of each layer in an interval, and the layer that adds most to the waiting time. */
#ifndef ESTAT_CLIENT_LAYERS_STACK_H
#define ESTAT_CLIENT_LAYERS_STACK_H

#include "target.h"
#include "source/layers.h"

/* A layer in an interval. Times are seconds a second: the mean number of operations under way. */
struct level {
	const struct layer *layer;
	struct values values;
	double seconds;         /* measured time */
	enum relation relation; /* of the keys that are shown */
	bool all;        /* the layer cannot tell the target or a filter: all keys are shown */
	double waiting;  /* the waiting time of all operations shown; NAN: unknown */
	double inner;    /* the part of `waiting` that can be compared with layers below */
	double waited;   /* the part of `inner` that operations of layers above wait for */
	double own;      /* the layer's own time; NAN: unknown */
	double own_most; /* an upper limit of the own time */
	layer_set above, below; /* the next layers that had operations */
};

/* The group of layers that adds most waiting time. */
struct verdict {
	layer_set most;     /* the layers; empty: no operation ended */
	unsigned int first; /* the layer of `most` that may add most */
	double adds;        /* the own time of `most` */
	unsigned int root;  /* the layer at the top whose operations wait for `most` */
	double of_root;     /* the part of `adds` that operations of `root` wait for, at most */
	layer_set roots;    /* all layers at the top that may wait for `most` */
	int busier;         /* a layer below `root` that has more under way than above; -1: none */
};

struct stack {
	const struct target *target;
	unsigned int n;
	struct level levels[MAX_LAYERS];
	struct verdict verdict;
};

/* Compute the stack of an interval of `seconds`. `target` must outlive the stack. */
void stack_read(struct stack *stack, const struct layers *layers, const struct target *target,
		double seconds);

/* A layer next below layer i whose waiting time is unknown, or -1. */
int stack_unknown_below(const struct stack *stack, unsigned int i);

/*
 * Where layer i waits. Keys that equal the returned key on the first *naxes axes have the share
 * *share of the layer's waiting time, at least half. Returns NULL if no value of the first axis has
 * half of the time, or if the waiting time of keys is unknown.
 */
const struct key *stack_where(const struct stack *stack, unsigned int i, unsigned int *naxes,
			      double *share);

#endif /* ESTAT_CLIENT_LAYERS_STACK_H */
