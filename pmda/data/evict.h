/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evicts idle keys from their slots, in series that declare an overflow key (ESTAT_OTHERS). */
#ifndef ESTAT_PMDA_DATA_EVICT_H
#define ESTAT_PMDA_DATA_EVICT_H

#include "series.h"

/* When to call evict_look(), CLOCK_MONOTONIC nanoseconds; UINT64_MAX: all keys have found slots. */
uint64_t evict_due(const struct series *s);

/*
 * Take slots from the keys that have counted least since the last call, if that is less than
 * the overflow key has counted. Call it only when evict_due() has passed.
 */
void evict_look(struct series *s);

#endif /* ESTAT_PMDA_DATA_EVICT_H */
