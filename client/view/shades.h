/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shades of a heat map. Counts from 1 to the highest count are divided into LEVELS levels, in equal
 * steps of the logarithm.
 */
#ifndef ESTAT_CLIENT_VIEW_SHADES_H
#define ESTAT_CLIENT_VIEW_SHADES_H

#include <stdbool.h>
#include <stdint.h>

#define LEVELS 8

/* The character of each level, 1 to LEVELS; 0 is for no operation. */
extern const char shades[LEVELS + 2];

/* Set thresholds[i] to the least count of level i + 1. `most` > 0 is the highest count. */
void shades_find(uint64_t thresholds[LEVELS], uint64_t most);

/* The level of a count, 1 to LEVELS; 0 if the count is 0. */
int shade_of(const uint64_t thresholds[LEVELS], uint64_t n);

/* Is the level (1 to LEVELS) in the legend? Of levels with equal thresholds only the highest is. */
bool shade_in_legend(const uint64_t thresholds[LEVELS], int level);

/* Colour numbers of a level (1 to LEVELS) on a terminal with 256 or 8 colours. */
struct shade_colour {
	int text, background;
};
struct shade_colour shade_colour(int level, int colours);

#endif /* ESTAT_CLIENT_VIEW_SHADES_H */
