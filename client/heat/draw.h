/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws a heat map as lines of text, for estat heat and estat top. */
#ifndef ESTAT_CLIENT_HEAT_DRAW_H
#define ESTAT_CLIENT_HEAT_DRAW_H

#include "map.h"

#define MAP_LABEL 9 /* width of the label at the left of a row */

/* Where a map is drawn, and which of its parts. */
struct canvas {
	unsigned int columns, rows; /* greatest number of columns and rows of the map */
	bool tracks;                /* draw the lines of p99 and max, and their legend */
	bool worst;                 /* draw the worst columns */
	/* put() adds a text to the line, in the colour that shades.h has for `shade`; 0: plain */
	void (*put)(struct canvas *c, int shade, const char *text);
	void (*newline)(struct canvas *c);
};

/*
 * Draw the rows, axis, times, tracks, legend and worst columns. No newline() follows the last line.
 */
void map_draw(const struct map *m, struct canvas *c);

#endif /* ESTAT_CLIENT_HEAT_DRAW_H */
