/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heat map as one file without references to other files, for a ticket or a report. */
#ifndef ESTAT_CLIENT_HEAT_PICTURE_H
#define ESTAT_CLIENT_HEAT_PICTURE_H

#include "map.h"

#define PICTURE_COLUMNS 240 /* columns of a picture at most */

struct picture {
	const struct map *map;
	const char *title;  /* what the map shows */
	const char *source; /* the archive or host, as a sentence */
};

/* Exit if the file cannot be written. Creates the file if there is none. */
void picture_check(const char *file);

/* Write the map as SVG, or as HTML with a table of all columns. Both exit if writing fails. */
void picture_svg(const struct picture *p, const char *file);
void picture_html(const struct picture *p, const char *file);

#endif /* ESTAT_CLIENT_HEAT_PICTURE_H */
