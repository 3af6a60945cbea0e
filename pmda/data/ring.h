/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the records of one of a module's rings, see bpf/event.bpf.h. */
#ifndef ESTAT_PMDA_DATA_RING_H
#define ESTAT_PMDA_DATA_RING_H

#include <pcp/pmapi.h>

#include "load/module.h"
#include "schema/label.h"

/*
 * The PMID item of a ring's first metric, `events` or `last.age`. The metric of parameter p has the
 * item RING_ITEM + p->item.
 */
#define RING_ITEM 960

struct ring_reader {
	const struct module *module;
	const struct ring *ring;
	const struct ring_schema *schema;
};

struct ring_reader ring_reader(const struct module *module, enum ring_kind kind);

/* Is there a ring now? There is none if the module does not run. */
bool ring_is_there(const struct ring_reader *r);

/*
 * How many records the BPF programs have begun to write since the module's counters began. Because
 * numbers begin at 0, the result is also the number of the next record.
 */
uint64_t ring_begun(const struct ring_reader *r);

/* The number of the oldest record in the ring. */
uint64_t ring_oldest(const struct ring_reader *r);

/*
 * Copy the record with this number, its struct estat_event_head included. Returns false if the
 * record is not complete or was overwritten.
 */
bool ring_copy(const struct ring_reader *r, uint64_t number, void *record);

/*
 * ring_type(): PCP's type of parameter `p`. ring_value(): the value of `p` in a copied record; a
 * text is written to `text`.
 */
int ring_type(const struct parameter *p);
void ring_value(const struct ring_reader *r, const struct parameter *p, const void *record,
		char text[AXIS_TEXT_LEN], pmAtomValue *atom);

#endif /* ESTAT_PMDA_DATA_RING_H */
