/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place, as someone calls it: a pool, a disk, a mount. Which layers know it, and which of their
 * keys are there.
 */
#ifndef ESTAT_CLIENT_LAYERS_TARGET_H
#define ESTAT_CLIENT_LAYERS_TARGET_H

#include "base/options.h"
#include "source/layers.h"

struct target {
	const char *name;        /* as it was given; NULL: everywhere */
	const struct options *o; /* whose filters select, too */
	unsigned int n;
	char **names; /* what it is called by keys; then, of what it stands on */
	unsigned int npools;
	char **pools; /* that there are */
};

/*
 * How near a key is to a place: it is there or a part of it, as a partition of a disk or a dataset
 * of a pool; it is what that is a part of; it is what it stands on. A layer's keys that are there
 * are the nearest that it has.
 */
enum relation {
	RELATION_SAME_OR_CHILD,
	RELATION_PARENT,
	RELATION_BACKING,
	RELATION_NONE,    /* it knows such places, but not this one */
	RELATION_UNKNOWN, /* it does not tell places apart so: all keys are shown */
};

/* Find what a place is called; of a mount, what is mounted there. Exits if nothing is. */
void target_find(struct target *target, const char *name, const struct options *o,
		 struct source *s);

/* Find the disks that a pool stands on, by what keys of its layers' groups say of it. */
void target_find_disks(struct target *target, const struct layers *layers, struct source *s);

/* Exit with the names that there are if no layer has seen it, or has what a filter asks for. */
void target_check(const struct target *target, const struct layers *layers);

/* Is anything selected by? */
bool target_restricts(const struct target *target);

/* How near the nearest keys of a layer are. */
enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer);

/* Do the layer's keys have the axes of all filters? */
bool target_filtered(const struct target *target, const struct layer *layer);

/* Is a key of a layer selected, of which those are that are so near? */
bool target_has(const struct target *target, const struct key *key, enum relation relation);

#endif /* ESTAT_CLIENT_LAYERS_TARGET_H */
