/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mounted file system stands on: devices, log, members, other mounts, a pool, an export. */
#ifndef ESTAT_PMDA_DEVICES_FILESYSTEMS_H
#define ESTAT_PMDA_DEVICES_FILESYSTEMS_H

#include "graph.h"

/* A mount, from a line of /proc/PID/mountinfo. Each text is escaped as in mountinfo. */
struct mount {
	/* device number MAJ:MIN; if MAJ is 0, no block device has this number */
	const char *number;
	const char *directory;
	const char *type;
	const char *source;
	char *options; /* options of the file system, separated by commas */
};

/*
 * Add to `node`, the node of a mount, what the mount stands on. The graph must have all block
 * devices and all mounts already.
 */
void filesystem_add(struct graph *g, struct node *node, const struct mount *mount);

/*
 * The node that graph_find() finds for `path` or else, for a path /dev/NAME, for NAME; NULL: none.
 * `path` is escaped as in mountinfo, as are the names of nodes.
 */
struct node *device_at(const struct graph *g, const char *path);

/*
 * Remember on what `node` stands: on the block device whose path or number is `path`, or, if `path`
 * is the path of another file, on the mount on which this file lies. `path` is escaped.
 */
void stand_on_path(const struct graph *g, struct node *node, const char *path);

#endif /* ESTAT_PMDA_DEVICES_FILESYSTEMS_H */
