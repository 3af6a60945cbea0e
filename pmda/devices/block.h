/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block devices, from sysfs and from udev's database. */
#ifndef ESTAT_PMDA_DEVICES_BLOCK_H
#define ESTAT_PMDA_DEVICES_BLOCK_H

#include "graph.h"

/* The folder of sysfs in which each block device has a link, named like the device. */
#define CLASS_BLOCK "/sys/class/block"

/*
 * Add all block devices whose size is not 0, and note on what they stand. But mapper_add() notes on
 * what devices of device mapper stand, and mounts_add() on what loop devices stand. Reads no
 * device. The number of a device, such as 8:1, becomes another name of the device.
 */
void block_add(struct graph *g);

/*
 * For each link in `folder` of sysfs, note that `node` stands on the device with the link's name.
 * Takes the links in the order of their names. role() returns the device's role.
 */
void stand_on_links(struct node *node,
		    const char *(*role)(const struct node *node, const char *device),
		    const char *folder);

#endif /* ESTAT_PMDA_DEVICES_BLOCK_H */
