/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a heat map as a file that refers to no other file, for a ticket or a report. */
#ifndef ESTAT_CLIENT_HEAT_PICTURE_H
#define ESTAT_CLIENT_HEAT_PICTURE_H

#include "map.h"

#define PICTURE_COLUMNS 240 /* greatest number of columns of a picture */

struct picture {
	const struct map *map;
	const char *title;  /* the result of map_title() */
	const char *source; /* a sentence: "From the host lab." */
};

/* picture_svg() writes the map as SVG, picture_html() as HTML with a table. Exit on failure. */
void picture_svg(const struct picture *p, const char *file);
void picture_html(const struct picture *p, const char *file);

#endif /* ESTAT_CLIENT_HEAT_PICTURE_H */
