/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that are computed from values. */
#ifndef ESTAT_CLIENT_SOURCE_STATS_H
#define ESTAT_CLIENT_SOURCE_STATS_H

#include "values.h"

/* The figures of a row in the order of the summary's columns. */
enum figure {
	IOPS,
	MEAN, /* MEAN, DEVIATION: of the latency, us */
	DEVIATION,
	THROUGHPUT, /* KiB a second */
	P50,        /* P50 to HIGHEST: latency, us */
	P90,
	P99,
	P999,
	HIGHEST,
	ERRORS,
	OPS,
	FIGURES,             /* how many figures the summary has: those before FIGURES */
	UNDER_WAY = FIGURES, /* operations under way at the end of the interval */
	OLDEST,              /* the age of the oldest operation under way, us */
	ALL_FIGURES,
};

/*
 * name: for --sort; of P50 to HIGHEST also the name of the JSON member with -J. heading: of the
 * summary's column; also the name of the JSON member with -j. brief: heading in a narrow summary.
 */
extern const struct figure_names {
	const char *name, *heading, *brief;
} figures[ALL_FIGURES];

/*
 * Compute a figure. NAN: the source lacks the values; or the figure is of latencies, and no
 * operation has ended without error. `seconds`: the interval's measured time, for IOPS and
 * THROUGHPUT.
 */
double figure(const struct values *v, enum figure figure, double seconds);

/* `n`, or NAN if the value of the field is not known. */
double count(uint64_t n, const struct values *v, enum field field);

/* The median of n > 0 numbers, of two in the middle the greater. Sorts the numbers in place. */
double median(double *numbers, unsigned int n);

#endif /* ESTAT_CLIENT_SOURCE_STATS_H */
