/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evicts idle keys from their slots where there are more keys than slots (ESTAT_OTHERS). */
#ifndef ESTAT_PMDA_DATA_EVICT_H
#define ESTAT_PMDA_DATA_EVICT_H

#include "series.h"

/* When to call evict_look(), CLOCK_MONOTONIC nanoseconds; UINT64_MAX while all keys find slots. */
uint64_t evict_due(const struct series *s);

/*
 * If the overflow key has counted since the last look, take slots from the keys that
 * have counted least since then, and less than the overflow key. Call it only when due.
 */
void evict_look(struct series *s);

#endif /* ESTAT_PMDA_DATA_EVICT_H */
