/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layers that a source has, as the modules declare them (bpf/declare.bpf.h, ESTAT_LAYER) and
 * the agent exports them, estat.layer.*.
 */
#ifndef ESTAT_CLIENT_SOURCE_LAYERS_H
#define ESTAT_CLIENT_SOURCE_LAYERS_H

#include "source.h"

/* A set of layers is a bit for each of them. */
#define MAX_LAYERS 64
typedef uint64_t layer_set;

struct layer {
	const char *name; /* of its metrics, less estat. */
	unsigned int rank;
	const char *above;         /* names of layers, with blanks between */
	const char *axis, *values; /* of those operations that they wait for; NULL: all */
	struct series *total;      /* over all keys; NULL: figures are the sum of keys */
	struct series *keys;       /* NULL: there is no metric of any key */
};

struct layers {
	unsigned int n;
	struct layer layers[MAX_LAYERS]; /* from the top of the stack to the bottom */
};

/*
 * Find them, and read their metrics from now on: their totals, and of keys how many operations
 * and how long; with `by_key` all of each key, and totals only where there are no keys. Exits if
 * there is no layer.
 */
void layers_find(struct layers *layers, struct source *s, bool by_key);

/*
 * Which of the layers that have a bit in `present` wait for the i-th one: those that it declares;
 * for one of those that the source has not, those that wait for that.
 */
layer_set layers_above(const struct layers *layers, unsigned int i, layer_set present);

#endif /* ESTAT_CLIENT_SOURCE_LAYERS_H */
