/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thresholds above which an operation is slow: the module's threshold or the key's p99.9 of the
 * last minute, whichever is higher. BPF programs read a key's threshold from the flag `used` of the
 * key's slot.
 */
#ifndef ESTAT_PMDA_DATA_SLOW_H
#define ESTAT_PMDA_DATA_SLOW_H

#include "series.h"

/* Compute the p99.9 of each key's row. Call this after a fold, before baseline_look(). */
void slow_look(struct series *s);

/*
 * Write into each slot in use the threshold above which an operation of the slot's key is slow.
 * `s`: the first of the series with the same maps.
 */
void slow_set(struct series *s);

#endif /* ESTAT_PMDA_DATA_SLOW_H */
