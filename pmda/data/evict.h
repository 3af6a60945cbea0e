/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots for those who are busy, where there are more keys than slots (ESTAT_OTHERS).
 */
#ifndef ESTAT_PMDA_DATA_EVICT_H
#define ESTAT_PMDA_DATA_EVICT_H

#include "series.h"

/* When to look next, CLOCK_MONOTONIC nanoseconds; UINT64_MAX as long as all keys find slots. */
uint64_t evict_due(const struct series *s);

/*
 * If some keys have found no slot since the last look, take slots from those that were the
 * least busy meanwhile, and less than all others together. The series must be due.
 */
void evict_look(struct series *s);

#endif /* ESTAT_PMDA_DATA_EVICT_H */
