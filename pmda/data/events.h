/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's event records as each client context gets them: those that it has
 * not had yet. libpcp_pmda's own queues (pmdaEventNewQueue) do not serve several
 * clients well: of two with different intervals one gets records twice, and one
 * not at all (PCP 6.0).
 */
#ifndef ESTAT_PMDA_DATA_EVENTS_H
#define ESTAT_PMDA_DATA_EVENTS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "load/module.h"

/* PMID item of the records, after those of all groups; a parameter's is its number more. */
#define EVENTS_ITEM 960

/* How far a client has got. */
struct events_client {
	int context;
	uint64_t started; /* the module's: when it starts again records count from 0 */
	uint64_t next;    /* the number of the record that it gets next */
};

struct events {
	const struct module *module;
	const struct event_schema *schema;
	int domain;
	int array;       /* libpcp_pmda's, in which records are packed */
	char *record;    /* a copy of the one that is being packed */
	uint64_t missed; /* records that were overwritten before a client got them */
	unsigned int nclients;
	struct events_client *clients;
};

/* A module must have event records for this. */
struct events *events_new(const struct module *module, int domain);
void events_free(struct events *e);

/*
 * The records that a client context has not had yet; at its first fetch all
 * that there are. Those that it missed it is told of by PCP's record for that.
 * Returns what a pmdaFetchCallBack returns.
 */
int events_value(struct events *e, int context, pmAtomValue *atom);

/* The ring of another goes on in this one: so do its clients. */
void events_carry(struct events *e, struct events *from);

/* A context has gone: forget it. */
void events_end(struct events *e, int context);

#endif /* ESTAT_PMDA_DATA_EVENTS_H */
