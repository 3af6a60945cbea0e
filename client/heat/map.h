/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of a heat map, to be drawn on a terminal or in a picture file. */
#ifndef ESTAT_CLIENT_HEAT_MAP_H
#define ESTAT_CLIENT_HEAT_MAP_H

#include "base/options.h"
#include "source/timeline.h"
#include "view/shades.h"

#define WORST 3

struct map {
	struct columns c;
	double *p99, *max;          /* latency in microseconds by column; NAN: no operation */
	double least_p99, most_max; /* us: the least p99 and the highest max of all columns */
	int low, high; /* lowest, highest bucket with operations; low > high: no operation */
	int per_row;   /* number of buckets in a row */
	/* [i]: the least number of operations in a cell of shade i + 1 */
	uint64_t thresholds[LEVELS];
	unsigned int nworst, worst[WORST]; /* indexes of the worst columns, no two adjacent */
};

/* Make a map with at most `rows` rows. map_free() frees the map and `columns`. */
struct map map_make(struct columns columns, unsigned int rows);
void map_free(struct map *m);

/* The number of operations in a column. */
uint64_t map_operations(const struct column *c);

/* The number of operations in column c and in the row whose lowest bucket is `bucket`. */
uint64_t map_cell(const struct map *m, const struct column *c, int bucket);

/* The lowest bucket of the highest row. */
int map_top(const struct map *m);

/*
 * The position of a latency (microseconds) in the lines p99 and max below the map: 1 (lowest) to
 * LEVELS; 0 for NAN. The lowest latency of position 1 is map.least_p99, that of position LEVELS is
 * map.most_max; positions are equally wide on a logarithmic scale. map_position_from() returns the
 * lowest latency of a position.
 */
int map_position(const struct map *m, double us);
double map_position_from(const struct map *m, int position);

/* The seconds between times printed below the map, if each time needs `needed` columns. */
double map_tick(const struct map *m, unsigned int needed);

/*
 * Has column i a tick: is a multiple of `tick` s, in local time, in the first quarter of column i,
 * or in the column before after that column's first quarter? Below a tick a time is printed if
 * there is room.
 */
bool map_has_tick(const struct map *m, unsigned int i, double tick);

/* map_begin(): when column i begins, s since 1970. map_format(): format for strftime(3). */
double map_begin(const struct map *m, unsigned int i);
const char *map_format(const struct map *m);

/* Write the begin and the end of column i: "15:22:13 to 15:22:14". */
void map_times(const struct map *m, unsigned int i, char *text, size_t size);

/* A title: "zio on lab, pool=domain0: latency, a column is 1 s". The caller frees the text. */
char *map_title(const struct options *o, const char *host, double seconds);

#endif /* ESTAT_CLIENT_HEAT_MAP_H */
