/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --filter, --by, -a and -p: which keys are shown, and which axes tell rows apart. */
#ifndef ESTAT_CLIENT_SOURCE_FILTER_H
#define ESTAT_CLIENT_SOURCE_FILTER_H

#include "base/options.h"
#include "source.h"

/* Does at least one of the filters on `axis` match the key? False if `axis` has no filter. */
bool matches_filters(const struct options *o, const struct key *key, const char *axis);

/* Do the filters match the key on every axis that has a filter? */
bool selected(const struct options *o, const struct key *key);

/* Do the filters match all keys of the series? */
bool selects_all(const struct options *o, const struct series *series);

/* Has any key a value on `axis` that matches the glob? */
bool series_matches(const struct series *series, const char *axis, const char *glob);

/* Have the keys of the series the axis? `series` can be NULL. */
bool keys_have(const struct series *series, const char *axis);

/*
 * If series->total is not NULL and the filters match all keys, add the histograms of series->total
 * to `into` and, if the keys have no maxima, also the maximum of series->total. Set in into->lacks
 * each field whose value is not known.
 */
void add_total(const struct options *o, const struct series *series, struct values *into);

/*
 * Exit, with the known axes or values, if a filter has an axis or a value that no key has. If the
 * module has just been attached, the value is accepted, because a key with this value may still
 * come. If no filter and no --by has the axis pool, all keys have that axis, and a pool is called
 * domain0, add the filter pool=domain0, because the original estat shows domain0 by default.
 */
void check_selection(struct options *o, const struct source *s, const struct series *series);

/* The keys' values on `axis` (NULL: the keys' axes) as a text "a, b". The caller frees the text. */
char *values_seen(const struct series *series, const char *axis);

/*
 * values_seen() for a message: if there are many values, the first of them, and the command that
 * lists all.
 */
char *values_told(const struct series *series, const char *axis);

/* Apply the options -a and -p, and check the axes of --by. Call this before check_selection(). */
void use_argument(struct options *o, const struct series *series);

#endif /* ESTAT_CLIENT_SOURCE_FILTER_H */
