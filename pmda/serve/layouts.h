/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.module.axes: an instance for each group of metrics and for each module's event records,
 * whether the module runs or not. The instance's labels are the layout, which tells clients how to
 * name and group rows. If the group is a layer, a label names the layers above it.
 * docs/writing-a-collector.md lists the labels.
 */
#ifndef ESTAT_PMDA_SERVE_LAYOUTS_H
#define ESTAT_PMDA_SERVE_LAYOUTS_H

#include "metrics.h"

struct layouts {
	unsigned int n;
	pmdaInstid *names; /* the instances; the array and the names in it are owned */
	struct layout_texts {
		char *axes;   /* the value of estat.module.axes; owned */
		char *labels; /* a JSON object; owned */
	} * texts;
};

void layouts_add_metric(struct metrics *metrics, int domain);

/* The names of a series' axes, joined by "::". The caller frees the text. */
char *layouts_axes(const struct series_schema *s);

/*
 * Build the layouts of `n` modules, and fill their instance domain. layouts_free() frees the
 * layouts and the domain's instances.
 */
void layouts_build(struct layouts *l, struct module *const *module, unsigned int n,
		   pmdaIndom *indom);
void layouts_free(struct layouts *l);

int layouts_value(const struct layouts *l, unsigned int inst, pmAtomValue *atom);

/* Add the labels of an instance of estat.module.axes. */
int layouts_label(const struct layouts *l, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_LAYOUTS_H */
