/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The intervals of a heat map in order of time, and the columns of the picture that they fill.
 */
#ifndef ESTAT_CLIENT_SOURCE_TIMELINE_H
#define ESTAT_CLIENT_SOURCE_TIMELINE_H

#include "source.h"

/* The values of an interval, or of consecutive intervals that were merged. */
struct column {
	double begin, end;         /* of the measured time; without measured time: of the column */
	double at;                 /* the middle of the first interval, which decides the column */
	double measured, left_out; /* seconds */
	char *why;                 /* the last reason if time is left out; else NULL */
	int from; /* column without an interval: the one that covers its time is before (-1) or
		     after (1) */
	struct values values;
};

struct timeline {
	double unit; /* archives: seconds in which intervals were merged because there were too
			many; 0: not merged */
	unsigned int n, room;
	struct column *kept;
};

struct columns {
	unsigned int n;
	double begin, seconds; /* column i begins at begin + i * seconds; seconds = 0: at its own
				  `begin` */
	struct column *columns;
};

/* Add the next interval. Of a live source only the newest intervals are kept. */
void timeline_add(struct timeline *t, const struct column *c, bool live);

/*
 * The newest intervals, at most `most`: one column each, and for a gap as many columns as intervals
 * of `seconds` fit in.
 */
struct columns timeline_newest(const struct timeline *t, double seconds, unsigned int most);

/*
 * The whole time in at most `most` columns of equal length: the shortest multiple of an interval,
 * or a round time that is at most a third longer.
 */
struct columns timeline_columns(const struct timeline *t, unsigned int most);
void columns_free(struct columns *c);

/* The shortest round time (1, 2, 5, 10 s ... 1 h ... 1 day) of at least `seconds`. */
double round_time(double seconds);

#endif /* ESTAT_CLIENT_SOURCE_TIMELINE_H */
