/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat.module.* and estat.agent.*: what each module is doing, what it lost,
 * what it takes, and the agent itself.
 */
#ifndef ESTAT_PMDA_SERVE_STATUS_H
#define ESTAT_PMDA_SERVE_STATUS_H

#include "agent.h"

void status_add_metrics(struct agent *a);

/* The value of such a metric, as a pmdaFetchCallBack returns it. */
int status_value(const struct agent *a, unsigned int item, unsigned int inst, pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_STATUS_H */
