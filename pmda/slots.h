/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of a series' maps: whose row's each is, and when it is given back.
 */
#ifndef ESTAT_SLOTS_H
#define ESTAT_SLOTS_H

#include "series.h"

/* How often to look whether what keys name is still there, nanoseconds. */
#define NAMES_CHECK_NS UINT64_C(10000000000)

/* How long to wait before more of very many new keys are found: others want the CPU, too. */
#define FIND_PAUSE_NS UINT64_C(25000000)

/*
 * Give the slots that the kernel has taken since the last time their rows. Of very many some at
 * each call: s->unsaved as long as there are more.
 */
void slots_find_new(struct series *s);

/*
 * All of them, in one go, before the maps go: what is not found then is lost. The agent answers
 * nobody meanwhile, for some 5 ms a thousand keys.
 */
void slots_find_all(struct series *s);

/* Has the kernel taken more slots than have been found? */
bool slots_awaits(const struct series *s);

/*
 * Once in a while, for all series that have the same maps, retire the slots whose
 * keys are stale: the disk's number is not that disk's any more, the pool has gone.
 * Of very many keys some at each fold.
 */
void slots_check(struct series *first, uint64_t now);

/* The ids in the keys of all slots, at most as many as these have axes. Returns how many. */
size_t slots_ids(const struct series *first, uint64_t *ids);

/* Take a slot from its key, in all series that have the same maps; it is given back later. */
void slot_retire(struct series *first, unsigned int slot);

/* Add all that a slot has counted, in all its shards, to a row's words. */
void slot_fold(const struct series *s, unsigned int slot, uint64_t *into);

#endif /* ESTAT_SLOTS_H */
