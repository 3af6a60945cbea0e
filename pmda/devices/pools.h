/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pools of ZFS, their vdevs, and the devices and files on which the vdevs stand. */
#ifndef ESTAT_PMDA_DEVICES_POOLS_H
#define ESTAT_PMDA_DEVICES_POOLS_H

#include "graph.h"

/*
 * Add each pool to a graph that has the block devices and mounts. The node of a vdev that is a
 * block device is the device's node. Any other vdev gets a node POOL::VDEV, where VDEV is the
 * vdev's name in `zpool status`, or the path of a file or of a disk that is missing. The pool, or
 * the vdev above, gets an edge to the vdev's node.
 */
void pools_add(struct graph *g);

#endif /* ESTAT_PMDA_DEVICES_POOLS_H */
