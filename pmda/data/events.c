// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "events.h"
#include "lib/clock.h"
#include "lib/xalloc.h"

struct events *events_new(const struct module *module, int domain)
{
	struct events *e = xalloc(calloc(1, sizeof(*e)));

	e->reader = ring_reader(module, RING_EVENTS);
	e->domain = domain;
	e->array = pmdaEventNewArray();
	e->record = xalloc(malloc(e->reader.schema->record_size));
	return e;
}

void events_free(struct events *e)
{
	pmdaEventReleaseArray(e->array);
	free(e->record);
	free(e->clients);
	free(e);
}

/* The time of day at `stamp`, which is in CLOCK_MONOTONIC nanoseconds. */
static struct timeval time_of_day(uint64_t stamp)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	stamp += now.tv_sec * UINT64_C(1000000000) + now.tv_nsec - clock_now();
	return (struct timeval){
		.tv_sec = stamp / 1000000000,
		.tv_usec = stamp % 1000000000 / 1000,
	};
}

/*
 * Add a text parameter, and clear the bytes that pad the text to a multiple of four. libpcp_pmda
 * sends these bytes but does not set them, so clients would get old bytes of the agent's memory.
 */
static int pack_text(const struct events *e, pmID pmid, char *text)
{
	pmAtomValue atom = { .cp = text };
	int sts = pmdaEventAddParam(e->array, pmid, PM_TYPE_STRING, &atom);
	pmEventArray *records = pmdaEventGetAddr(e->array);
	size_t fill = -strlen(text) & 3;

	if (sts >= 0)
		memset((char *)records + records->ea_len - fill, 0, fill);
	return sts;
}

static int pack_parameter(const struct events *e, const struct parameter *p)
{
	pmID pmid = pmID_build(e->domain, e->reader.module->edition->schema->cluster,
			       RING_ITEM + p->item);
	char text[AXIS_TEXT_LEN];
	pmAtomValue atom;

	ring_value(&e->reader, p, e->record, text, &atom);
	if (p->text)
		return pack_text(e, pmid, text);
	return pmdaEventAddParam(e->array, pmid, ring_type(p), &atom);
}

static int pack_record(const struct events *e)
{
	struct timeval time = time_of_day(((const struct estat_event_head *)e->record)->time);
	int sts = pmdaEventAddRecord(e->array, &time, PM_EVENT_FLAG_POINT);

	for (unsigned int i = 0; sts >= 0 && i < e->reader.schema->nparameters; i++)
		sts = pack_parameter(e, &e->reader.schema->parameters[i]);
	return sts;
}

/* Tell the client that `n` event records were overwritten before the client fetched them. */
static int pack_lost(struct events *e, uint64_t n)
{
	struct timeval now;

	e->lost += n;
	gettimeofday(&now, NULL);
	return pmdaEventAddMissedRecord(e->array, &now, n);
}

/* Pack the event records that a client has not had, up to the first that is not complete. */
static int pack_records(struct events *e, struct events_client *c)
{
	uint64_t end = ring_begun(&e->reader);
	int sts = 0;

	while (sts >= 0 && c->next < end) {
		uint64_t from = ring_oldest(&e->reader);

		if (c->next < from) {
			sts = pack_lost(e, from - c->next);
			c->next = from;
		} else if (ring_copy(&e->reader, c->next, e->record)) {
			sts = pack_record(e);
			c->next++;
		} else if (c->next >= ring_oldest(&e->reader)) {
			break;
		}
	}
	return sts;
}

/*
 * Find or add a client. A client gets all records in the ring if the client is new, or if the
 * module's counters, and so the record numbers, have begun at 0 again since the client's last read.
 */
static struct events_client *client_of(struct events *e, int context)
{
	struct events_client *c = e->clients;

	while (c < e->clients + e->nclients && c->context != context)
		c++;
	if (c == e->clients + e->nclients) {
		e->clients = grow(e->clients, e->nclients, sizeof(*c));
		c = &e->clients[e->nclients++];
		*c = (struct events_client){ .context = context };
	}
	if (c->started != e->reader.module->history.started) {
		c->started = e->reader.module->history.started;
		c->next = ring_oldest(&e->reader);
	}
	return c;
}

int events_value(struct events *e, int context, pmAtomValue *atom)
{
	pmEventArray *records;
	int sts;

	if (!ring_is_there(&e->reader))
		return PMDA_FETCH_NOVALUES;
	pmdaEventResetArray(e->array);
	sts = pack_records(e, client_of(e, context));
	if (sts < 0)
		return sts;
	records = pmdaEventGetAddr(e->array);
	atom->vbp = (pmValueBlock *)records;
	return records->ea_nrecords ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
}

void events_end(struct events *e, int context)
{
	for (unsigned int i = 0; i < e->nclients; i++)
		if (e->clients[i].context == context)
			e->clients[i--] = e->clients[--e->nclients];
}

void events_carry(struct events *e, struct events *from)
{
	e->lost = from->lost;
	e->nclients = from->nclients;
	e->clients = from->clients;
	from->nclients = 0;
	from->clients = NULL;
}
