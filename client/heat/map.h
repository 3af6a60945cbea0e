/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a heat map is: columns of time, rows of buckets, shades of counts, and the columns that
 * are the worst. A terminal and a picture draw the same.
 */
#ifndef ESTAT_CLIENT_HEAT_MAP_H
#define ESTAT_CLIENT_HEAT_MAP_H

#include "base/options.h"
#include "source/timeline.h"
#include "view/shades.h"

#define WORST 3

struct map {
	struct columns c;
	double *p99, *max;          /* of each column; NAN: it has none */
	double least_p99, most_max; /* of all */
	int low, high, per_row;     /* buckets; low > high: there is no operation */
	uint64_t thresholds[LEVELS];
	unsigned int nworst, worst[WORST]; /* columns, the worst first, no two next to each other */
};

/* Make it of these columns, which it takes, with at most so many rows. */
struct map map_make(struct columns columns, unsigned int rows);
void map_free(struct map *m);

/* The count of a row in a column; `bucket` is the row's lowest. */
uint64_t map_cell(const struct map *m, const struct column *c, int bucket);

/* The lowest bucket of the highest row. */
int map_top(const struct map *m);

/*
 * A latency's place from the least p99 to the highest latency, 1 to LEVELS, in equal steps of its
 * logarithm; 0 if it is NAN. And the least latency that has the place.
 */
int map_place(const struct map *m, double us);
double map_place_from(const struct map *m, int place);

/* How long it is between two times that are written below the map, if each needs so many columns.
 */
double map_tick(const struct map *m, unsigned int needed);

/* Does a multiple of this time, by the clock of the time zone, come in the column, and not before?
 */
bool map_has_tick(const struct map *m, unsigned int i, double tick);

/* When a column begins, as the picture has it, and what strftime(3) format is enough to tell. */
double map_begin(const struct map *m, unsigned int i);
const char *map_format(const struct map *m);

/* From when to when what a column has was measured: "15:22:13 to 15:22:14". */
void map_times(const struct map *m, unsigned int i, char *text, size_t size);

/* A latency as 400us, 2.5ms, 10s, with so many digits that count, 2 or 3. */
const char *map_latency(char *text, size_t size, double us, int digits);

/* "zio on lab, pool=domain0: latency, a column is 1 s" to be freed. */
char *map_title(const struct options *o, const char *host, double seconds);

#endif /* ESTAT_CLIENT_HEAT_MAP_H */
