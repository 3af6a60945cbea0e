/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A heat map as a file that needs nothing else, for a ticket or a report.
 */
#ifndef ESTAT_CLIENT_HEAT_PICTURE_H
#define ESTAT_CLIENT_HEAT_PICTURE_H

#include "map.h"

#define PICTURE_COLUMNS 240 /* at most */

struct picture {
	const struct map *map;
	const char *title, *source; /* what is shown; of which archive or host */
};

/* Exit if the file cannot be written. */
void picture_check(const char *file);

/* Write it as SVG; as HTML with a table of all columns. Exits if that cannot be. */
void picture_svg(const struct picture *p, const char *file);
void picture_html(const struct picture *p, const char *file);

#endif /* ESTAT_CLIENT_HEAT_PICTURE_H */
