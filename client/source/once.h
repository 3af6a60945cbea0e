/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds disks of a series whose operations are counted at other disks of the series, too. */
#ifndef ESTAT_CLIENT_SOURCE_ONCE_H
#define ESTAT_CLIENT_SOURCE_ONCE_H

#include "devices.h"
#include "series.h"

/*
 * Set key->twice of each key of a series with the axis disk. Disks that stand on one another, such
 * as a loop device and the disk with its file, form a stack. Of a stack either the uppermost or the
 * lowest disks count, whichever have more waiting time; `twice` becomes true for the keys of the
 * stack's other disks, and false for all other keys. The uppermost disks lack the I/O that goes
 * directly to the lowest ones, and the lowest lack the time spent above. A disk is in a stack only
 * if one of the disk's keys is not idle and shown() is true of that key.
 */
void once_find(const struct series *series, const struct devices *graph,
	       bool (*shown)(const struct key *key, const void *context), const void *context);

#endif /* ESTAT_CLIENT_SOURCE_ONCE_H */
