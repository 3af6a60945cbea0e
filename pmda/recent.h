/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a series had counted half to one minute ago: a client that fetches an instant
 * metric for the first time gets what it was since then.
 */
#ifndef ESTAT_RECENT_H
#define ESTAT_RECENT_H

#include "series.h"

/* How often to look, nanoseconds. */
#define RECENT_NS UINT64_C(30000000000)

/* The series was folded: remember this fold, and forget the one before the last. */
void recent_look(struct series *s);

/* The module counts anew, or for another: what was before is not recent any more. */
void recent_begin(struct series *s);

/* The older of the two, all rows of it; NULL if the module runs for less than that. */
const struct snapshot *recent_find(const struct series *s, unsigned int group, enum part part);

void recent_free(struct series *s);

/* How many bytes all take. */
size_t recent_size(void);

#endif /* ESTAT_RECENT_H */
