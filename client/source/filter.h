/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which keys are shown.
 */
#ifndef ESTAT_CLIENT_SOURCE_FILTER_H
#define ESTAT_CLIENT_SOURCE_FILTER_H

#include "base/options.h"
#include "source.h"

/* Has the key a value on this axis that one of the filters of it asks for? */
bool matches_filters(const struct options *o, const struct key *key, const char *axis);

/* Is the key among those that options select? */
bool selected(const struct options *o, const struct key *key);

/* Are all keys? */
bool selects_all(const struct options *o, const struct series *series);

/* Add the histograms over all keys, if there is none of each, and what is not known of them all. */
void add_total(const struct options *o, const struct series *series, struct values *into);

/*
 * Exit with what there is if options select an axis or a value that was never seen.
 * The pool domain0 is selected where there is one and no other was asked for.
 */
void check_selection(struct options *o, const struct series *series);

/* The values that an axis has, sorted, as "a, b"; `axis` NULL: the axes themselves. */
char *values_seen(const struct series *series, const char *axis);

/* What -a or -p says is a filter, or disks are told apart, now that the axes are known. */
void use_argument(struct options *o, const struct series *series);

#endif /* ESTAT_CLIENT_SOURCE_FILTER_H */
