/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of metrics of series: counters, gauges, and instant metrics. */
#ifndef ESTAT_PMDA_SERVE_VALUE_H
#define ESTAT_PMDA_SERVE_VALUE_H

#include "metrics.h"

/*
 * Put a metric's value of an instance, at the series' last fold, into *atom. Returns
 * PMDA_FETCH_STATIC, PMDA_FETCH_DYNAMIC for a text that libpcp_pmda frees, PMDA_FETCH_NOVALUES (as
 * for a mean of no operations) or PM_ERR_INST.
 */
int metric_value(const struct metric *m, unsigned int inst, pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_VALUE_H */
