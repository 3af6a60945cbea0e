// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "last.h"
#include "lib/xalloc.h"

struct last *last_new(const struct module *module)
{
	struct last *l = xalloc(calloc(1, sizeof(*l)));

	l->reader = ring_reader(module, RING_LAST);
	l->records = xalloc(calloc(ESTAT_LAST_RECORDS, l->reader.schema->record_size));
	return l;
}

void last_free(struct last *l)
{
	free(l->records);
	free(l);
}

static char *record_at(const struct last *l, unsigned int place)
{
	return l->records + (size_t)place * l->reader.schema->record_size;
}

void last_take(struct last *l, uint64_t now)
{
	if (l->taken == now)
		return;
	l->taken = now;
	memset(l->there, 0, sizeof(l->there));
	if (!ring_is_there(&l->reader))
		return;
	for (uint64_t n = ring_oldest(&l->reader), end = ring_begun(&l->reader); n < end; n++)
		l->there[n % ESTAT_LAST_RECORDS] =
			ring_copy(&l->reader, n, record_at(l, n % ESTAT_LAST_RECORDS));
}

int last_value(struct last *l, const struct parameter *p, unsigned int place, pmAtomValue *atom)
{
	const char *record;
	uint64_t time;

	if (place >= ESTAT_LAST_RECORDS)
		return PM_ERR_INST;
	if (!l->there[place])
		return PMDA_FETCH_NOVALUES;
	record = record_at(l, place);
	if (p) {
		ring_value(&l->reader, p, record, l->text, atom);
		return PMDA_FETCH_STATIC;
	}
	memcpy(&time, record + offsetof(struct estat_event_head, time), sizeof(time));
	atom->ull = l->taken > time ? (l->taken - time) / 1000 : 0;
	return PMDA_FETCH_STATIC;
}

void last_build(pmdaIndom *indom)
{
	static char names[ESTAT_LAST_RECORDS][12];
	static pmdaInstid places[ESTAT_LAST_RECORDS];

	for (int i = 0; i < ESTAT_LAST_RECORDS; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		places[i] = (pmdaInstid){ i, names[i] };
	}
	indom->it_numinst = ESTAT_LAST_RECORDS;
	indom->it_set = places;
}
