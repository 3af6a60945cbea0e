/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds disks of a series whose operations are counted at other disks of the series, too. */
#ifndef ESTAT_CLIENT_SOURCE_ONCE_H
#define ESTAT_CLIENT_SOURCE_ONCE_H

#include "devices.h"
#include "series.h"

/*
 * Set key->twice of a series' keys. Disks that stand on one another, such as a loop device and the
 * disk with its file, form a stack. Of a stack either the uppermost or the lowest disks count,
 * whichever have more waiting time. Neither have all of it: the uppermost lack the I/O that goes to
 * the lowest directly, and the lowest lack the time spent above. Only keys that are not
 * idle, and of which shown() is true, form stacks.
 */
void once_find(const struct series *series, const struct devices *graph,
	       bool (*shown)(const struct key *key, const void *context), const void *context);

#endif /* ESTAT_CLIENT_SOURCE_ONCE_H */
