/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands on what at a source: mounts, file systems, disks, partitions and the devices between.
 * The agent exports the graph as estat.device.kind, .below and .names.
 */
#ifndef ESTAT_CLIENT_SOURCE_DEVICES_H
#define ESTAT_CLIENT_SOURCE_DEVICES_H

#include "source.h"

/* A node of the graph. Blanks and the like in names are as they are, not as \040. */
struct device {
	char *name; /* a disk's kernel name such as dm-0, a mount's directory, server:/export, … */
	char *kind; /* disk, partition, crypt, xfs, …; "": the source has no kind */
	unsigned int nnames;
	char **names; /* other names: /dev/mapper/slow, 253:0, UUID=… */
	unsigned int nbelow;
	struct below {
		char *role; /* data, log, member, partition-of, … */
		struct device *device;
	} * below; /* on what the node stands, in the order of the source */
	bool busy; /* scratch of callers of device_on_busy() */
};

struct devices {
	unsigned int n;
	struct device **devices;
	void *by_name; /* `devices` as a tree of tsearch(3) */
	char *text;    /* what the source says, to see a change */
};

/*
 * Read the graph: of a host as it is, of an archive as it was at the end of the time window.
 * Graphs of a source without estat.device.* are empty. Call it before source_begin().
 */
void devices_read(struct devices *graph, struct source *s);

/* Has a host another graph now? The graph's nodes stay as they are. */
bool devices_changed(const struct devices *graph, struct source *s);

void devices_free(struct devices *graph);

/*
 * The node with this name. Without such a node: the node with this other name, where a disk goes
 * before a mount, whose MAJ:MIN is that of its disk. NULL: no node.
 */
const struct device *devices_find(const struct devices *graph, const char *name);

/* The node with this name, not counting other names; or NULL. */
struct device *devices_node(const struct devices *graph, const char *name);

/* Does the node stand, at any depth, on a node that is busy, or on the node `below`? */
bool device_on_busy(const struct device *device);
bool device_stands_on(const struct device *device, const struct device *below);

/* Has the graph a disk, not counting partitions, that stands on another disk? */
bool devices_are_stacked(const struct devices *graph);

/*
 * The pool with this name, or the pool of this dataset, vdev or key: tank of tank/a and tank::b.
 * NULL: none, or the graph does not tell on which devices the pool stands.
 */
const struct device *devices_pool(const struct devices *graph, const char *name);

/* A node's kind, and on what it stands: "crypt on sda1", "partition of sda". The caller frees it.
 */
char *device_text(const struct device *device);

/* Is the node a mount? Then its name is a directory. */
bool device_is_mount(const struct device *device);

/* Is the node a vdev of ZFS, such as tank::mirror-0, or a LUN? Then its name has a :: in it. */
bool device_is_vdev(const struct device *device);

/* Is the node `place`, or a part PLACE::X, such as a vdev of a pool or a LUN of a target? */
bool device_is_at(const struct device *device, const char *place);

#endif /* ESTAT_CLIENT_SOURCE_DEVICES_H */
