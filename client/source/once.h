/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks of a series have operations that other disks of the series have, too. */
#ifndef ESTAT_CLIENT_SOURCE_ONCE_H
#define ESTAT_CLIENT_SOURCE_ONCE_H

#include "devices.h"
#include "series.h"

/*
 * Set key->twice of a series' keys. Disks that stand on one another, such as a loop device and the
 * disk with its file, form a stack of disks. There the uppermost or the lowest disks count,
 * whichever have more waiting time: the uppermost lack the I/O of others to the lowest, and the
 * lowest lack the time that the uppermost take. Only keys of which shown() is true form stacks.
 */
void once_find(const struct series *series, const struct devices *graph,
	       bool (*shown)(const struct key *key, const void *context), const void *context);

#endif /* ESTAT_CLIENT_SOURCE_ONCE_H */
