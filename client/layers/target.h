/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of `estat layers`: a disk, mount, pool, dataset, export, cgroup, … by any name.
 * Decides which keys of each layer belong to the target.
 */
#ifndef ESTAT_CLIENT_LAYERS_TARGET_H
#define ESTAT_CLIENT_LAYERS_TARGET_H

#include "parts.h"

/* How the keys of a layer belong to the target. */
enum relation {
	/*
	 * At least one key of the layer belongs to the target; or the target is a cgroup, and the
	 * layer has the axis cgroup. target_has() tells which keys belong to the target.
	 */
	RELATION_SHOWN,
	/*
	 * The values that keys of the target would have are known, and no key of the layer has one
	 * of them.
	 */
	RELATION_NONE,
	/*
	 * There is no target, the layer has no keys, or it is unknown which keys would be of the
	 * target: all keys that the filters select are shown.
	 */
	RELATION_UNKNOWN,
};

/*
 * Find out what a name stands for: from the graph of the source, from PCP's metrics of mounts and,
 * if the source is this host, from the host's files and containers. `name` NULL: no target. After
 * the first target_find() the caller calls layers_find() with target->axes, then target_check(),
 * which exits if nothing has the name, then source_begin().
 */
void target_find(struct target *target, const char *name, const struct options *o,
		 struct source *s);

/* Free the graph, the parts, the users, the pools and `is` of the target, not the struct itself. */
void target_free(struct target *target);

/* Do two targets of one name stand for the same device, mount or cgroup? */
bool target_is_same(const struct target *a, const struct target *b);

/* Call parts_find_pools(), unless there is no target or the target is a cgroup. */
void target_find_disks(struct target *target, const struct layers *layers, struct source *s);

/*
 * Exit, with what to type next, if the target is not known, or if the target is a cgroup and no
 * layer tells cgroups apart. If the target is a unit that target_find() did not find on this host,
 * and the layers have keys of only one cgroup that the unit's name matches, set target->is to
 * "cgroup PATH", with the path of that cgroup.
 */
void target_check(struct target *target, const struct layers *layers, struct source *s);

bool target_restricts(const struct target *target);

/*
 * How the layer's keys belong to the target. With RELATION_SHOWN, key->of_target of each key is set
 * (to true if the target is a cgroup: the filters then select the keys).
 */
enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer);

/* The first axis of a filter that the layer lacks; NULL: the layer has all. */
const char *target_lacks(const struct target *target, const struct layer *layer);

/*
 * Can the layer's keys tell the operations that the filters select from others and, if the target
 * is a dataset, the dataset's operations from others? The keys need the axes of all filters. If the
 * target is a dataset, the axis of the keys' place must not be pool, disk or namespace, because
 * these have the operations of all datasets.
 */
bool target_filtered(const struct target *target, const struct layer *layer);

/*
 * Do the filters select the key, and does the key belong to the target? Filters on axes that the
 * key lacks do not count; with RELATION_UNKNOWN each key belongs to the target. `relation`: what
 * the last call of target_relation() for the key's layer returned.
 */
bool target_has(const struct target *target, const struct key *key, enum relation relation);

#endif /* ESTAT_CLIENT_LAYERS_TARGET_H */
