/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of a heat map: columns of time, rows of latency buckets, shades of counts, and the
 * worst columns. The terminal and the picture files draw this content.
 */
#ifndef ESTAT_CLIENT_HEAT_MAP_H
#define ESTAT_CLIENT_HEAT_MAP_H

#include "base/options.h"
#include "source/timeline.h"
#include "view/shades.h"

#define WORST 3

struct map {
	struct columns c;
	double *p99, *max;                 /* of each column, microseconds; NAN: no operation */
	double least_p99, most_max;        /* over all columns, microseconds */
	int low, high;                     /* lowest and highest bucket; low > high: no operation */
	int per_row;                       /* buckets a row */
	uint64_t thresholds[LEVELS];       /* the least count of each shade */
	unsigned int nworst, worst[WORST]; /* column numbers, the worst first, no two adjacent */
};

/* Make a map with at most `rows` rows. The map takes over the columns; map_free() frees them. */
struct map map_make(struct columns columns, unsigned int rows);
void map_free(struct map *m);

/* The count of a row in a column; `bucket` is the lowest bucket of the row. */
uint64_t map_cell(const struct map *m, const struct column *c, int bucket);

/* The lowest bucket of the highest row. */
int map_top(const struct map *m);

/*
 * The position of a latency (microseconds) on the scale of the tracks, 1 to LEVELS; 0 if the
 * latency is NAN. The scale goes from the least p99 to the highest latency in equal steps of the
 * logarithm. The second function returns the least latency that has a position.
 */
int map_position(const struct map *m, double us);
double map_position_from(const struct map *m, int position);

/* Seconds between the times below the map, if each time needs `needed` columns. */
double map_tick(const struct map *m, unsigned int needed);

/* Is column i the first after a multiple of `tick` seconds by the local clock? */
bool map_has_tick(const struct map *m, unsigned int i, double tick);

/* The time at which column i begins, and the strftime(3) format for times of this map. */
double map_begin(const struct map *m, unsigned int i);
const char *map_format(const struct map *m);

/* Write the measured time of column i: "15:22:13 to 15:22:14". */
void map_times(const struct map *m, unsigned int i, char *text, size_t size);

/* Write a latency as 400us, 2.5ms, 10s with 2 or 3 significant digits. Returns `text`. */
const char *map_latency(char *text, size_t size, double us, int digits);

/* "zio on lab, pool=domain0: latency, a column is 1 s". The caller frees the text. */
char *map_title(const struct options *o, const char *host, double seconds);

#endif /* ESTAT_CLIENT_HEAT_MAP_H */
