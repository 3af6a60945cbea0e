/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of `estat layers`: a pool, dataset, disk, partition or mount. Decides which keys of
 * each layer belong to the target.
 */
#ifndef ESTAT_CLIENT_LAYERS_TARGET_H
#define ESTAT_CLIENT_LAYERS_TARGET_H

#include "base/options.h"
#include "source/layers.h"

struct target {
	const char *name;        /* the argument of the command line; NULL: all keys */
	const struct options *o; /* has the filters */
	unsigned int n;
	char **names; /* names[0]: the target's name in keys; then its backing disks */
	unsigned int npools;
	char **pools; /* all pools of the source */
};

/* A key's relation to the target. Of each layer the keys with the first relation here are shown. */
enum relation {
	RELATION_SAME_OR_CHILD, /* the target, or a partition or dataset of the target */
	RELATION_PARENT,        /* the target is a partition or dataset of the key's disk or pool */
	RELATION_BACKING,       /* a disk that the target is stored on */
	RELATION_NONE,    /* the layer tells targets like this apart, but has no key of this one */
	RELATION_UNKNOWN, /* the layer does not tell targets apart: all its keys are shown */
};

/* Find the names that keys have for the target `name`. Exits if `name` is a path and no mount. */
void target_find(struct target *target, const char *name, const struct options *o,
		 struct source *s);

/* Add the backing disks of a pool, found in keys of the layers' metrics and their groups. */
void target_find_disks(struct target *target, const struct layers *layers, struct source *s);

/* Exit, with a list of known names, if no layer has a key of the target or of a filter. */
void target_check(const struct target *target, const struct layers *layers);

/* Does the target or a filter restrict the keys? */
bool target_restricts(const struct target *target);

/* The nearest relation among the keys of a layer. */
enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer);

/* Does the layer have the axes of all filters? */
bool target_filtered(const struct target *target, const struct layer *layer);

/* Do the filters select the key, and has the key this relation to the target? */
bool target_has(const struct target *target, const struct key *key, enum relation relation);

#endif /* ESTAT_CLIENT_LAYERS_TARGET_H */
