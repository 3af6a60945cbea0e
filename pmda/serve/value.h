/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of a series' metric: a counter as it stands, or what the interval
 * since the client's previous fetch comes to.
 */
#ifndef ESTAT_PMDA_SERVE_VALUE_H
#define ESTAT_PMDA_SERVE_VALUE_H

#include "metrics.h"

/*
 * Compute the value of an instance, as of the series' last fold. Returns what
 * a pmdaFetchCallBack returns: PMDA_FETCH_STATIC, PMDA_FETCH_NOVALUES where
 * there is none (the mean of no operations), PM_ERR_INST for no such instance.
 */
int metric_value(const struct metric *m, unsigned int inst, pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_VALUE_H */
