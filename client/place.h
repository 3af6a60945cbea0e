/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place, as someone calls it: a pool, a disk, a mount. Which layers know it, and which of their
 * keys are there.
 */
#ifndef ESTAT_PLACE_H
#define ESTAT_PLACE_H

#include "layers.h"
#include "options.h"

#define MAX_NAMES 16

struct place {
	const char *said;             /* as it was given; NULL: everywhere */
	unsigned int n;               /* what it is called by layers */
	const char *names[MAX_NAMES]; /* pool, dataset, disk, export */
	const struct options *o;      /* whose filters select, too */
};

/* Find what a place is called; of a mount what is mounted there. Exits if nothing is known of it.
 */
void place_find(struct place *place, const char *said, const struct options *o,
		const struct source *s);

/* Exit with the names that there are if no layer has seen it, or has the axis of a filter. */
void place_check(const struct place *place, const struct layers *layers);

/* Is anything selected by? */
bool place_restricts(const struct place *place);

/* Can the layer's keys tell whether they are there? And what the filters ask for? */
bool place_known(const struct place *place, const struct layers *layers, const struct layer *layer);

bool place_filtered(const struct place *place, const struct layer *layer);

/* Is a key of the layer selected? Of one that is not known to tell, whatever place it has. */
bool place_has(const struct place *place, const struct key *key, bool known);

#endif /* ESTAT_PLACE_H */
