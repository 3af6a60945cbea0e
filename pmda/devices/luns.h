/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The LUNs of the kernel's iSCSI target (LIO), from configfs. */
#ifndef ESTAT_PMDA_DEVICES_LUNS_H
#define ESTAT_PMDA_DEVICES_LUNS_H

#include "graph.h"

/*
 * Add each LUN as TARGET::LUN, as in the keys of the module iscsi, to a graph that has the block
 * devices and mounts.
 */
void luns_add(struct graph *g);

#endif /* ESTAT_PMDA_DEVICES_LUNS_H */
