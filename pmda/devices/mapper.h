/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices of device mapper: their kinds, and the roles of the devices below. */
#ifndef ESTAT_PMDA_DEVICES_MAPPER_H
#define ESTAT_PMDA_DEVICES_MAPPER_H

#include "graph.h"

/* Set kinds and edges of device mapper's devices, in a graph that has all block devices. */
void mapper_add(struct graph *g);

#endif /* ESTAT_PMDA_DEVICES_MAPPER_H */
