/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's event records, for each client context those that it has not had. libpcp_pmda's
 * own queues (pmdaEventNewQueue) do not serve several clients well: of two clients with
 * different intervals, one gets records twice and the other gets none (PCP 6.0).
 */
#ifndef ESTAT_PMDA_DATA_EVENTS_H
#define ESTAT_PMDA_DATA_EVENTS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "load/module.h"

/* The PMID item of the records, above those of all groups; a parameter's number is added to it. */
#define EVENTS_ITEM 960

/* How far a client context has read. */
struct events_client {
	int context;
	uint64_t started; /* module->started at the last read; a change restarts record numbers */
	uint64_t next;    /* the number of the record that the context gets next */
};

struct events {
	const struct module *module;
	const struct event_schema *schema;
	int domain;
	int array;     /* libpcp_pmda's array, into which records are packed */
	char *record;  /* a copy of the record that is being packed */
	uint64_t lost; /* records overwritten before a client read them */
	unsigned int nclients;
	struct events_client *clients;
};

/* The module must declare event records. The caller frees with events_free(). */
struct events *events_new(const struct module *module, int domain);
void events_free(struct events *e);

/*
 * Put into *atom the records that a client context has not had; at its
 * first fetch, all that the ring holds. For lost records PCP's record of
 * missed events tells how many. Returns what a pmdaFetchCallBack returns.
 */
int events_value(struct events *e, int context, pmAtomValue *atom);

/* Take over the clients of `from`, whose ring goes on in the module of `e`. */
void events_carry(struct events *e, struct events *from);

/* Forget a client context that has ended. */
void events_end(struct events *e, int context);

#endif /* ESTAT_PMDA_DATA_EVENTS_H */
