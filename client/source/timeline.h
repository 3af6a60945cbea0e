/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The intervals of a heat map in order of time, and the columns of the picture. */
#ifndef ESTAT_CLIENT_SOURCE_TIMELINE_H
#define ESTAT_CLIENT_SOURCE_TIMELINE_H

#include "source.h"

/* The values of an interval, or of consecutive intervals that were merged. */
struct column {
	double begin, end; /* dates of the intervals or, without any, of the column */
	double at;         /* date of the first interval's middle, by which the column is chosen */
	double measured, left_out; /* seconds */
	char *why;                 /* the last reason for which time was left out; or NULL */
	/*
	 * 1: this column has no interval of its own, and most of the column's time is that of an
	 * interval in a later column; -1: in an earlier column; 0: else
	 */
	int from;
	struct values values;
};

struct timeline {
	double unit; /* of an archive: intervals within so many seconds are merged; 0: none are */
	unsigned int n, room;
	struct column *kept;
};

struct columns {
	unsigned int n;
	double begin;   /* date at which the first column begins */
	double seconds; /* length of a column; 0: each column has a `begin` of its own */
	struct column *columns;
};

/*
 * Add the next interval. Of a live source only the newest intervals are kept. Of a long archive
 * consecutive intervals are merged.
 */
void timeline_add(struct timeline *t, const struct column *c, bool live);

/* The newest columns, at most `most`: one for each interval, one for every `seconds` of a gap. */
struct columns timeline_newest(const struct timeline *t, double seconds, unsigned int most);

/*
 * All intervals in at most `most` columns of equal length. The length is the shortest possible
 * multiple of an interval, or a round time that is at most a third longer.
 */
struct columns timeline_columns(const struct timeline *t, unsigned int most);
void columns_free(struct columns *c);

/* The shortest round time of at least `seconds`: 0.1, 0.2, 0.5, 1 s ... 12 h, or whole days. */
double round_time(double seconds);

#endif /* ESTAT_CLIENT_SOURCE_TIMELINE_H */
