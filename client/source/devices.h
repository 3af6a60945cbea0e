/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of devices of a source: which mounts, pools, disks, partitions and other nodes stand on
 * which others. The agent exports the graph as estat.device.kind, .below and .names.
 */
#ifndef ESTAT_CLIENT_SOURCE_DEVICES_H
#define ESTAT_CLIENT_SOURCE_DEVICES_H

#include "source.h"

/* A node of the graph. Its names are without escapes: a blank is a blank, not \040. */
struct device {
	char *name; /* a disk's kernel name such as dm-0, a mount's directory, server:/export, … */
	char *kind; /* disk, partition, crypt, xfs, …; "": the source has no kind */
	unsigned int nnames;
	char **names; /* other names: /dev/mapper/slow, 253:0, UUID=… */
	unsigned int nbelow;
	struct below {
		char *role; /* data, log, member, partition-of, … */
		struct device *device;
	} * below; /* the edges to what the node stands on, in the source's order */
	bool busy; /* what device_on_busy() looks for; its callers set `busy` of all nodes */
};

struct devices {
	unsigned int n;
	struct device **devices;
	void *by_name; /* `devices` as a tree of tsearch(3) */
	char *text;    /* the metrics' values that the graph was made of, for devices_changed() */
};

/*
 * Read the graph: of a host as it is, of an archive as it was at the end of the time window. The
 * graph is empty if the source lacks estat.device.*, or does not answer. Of an archive, call
 * devices_read() before source_begin(), because devices_read() moves the position in the archive.
 */
void devices_read(struct devices *graph, struct source *s);

/* Has the host another graph now? False if the host does not answer. Leaves `graph` as it is. */
bool devices_changed(const struct devices *graph, struct source *s);

void devices_free(struct devices *graph);

/*
 * The node with this name or, if there is none, the node that has `name` among its other names;
 * NULL: no node. If a disk and a mount have that other name, as they do with the disk's MAJ:MIN,
 * the result is the disk.
 */
const struct device *devices_find(const struct devices *graph, const char *name);

/* The node with this name, or NULL. Other names of nodes do not count. */
struct device *devices_node(const struct devices *graph, const char *name);

/* Does `device` stand, at any depth, on a node with `busy` set? */
bool device_on_busy(const struct device *device);

/* Does `device` stand, at any depth, on the node `below`? */
bool device_stands_on(const struct device *device, const struct device *below);

/* Does a disk of the graph, not counting partitions, stand on another disk? */
bool devices_are_stacked(const struct devices *graph);

/*
 * The pool with this name, or the pool of this dataset, vdev or key: tank of tank/a and tank::b.
 * NULL: none, or the graph does not tell on which devices the pool stands.
 */
const struct device *devices_pool(const struct devices *graph, const char *name);

/*
 * A node's kind and what the node stands on: "crypt on sda1", "partition of sda". The caller frees
 * the text.
 */
char *device_text(const struct device *device);

/* Is the node a mount? Then its name is a directory. */
bool device_is_mount(const struct device *device);

/*
 * Is the node a LUN, or a vdev of ZFS that is no block device, such as tank::mirror-0? The name of
 * such a node has a ::, and does not begin with [, as an export's name does if the export's server
 * is an IPv6 address.
 */
bool device_is_vdev(const struct device *device);

/* Is the node `place`, or a part PLACE::X, such as a vdev of a pool or a LUN of a target? */
bool device_is_at(const struct device *device, const char *place);

#endif /* ESTAT_CLIENT_SOURCE_DEVICES_H */
