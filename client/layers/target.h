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
	char **names; /* names[0]: the target's name in keys; then the target's backing disks */
	unsigned int npools;
	char **pools; /* all pools of the source */
};

/* The relation of a key to the target. A layer shows only the keys with its nearest relation. */
enum relation {
	RELATION_SAME_OR_CHILD, /* nearest: the key is of the target, or of a part of the target */
	RELATION_PARENT,        /* the target is a partition or dataset of the key's disk or pool */
	RELATION_BACKING,       /* the target is stored on the key's disk */
	RELATION_NONE, /* the layer has keys of targets of this type, but none of this target */
	/*
	 * There is no target, or the layer's keys cannot tell targets of this type apart: all keys
	 * that the filters select are shown.
	 */
	RELATION_UNKNOWN,
};

/* Find the names that keys have for a target. Exits if `name` is a path, but not a mount. */
void target_find(struct target *target, const char *name, const struct options *o,
		 struct source *s);

/* Add the disks of the target's pool to target->names, from keys like tank::/dev/sdb1::write. */
void target_find_disks(struct target *target, const struct layers *layers, struct source *s);

/* Exit, with a list of known names, if no layer has a key of the target or of a filter. */
void target_check(const struct target *target, const struct layers *layers);

bool target_restricts(const struct target *target);

/* The nearest relation to the target among a layer's keys. */
enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer);

/* Does the layer have the axes of all filters? */
bool target_filtered(const struct target *target, const struct layer *layer);

/* Do the filters select the key, and does the key have this relation to the target? */
bool target_has(const struct target *target, const struct key *key, enum relation relation);

#endif /* ESTAT_CLIENT_LAYERS_TARGET_H */
