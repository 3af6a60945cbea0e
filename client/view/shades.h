/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shades of counts in a heat map: equal steps of the logarithm, up to the highest count.
 */
#ifndef ESTAT_CLIENT_VIEW_SHADES_H
#define ESTAT_CLIENT_VIEW_SHADES_H

#include <stdbool.h>
#include <stdint.h>

#define LEVELS 8

/* How a level is written, 1 to LEVELS; 0: no operation. */
extern const char shades[LEVELS + 2];

/* The least count of each level, if this is the most that there is. */
void shades_find(uint64_t thresholds[LEVELS], uint64_t most);

/* The level of a count. */
int shade_of(const uint64_t thresholds[LEVELS], uint64_t n);

/* Is a key to have this level, 1 to LEVELS? Of those with the same count the highest is. */
bool shade_is_told(const uint64_t thresholds[LEVELS], int level);

/* Numbers of a terminal's 256 or 8 colours, so that the shade's character is seen on it. */
struct shade_colour {
	int text, background;
};
struct shade_colour shade_colour(int level, int colours);

#endif /* ESTAT_CLIENT_VIEW_SHADES_H */
