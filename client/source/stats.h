/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that are computed from values. */
#ifndef ESTAT_CLIENT_SOURCE_STATS_H
#define ESTAT_CLIENT_SOURCE_STATS_H

#include "source.h"

/* `n`, or NAN if the value of the field is not known. */
double count(uint64_t n, const struct values *v, enum field field);

/* Mean and standard deviation of latency in microseconds; NAN: no operation, or no such metrics. */
double mean(const struct values *v);
double deviation(const struct values *v);

/* The quantiles of -P and --json, in microseconds; NAN: no operation, or no such metrics. */
struct quantile {
	const char *name;
	double share; /* 1: the maximum */
};
#define QUANTILES 5
extern const struct quantile quantiles[QUANTILES];
double quantile(const struct values *v, const struct quantile *q);

#endif /* ESTAT_CLIENT_SOURCE_STATS_H */
