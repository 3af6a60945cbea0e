/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's records of ESTAT_LAST() as metrics estat.MODULE.last.*, for clients that get no event
 * records. An instance is a place in the ring: the newest record takes the place of the oldest one.
 */
#ifndef ESTAT_PMDA_DATA_LAST_H
#define ESTAT_PMDA_DATA_LAST_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "abi.h"
#include "ring.h"

struct last {
	struct ring_reader reader;
	/* time of the newest call of last_take(), CLOCK_MONOTONIC ns */
	uint64_t taken;
	bool there[ESTAT_LAST_RECORDS]; /* by place: has last_take() found a whole record there? */
	char *records;                  /* by place; owned */
	char text[AXIS_TEXT_LEN];       /* the text of the value that was asked for last */
};

/*
 * Make the state of a module's records of ESTAT_LAST(). The caller frees the result with
 * last_free().
 */
struct last *last_new(const struct module *module);
void last_free(struct last *l);

/* Take the records for a fetch at `now`, once, so that all values of a place are of one record. */
void last_take(struct last *l, uint64_t now);

/* A parameter's value at a place; `p` NULL: the age of the record. Returns PMDA_FETCH_*. */
int last_value(struct last *l, const struct parameter *p, unsigned int place, pmAtomValue *atom);

/* Give `indom` the places as its instances. */
void last_build(pmdaIndom *indom);

#endif /* ESTAT_PMDA_DATA_LAST_H */
