/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts, and what their file systems, swap and loop devices stand on. Only text of the kernel is
 * read, because stat(2) or open(2) of a path on a mount can wait for ever for a server or disk.
 */
#ifndef ESTAT_PMDA_DEVICES_MOUNTS_H
#define ESTAT_PMDA_DEVICES_MOUNTS_H

#include "graph.h"

/*
 * Open the list of the mounts that PID 1 sees or, if that cannot be read, the list of the mounts
 * that the agent sees. As root: with hidepid=2 only root can open the list of PID 1.
 */
void mounts_open(void);
void mounts_close(void);

/* The descriptor of the list, for poll(2): POLLPRI after a change. -1: there is no list. */
int mounts_fd(void);

/* Add all mounts to a graph that has the block devices. */
void mounts_add(struct graph *g);

#endif /* ESTAT_PMDA_DEVICES_MOUNTS_H */
