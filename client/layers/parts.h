/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a target is, and its parts: the target and all on which it stands. */
#ifndef ESTAT_CLIENT_LAYERS_PARTS_H
#define ESTAT_CLIENT_LAYERS_PARTS_H

#include "base/options.h"
#include "source/devices.h"
#include "source/layers.h"

/* The target, or a node on which the target stands. */
struct part {
	const char *name;            /* the name that keys have */
	const struct device *device; /* the node; NULL: the graph lacks it */
	int upper; /* index of the part that stands on this part; -1: this part is the target */
	/*
	 * the part is the target or a mount, or a mount stands directly on the part. If not, no key
	 * with the axis device belongs to the part
	 */
	bool files;
};

struct target {
	const char *name; /* the argument of the command line; NULL: all keys */
	char *is;         /* what the name stands for, such as "xfs on dm-3"; NULL: unknown */
	bool known;       /* this host, the graph or PCP's filesys.mountdir has the target */
	/*
	 * what the target stands on is known, because the target is a node of the graph, or a disk
	 * or mount of this host
	 */
	bool placed;
	/* there is no graph, so only the names tell which partition is on which disk */
	bool guessed;
	char *address; /* server:/export of a mount of NFS, with the server's address; or NULL */
	/*
	 * the cgroup that is the target: a path or, like the filters in `options`, a glob; NULL:
	 * the target is no cgroup
	 */
	const char *cgroup;
	struct options options; /* the command line's options, and filters that select the target */
	const struct options *o;           /* points to `options` */
	const char *axes[MAX_FILTERS + 4]; /* axes to look for in layers; ends with NULL */
	struct devices graph;
	unsigned int nparts;
	struct part *parts; /* parts[0]: the target */
	unsigned int nusers;
	/*
	 * the names of two kinds of nodes: those that stand on the target, such as file systems and
	 * pools, and the other devices of these file systems
	 */
	const char **users;
	unsigned int npools;
	char **pools;     /* all pools of the source */
	bool pools_known; /* the disks of each of `pools` are known */
};

/* Do the metrics come from this host, whose /proc and /sys can be read? */
bool is_here(const struct source *s);

/* Add a node and all on which it stands, below parts[upper] (-1: the node is the target). */
void parts_add(struct target *target, const struct device *device, int upper);

/*
 * Add a disk and what it stands on, below parts[upper]. What the disk stands on is known from the
 * graph or, if the graph lacks the disk and `here` is true, from this host's device mapper and md.
 * `name` is a path in /dev, or a name as in keys.
 */
void parts_add_disk(struct target *target, const char *name, int upper, bool here);

/* Set target->users to the nodes that stand on the target. */
void parts_find_users(struct target *target);

/*
 * Is `part` the pool, dataset or volume `of`, or in it? If `of` is tank: tank, tank/a and tank@x
 * are, tank2 is not.
 */
bool is_dataset_of(const char *part, const char *of);

/* Is `part` the disk `of`, or a partition of it by its name: sda1 of sda, nvme0n1p1 of nvme0n1? */
bool is_partition_of(const char *part, const char *of);

/*
 * Set target->pools, to all pools that keys name, and ->pools_known. Add the pools on which the
 * target stands, and their disks, to target->parts. The disks are from the graph or, if the graph
 * lacks them, from keys like tank::/dev/sdb1::write; if one of these disks is not known, add none
 * from keys. Add the pools that stand on the target to target->users.
 */
void parts_find_pools(struct target *target, const struct layers *layers, struct source *s);

#endif /* ESTAT_CLIENT_LAYERS_PARTS_H */
