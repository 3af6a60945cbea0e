/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of rows. */
#ifndef ESTAT_CLIENT_SOURCE_TITLE_H
#define ESTAT_CLIENT_SOURCE_TITLE_H

#include "base/options.h"
#include "source.h"

/*
 * Set *name to the title of the key's row, and *axis to the text that tells apart rows with the
 * same title. Both follow the layout; *axis also has values on the axes of --by. The caller frees
 * both.
 */
void title(const struct options *o, const struct layout *layout, const struct key *key, char **name,
	   char **axis);

/* Does a template of a layout use this axis? `format` may be NULL. */
bool title_has(const char *format, const char *axis);

#endif /* ESTAT_CLIENT_SOURCE_TITLE_H */
