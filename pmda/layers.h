/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.layer.*: the layers of the stack that an I/O passes, from its top to its bottom. Each
 * instance is the total of a group that a module has declared to be one.
 */
#ifndef ESTAT_LAYERS_H
#define ESTAT_LAYERS_H

#include "served.h"

struct agent;
struct tables;

/* Each figure of a layer is a metric of its own: clients have intervals of their own with it. */
#define LAYER_METRICS 11

struct layer {
	int inst;     /* in the order of the layers, for good; made of the rank */
	char *prefix; /* how the names of its metrics begin: estat.backend_io.queue */
	const char *above;
	const struct series *series;
	/* as estat.layer.*, in their order; .name is NULL where it has none */
	struct metric metrics[LAYER_METRICS];
};

/* Those of a module, of which all metrics are there. */
void layers_begin(struct served *served);
void layers_end(struct served *served);

void layers_add_metrics(struct agent *a);

/* Those of all modules, in order, and their domain, whose instances are those that run. */
void layers_build(struct tables *t, struct module *const *module, unsigned int n, pmdaIndom *indom);

/* Have the instances that run now. */
void layers_refresh(struct tables *t);

/* The i-th layer's metric that a METRIC_LAYER is in it; NULL if it has none. */
struct metric *layers_metric(const struct tables *t, unsigned int i, const struct metric *m);

int layers_value(const struct tables *t, const struct metric *m, unsigned int inst,
		 pmAtomValue *atom);

/* Add an instance's label. */
int layers_label(const struct tables *t, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_LAYERS_H */
