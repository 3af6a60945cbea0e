/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rows of keys are called.
 */
#ifndef ESTAT_CLIENT_SOURCE_TITLE_H
#define ESTAT_CLIENT_SOURCE_TITLE_H

#include "base/options.h"
#include "source.h"

/* The title of a key: its name and its axis, each to be freed. */
void title(const struct options *o, const struct layout *layout, const struct key *key, char **name,
	   char **axis);

/* Does this part of a declaration, of names or of axes, name the axis? It may be NULL. */
bool title_has(const char *format, const char *axis);

#endif /* ESTAT_CLIENT_SOURCE_TITLE_H */
