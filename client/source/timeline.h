/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals in the order of time, and the columns of a picture that they make up.
 */
#ifndef ESTAT_CLIENT_SOURCE_TIMELINE_H
#define ESTAT_CLIENT_SOURCE_TIMELINE_H

#include "source.h"

/* What an interval has, or several that follow one another. */
struct column {
	double begin, end;         /* of what was measured; if nothing was, of the column */
	double at;                 /* which column has it: the middle of its first interval */
	double measured, left_out; /* seconds */
	char *why;                 /* something is left out, the last reason */
	int from; /* has no interval: the one that spans it is < 0: before, > 0: after */
	struct values values;
};

struct timeline {
	double unit; /* seconds to which intervals of an archive were merged, as they are many; 0:
			none */
	unsigned int n, room;
	struct column *kept;
};

struct columns {
	unsigned int n;
	double begin, seconds; /* column i is from begin + i * seconds on; 0: from its own begin */
	struct column *columns;
};

/* Add what comes after all that there is; of a pmcd's only the newest are kept. */
void timeline_add(struct timeline *t, const struct column *c, bool live);

/* The newest intervals, each a column, but for gaps, which are as many as are as long. */
struct columns timeline_newest(const struct timeline *t, double seconds, unsigned int most);

/*
 * All of the time in at most so many columns, of one length each: the least multiple of an
 * interval, or a round time that is a bit longer.
 */
struct columns timeline_columns(const struct timeline *t, unsigned int most);
void columns_free(struct columns *c);

/* The least of the round times (1, 2, 5, 10 s ... 1 h ... 1 day) that is this or longer. */
double round_time(double seconds);

#endif /* ESTAT_CLIENT_SOURCE_TIMELINE_H */
