/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block devices, from sysfs and from udev's database. */
#ifndef ESTAT_PMDA_DEVICES_BLOCK_H
#define ESTAT_PMDA_DEVICES_BLOCK_H

#include "graph.h"

/* Where the kernel has the folder or link of each block device, by its name. */
#define CLASS_BLOCK "/sys/class/block"

/*
 * Add all block devices whose size is not 0, and note on what they stand, except devices of device
 * mapper: for these mapper_add() does that. Reads no device. Each device's number, such as 8:1,
 * becomes another name of the device.
 */
void block_add(struct graph *g);

/* Note that `node` stands on each device with a link in a folder of sysfs, ordered by name. */
void stand_on_links(struct node *node,
		    const char *(*role)(const struct node *node, const char *device),
		    const char *folder);

#endif /* ESTAT_PMDA_DEVICES_BLOCK_H */
