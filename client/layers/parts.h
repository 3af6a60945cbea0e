/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a target is, and its parts: the target and all on which it stands. */
#ifndef ESTAT_CLIENT_LAYERS_PARTS_H
#define ESTAT_CLIENT_LAYERS_PARTS_H

#include "base/options.h"
#include "source/devices.h"
#include "source/layers.h"

/* The target, or a node on which the target stands. */
struct part {
	const char *name;            /* the node's name; without a node, a name to find in keys */
	const struct device *device; /* the node; NULL: the graph lacks it */
	int upper; /* index of the part that stands on this part; -1: this part is the target */
	/*
	 * the part is the target or a mount, or a mount stands directly on the part. If not, no key
	 * with the axis device belongs to the part
	 */
	bool files;
};

struct target {
	const char *name; /* the argument of the command line; NULL: there is no target */
	char *is;         /* what the name stands for, such as "xfs on dm-3"; NULL: no text */
	bool known;       /* this host, the graph or PCP's filesys.mountdir has the target */
	/*
	 * what the target stands on is known, because the target is a node of the graph, or a disk
	 * or mount of this host
	 */
	bool placed;
	/*
	 * the graph is empty, so that only names tell which partition is on which disk. False, too,
	 * if is_here() is true of the source and the target is not `known`
	 */
	bool guessed;
	/*
	 * server:/export, with the server's address, if the target is a mount of NFS; NULL: the
	 * target is no such mount, or the address is unknown
	 */
	char *address;
	/*
	 * the cgroup that is the target: a path or, like the filters in `options`, a glob; NULL:
	 * the target is no cgroup
	 */
	const char *cgroup;
	/* the command line's options, and for a cgroup as target filters that select the cgroup */
	struct options options;
	const struct options *o;           /* points to `options` */
	const char *axes[MAX_FILTERS + 4]; /* the argument `axes` of layers_find() */
	struct devices graph;
	unsigned int nparts;
	struct part *parts; /* parts[0]: the target */
	unsigned int nusers;
	/*
	 * names of the nodes that stand on the target without a mount between, such as file systems
	 * and pools, and of all devices of these file systems; also the target, if the target is a
	 * pool of the graph
	 */
	const char **users;
	unsigned int npools;
	char **pools;     /* all pools that the layers' keys name */
	bool pools_known; /* the disks of each of `pools` are known */
};

/*
 * Is the source this host's pmcd, so that /proc and /sys here tell of the source? False for
 * `-h localhost`, because only local: counts.
 */
bool is_here(const struct source *s);

/* Add a node and all on which it stands, below parts[upper] (-1: the node is the target). */
void parts_add(struct target *target, const struct device *device, int upper);

/*
 * Add the part `name`, such as a disk, dataset or mount, and what `name` stands on, below
 * parts[upper]. What a disk stands on is known from the graph or, if the graph lacks the disk and
 * `here` is true, from its folder `slaves` in sysfs, which device mapper and md fill. A path in
 * /dev stands for its disk.
 */
void parts_add_disk(struct target *target, const char *name, int upper, bool here);

/*
 * Add to target->users the names of the nodes that stand on the target without a mount between, and
 * of all devices of the file systems among these nodes. Adds nothing if the target is no node of
 * the graph.
 */
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
 * lacks them, from keys like tank::/dev/sdb1::write. If a disk of any of these pools is not known,
 * no disk from keys is added, for any of these pools. Add to target->users the pools that stand on
 * the target and, if the target is a pool of the graph, the target.
 */
void parts_find_pools(struct target *target, const struct layers *layers, struct source *s);

#endif /* ESTAT_CLIENT_LAYERS_PARTS_H */
