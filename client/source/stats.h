/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is computed of what was counted.
 */
#ifndef ESTAT_CLIENT_SOURCE_STATS_H
#define ESTAT_CLIENT_SOURCE_STATS_H

#include "source.h"

/* A count of values; NAN if they lack the field. */
double count(uint64_t n, const struct values *v, enum field field);

/*
 * Microseconds; NAN if there was no operation, or the source has not what they are computed from,
 * as a recording without the histograms of all keys.
 */
double mean(const struct values *v);
double deviation(const struct values *v);

/* What -P prints. */
struct quantile {
	const char *name;
	double share; /* 1: the highest */
};
#define QUANTILES 5
extern const struct quantile quantiles[QUANTILES];
double quantile(const struct values *v, const struct quantile *q);

#endif /* ESTAT_CLIENT_SOURCE_STATS_H */
