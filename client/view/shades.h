/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shades of a heat map: LEVELS levels, whose thresholds are equally far apart on a logarithmic
 * scale of operations. The highest number of operations is the threshold of the last level.
 */
#ifndef ESTAT_CLIENT_VIEW_SHADES_H
#define ESTAT_CLIENT_VIEW_SHADES_H

#include <stdbool.h>
#include <stdint.h>

#define LEVELS 8

/* The character of each level, 1 to LEVELS; shades[0] is for a cell without operations. */
extern const char shades[LEVELS + 2];

/*
 * Set thresholds[i] to the least number of operations of level i + 1. `most` (> 0) is the highest
 * number of operations of a cell.
 */
void shades_find(uint64_t thresholds[LEVELS], uint64_t most);

/* The level of a cell with n operations, 1 to LEVELS; 0 if n is 0. */
int shade_of(const uint64_t thresholds[LEVELS], uint64_t n);

/* Is the level (1 to LEVELS) in the legend? Not if the next level has the same threshold. */
bool shade_in_legend(const uint64_t thresholds[LEVELS], int level);

/*
 * Numbers of a terminal's colours. shade_colour() returns those for a level (1 to LEVELS) on a
 * terminal with 256 or 8 colours.
 */
struct shade_colour {
	int text, background;
};
struct shade_colour shade_colour(int level, int colours);

#endif /* ESTAT_CLIENT_VIEW_SHADES_H */
