/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evicts idle keys from their slots, in series that declare an overflow key (ESTAT_OVERFLOW), which
 * counts for all keys without a slot.
 */
#ifndef ESTAT_PMDA_DATA_EVICT_H
#define ESTAT_PMDA_DATA_EVICT_H

#include "series.h"

/*
 * When to call evict_look(), CLOCK_MONOTONIC nanoseconds. UINT64_MAX: do not call it now, because
 * the series has no slots or no overflow key, because the overflow key has counted nothing, because
 * the table can get more slots, or because `s` is not the first of the series with the same maps.
 */
uint64_t evict_due(const struct series *s);

/*
 * Take the slots from some keys that have counted less than the overflow key since the previous
 * call, beginning with the key that has counted least. Call this at the time that evict_due()
 * returns.
 */
void evict_look(struct series *s);

#endif /* ESTAT_PMDA_DATA_EVICT_H */
