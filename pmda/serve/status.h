/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat.module.* and estat.agent.*: the state of each module and of the agent. */
#ifndef ESTAT_PMDA_SERVE_STATUS_H
#define ESTAT_PMDA_SERVE_STATUS_H

#include "agent.h"

void status_add_metrics(struct agent *a);

/*
 * Put the value of a metric, which has this PMID item in cluster 0, into *atom.
 * Returns what a pmdaFetchCallBack returns.
 */
int status_value(const struct agent *a, unsigned int item, unsigned int inst, pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_STATUS_H */
