/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts, and what file systems, swap and loop devices stand on. Reads only the kernel's texts,
 * because stat(2) or open(2) of a path on a mount can wait for ever for a server or disk.
 */
#ifndef ESTAT_PMDA_DEVICES_MOUNTS_H
#define ESTAT_PMDA_DEVICES_MOUNTS_H

#include "graph.h"

/*
 * Open the list of the mounts that PID 1 sees or, if PID 1's list cannot be opened, of those that
 * the agent sees. To be called while the agent is root: the user pcp cannot open PID 1's list if
 * /proc is mounted with hidepid=2.
 */
void mounts_open(void);
void mounts_close(void);

/* The list's descriptor; poll(2) tells POLLPRI after a change of mounts. -1: there is no list. */
int mounts_fd(void);

/*
 * To a graph that has the block devices, add all mounts except those of the types in skipped[],
 * such as proc, and those that another mount on the same directory hides. Add swap, and note on
 * what swap and loop devices stand.
 */
void mounts_add(struct graph *g);

#endif /* ESTAT_PMDA_DEVICES_MOUNTS_H */
