/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's records of ESTAT_LAST() as metrics estat.MODULE.last.*, for clients that get no event
 * records. An instance is a position in the ring: the newest record overwrites the oldest one.
 */
#ifndef ESTAT_PMDA_DATA_LAST_H
#define ESTAT_PMDA_DATA_LAST_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "abi.h"
#include "ring.h"

struct last {
	struct ring_reader reader;
	/* `now` of the newest call of last_take(), CLOCK_MONOTONIC ns */
	uint64_t taken;
	bool there[ESTAT_LAST_RECORDS]; /* by position: did last_take() find a whole record? */
	char *records;                  /* copies of the records, by position; owned */
	char text[AXIS_TEXT_LEN];       /* the text that last_value() returned last */
};

/*
 * Make the state of a module's records of ESTAT_LAST(). The caller frees the result with
 * last_free().
 */
struct last *last_new(const struct module *module);
void last_free(struct last *l);

/*
 * Copy the ring's records, unless a call with the same `now` has copied them. So all values that a
 * fetch returns for a position are of one record. `now`: when the fetch came, CLOCK_MONOTONIC ns.
 */
void last_take(struct last *l, uint64_t now);

/*
 * Set *atom to the value of parameter `p` of the record at position `place` in the ring; `p` NULL:
 * to the record's age, microseconds. Returns PMDA_FETCH_* or, if the ring has no such position,
 * PM_ERR_INST.
 */
int last_value(struct last *l, const struct parameter *p, unsigned int place, pmAtomValue *atom);

/* Give `indom` its instances: one for each position in the ring. */
void last_build(pmdaIndom *indom);

#endif /* ESTAT_PMDA_DATA_LAST_H */
