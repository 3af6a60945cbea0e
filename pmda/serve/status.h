/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat.module.* and estat.agent.*: the state of each module and of the agent. */
#ifndef ESTAT_PMDA_SERVE_STATUS_H
#define ESTAT_PMDA_SERVE_STATUS_H

#include "agent.h"

void status_add_metrics(struct agent *a);

/*
 * Put a metric's value into *atom. `item`: the metric's PMID item. Returns as a pmdaFetchCallBack
 * does.
 */
int status_value(const struct agent *a, unsigned int item, unsigned int inst, pmAtomValue *atom);

/*
 * pmStore(3): set a module's setting. `inst`: the module's instance. Returns PM_ERR_PERMISSION if
 * the metric is no setting, PM_ERR_INST if there is no such module, if the module lacks the setting
 * or, for `slow`, does not run, PM_ERR_BADSTORE for a bad value.
 */
int status_store(const struct agent *a, unsigned int item, unsigned int inst,
		 const pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_STATUS_H */
