/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.layer.*: the layers of the stack that an I/O passes, from its top to its bottom. Each
 * instance is the total of a group that a module has declared to be one.
 */
#ifndef ESTAT_PMDA_SERVE_LAYERS_H
#define ESTAT_PMDA_SERVE_LAYERS_H

#include "exports.h"

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

/* Those of all modules that are served, by `inst`. */
struct layers {
	unsigned int n;
	struct layer **layers;
	pmdaInstid *names; /* of those that run */
	pmdaIndom *indom;
};

/* Those of a module, of which all metrics are there. */
void layers_begin(struct exports *exports);
void layers_end(struct exports *exports);

void layers_add_metrics(struct metrics *metrics, pmInDom indom);

/* Those of all modules, in order, and their domain, whose instances are those that run. */
void layers_build(struct layers *l, struct module *const *module, unsigned int n, pmdaIndom *indom);

/* Have the instances that run now. */
void layers_refresh(struct layers *l);

/* The i-th layer's metric that a METRIC_LAYER is in it; NULL if it has none. */
struct metric *layers_metric(const struct layers *l, unsigned int i, const struct metric *m);

int layers_value(const struct layers *l, const struct metric *m, unsigned int inst,
		 pmAtomValue *atom);

/* Add an instance's label. */
int layers_label(const struct layers *l, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_LAYERS_H */
