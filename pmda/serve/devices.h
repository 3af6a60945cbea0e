/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat.device.*: the graph of devices, with an instance for each node. */
#ifndef ESTAT_PMDA_SERVE_DEVICES_H
#define ESTAT_PMDA_SERVE_DEVICES_H

#include "metrics.h"

void devices_add_metrics(struct metrics *metrics, int domain);

/* Make the nodes the instances of `indom`, the domain in a new table of libpcp_pmda. */
void devices_build(pmdaIndom *indom);

/*
 * Does the block device stand, at any depth, on a device with one of the `n` names? The answer is
 * that of the graph as devices_refresh() has read it last.
 */
bool devices_stand(const char *device, char *const *names, unsigned int n);

/*
 * Read the graph again and update the instances, if changes_seen() is true or the graph is a minute
 * old.
 */
void devices_refresh(void);

/*
 * Put a metric's value into *atom. `item`: the metric's PMID item. Returns as a pmdaFetchCallBack
 * does.
 */
int devices_value(unsigned int item, unsigned int inst, pmAtomValue *atom);

/*
 * Add the label `device`, the node's name, of an instance. Returns a negative PM_ERR_* after an
 * error.
 */
int devices_label(unsigned int inst, pmLabelSet **set);

/* Free the graph, and all that devices_refresh() keeps to read the graph. */
void devices_end(void);

#endif /* ESTAT_PMDA_SERVE_DEVICES_H */
