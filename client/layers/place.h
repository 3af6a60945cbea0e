/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place: the disk, device, volume, pool or export of a layer's keys, and all devices on which the
 * place stands. Decides which keys of a layer below belong to the place.
 */
#ifndef ESTAT_CLIENT_LAYERS_PLACE_H
#define ESTAT_CLIENT_LAYERS_PLACE_H

#include "source/devices.h"
#include "source/layers.h"

/* The graph of devices, and the disks of those pools whose disks the graph lacks. */
struct graph {
	const struct devices *devices;
	unsigned int ndisks;
	struct pool_disk {
		char *pool, *disk; /* both owned */
	} * disks;
};

/*
 * A name of the place, of a node on which the place stands, of a LUN if the place is an iSCSI
 * target, or of another device of the place's file system.
 */
struct member {
	const char *name;
	/*
	 * number of edges from the place down to the node, not counting those from a partition to
	 * its disk, and those to a vdev that is no block device; 0 also for the LUNs of an iSCSI
	 * target, and for the other devices of the place's file system
	 */
	unsigned int depth;
};

struct place {
	/*
	 * the argument of place_find(): key_place() of a key, such as dm-0, tank/data or /export; a
	 * node's name, such as server:/export; or "", for no place
	 */
	const char *name;
	bool known; /* the devices on which the place stands are known */
	unsigned int n;
	struct member *members; /* not sorted by depth */
};

#define NOT_IN_PLACE (~0U)

/*
 * Set graph->devices, and graph->disks from the names of the instances of POOL_DISKS. The
 * caller sets all members to 0 before.
 */
void graph_read(struct graph *graph, const struct devices *devices, struct source *s);

/*
 * The directory of a mount by the device number `place`, such as 0:37. Only numbers with major 0
 * count: those of file systems without a block device of their own, such as tmpfs or overlay. NULL:
 * `place` is no such number, or is NULL, or the graph lacks the mount.
 */
const char *graph_mount(const struct graph *graph, const char *place);

void place_find(struct place *place, const struct graph *graph, const char *name);
void place_free(struct place *place);

/*
 * key_place_axis(): the axis that says where the key is, such as disk or device. key_place(): the
 * key's value on that axis. NULL: the key has no such axis.
 */
const char *key_place_axis(const struct key *key);
const char *key_place(const struct key *key);

/*
 * The least member.depth of the members that are the key's place, or are in the key's place, as a
 * dataset is in a pool; NOT_IN_PLACE: there is no such member.
 */
unsigned int place_depth(const struct place *place, const struct key *key);

/* Is the device of this name a member of the place? */
bool place_has(const struct place *place, const char *name);

/* Has any member of the place a depth above 0? */
bool place_is_stacked(const struct place *place);

/* Does the edge lead from a partition to its disk? */
bool is_partition(const struct below *below);

/* The edge from the device to `name`, directly below; NULL: there is none. */
const struct below *device_part(const struct device *device, const char *name);

/* Does the device, a pool or vdev, stand on files in a mount? */
bool device_has_files(const struct device *device);

/*
 * Set *below to the names of the nodes directly below a disk: disks, a pool, an export, ... In
 * place of a mount or partition, the nodes below the mount or partition count. Returns the number
 * of names. The caller frees *below, but not the names.
 */
unsigned int disks_below(const struct graph *graph, const char *disk, const char ***below);

#endif /* ESTAT_CLIENT_LAYERS_PLACE_H */
