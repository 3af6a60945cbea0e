/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.layer.*: the stack of layers that an I/O passes. Each layer is the total of a group
 * that a module declares as a layer; instances stand from the top of the stack to the bottom.
 */
#ifndef ESTAT_PMDA_SERVE_LAYERS_H
#define ESTAT_PMDA_SERVE_LAYERS_H

#include "exports.h"

/*
 * The number of metrics of a layer. A layer has its own copy of each
 * metric, so that a client's interval for estat.layer.* is its own, too.
 */
#define LAYER_METRICS 11

struct layer {
	int inst;     /* instance number: made of the rank, so in the order of the stack */
	char *prefix; /* how the names of its metrics begin: estat.backend_io.queue; owned */
	const char *above;
	const struct series *series;
	/* metrics in the order of estat.layer.*; .name is NULL: the group has no such metric */
	struct metric metrics[LAYER_METRICS];
};

/* The layers of all exported modules, ordered by `inst`. */
struct layers {
	unsigned int n;
	struct layer **layers;
	pmdaInstid *names; /* the instances: layers of running modules */
	pmdaIndom *indom;
};

/* Find the layers of a module whose metrics have been added. */
void layers_begin(struct exports *exports);
void layers_end(struct exports *exports);

void layers_add_metrics(struct metrics *metrics, pmInDom indom);

/* Collect the layers of all modules, and build their instance domain. */
void layers_build(struct layers *l, struct module *const *module, unsigned int n, pmdaIndom *indom);

/* Update the instances to the modules that run now. */
void layers_refresh(struct layers *l);

/* The metric of layer `i` that corresponds to `m` of estat.layer.*; NULL: the layer has none. */
struct metric *layers_metric(const struct layers *l, unsigned int i, const struct metric *m);

int layers_value(const struct layers *l, const struct metric *m, unsigned int inst,
		 pmAtomValue *atom);

/* Add an instance's label. */
int layers_label(const struct layers *l, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_LAYERS_H */
