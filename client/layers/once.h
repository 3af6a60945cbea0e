/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks of a layer have operations that other disks of the layer have, too. */
#ifndef ESTAT_CLIENT_LAYERS_ONCE_H
#define ESTAT_CLIENT_LAYERS_ONCE_H

#include "target.h"

/*
 * Set key->twice of a layer's keys. Disks that stand on one another, such as a loop device and the
 * disk with its file, form a stack. In a stack the uppermost or the lowest disks count, whichever
 * have more waiting time: the uppermost lack the I/O of others to the lowest, and the lowest lack
 * the time that the uppermost take. Only keys that are shown, by target_has(), form stacks.
 */
void once_find(const struct target *target, const struct layer *layer, enum relation relation);

#endif /* ESTAT_CLIENT_LAYERS_ONCE_H */
