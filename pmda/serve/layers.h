/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.layer.*: an instance for each layer that an I/O passes, from the top of the stack to the
 * bottom. A layer's values are the totals of a group that a module declares as a layer.
 */
#ifndef ESTAT_PMDA_SERVE_LAYERS_H
#define ESTAT_PMDA_SERVE_LAYERS_H

#include "exports.h"

/* The number of metrics estat.layer.*. */
#define LAYER_METRICS 12

struct layer {
	int inst;   /* instance number: its upper bits are the rank, which orders the stack */
	char *name; /* the group's name, such as backend_io.queue; owned */
	const char *above; /* the value of estat.layer.above */
	char *twice; /* the value of estat.layer.twice at the last fetch of that metric; owned */
	const struct series *series;
	/*
	 * copies of the metrics of the group's total: a copy has a `previous` of its own; .name
	 * NULL: the group lacks the metric
	 */
	struct metric metrics[LAYER_METRICS];
};

/* The layers of all exported modules, ordered by `inst`. */
struct layers {
	unsigned int n;
	struct layer **layers;
	pmdaInstid *names; /* the instances of estat.layer.*: layers of running modules */
	pmdaIndom *indom;
};

/* Set exports->layers. exports->metrics must be complete. layers_end() frees the layers. */
void layers_begin(struct exports *exports);
void layers_end(struct exports *exports);

void layers_add_metrics(struct metrics *metrics, pmInDom indom);

/* Collect the layers of all modules, and build their instance domain. */
void layers_build(struct layers *l, struct module *const *module, unsigned int n, pmdaIndom *indom);

/* Update the instances of estat.layer.* to the layers of modules that run now. */
void layers_refresh(struct layers *l);

/*
 * The metric of layer `i` from which metric `m` of estat.layer.* has its value; for `twice` the
 * layer's `ops`, see folds(). NULL: none.
 */
struct metric *layers_metric(const struct layers *l, unsigned int i, const struct metric *m);

/* Is `m` the metric estat.layer.twice, whose values need the graph of devices? */
bool layers_need_graph(const struct metric *m);

int layers_value(const struct layers *l, const struct metric *m, unsigned int inst,
		 pmAtomValue *atom);

/* Add the label `layer` of an instance of estat.layer.*. */
int layers_label(const struct layers *l, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_LAYERS_H */
