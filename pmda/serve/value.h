/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a series' metric: a counter, or the change since the client's previous fetch. */
#ifndef ESTAT_PMDA_SERVE_VALUE_H
#define ESTAT_PMDA_SERVE_VALUE_H

#include "metrics.h"

/*
 * Put the value of an instance at the series' last fold into *atom. Returns what
 * a pmdaFetchCallBack returns: PMDA_FETCH_STATIC; PMDA_FETCH_NOVALUES, for
 * example for the mean of no operations; PM_ERR_INST: there is no such instance.
 */
int metric_value(const struct metric *m, unsigned int inst, pmAtomValue *atom);

#endif /* ESTAT_PMDA_SERVE_VALUE_H */
