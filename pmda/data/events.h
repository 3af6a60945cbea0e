/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's event records. Each client context gets a record at most once. libpcp_pmda's own
 * queues (pmdaEventNewQueue) fail with several clients: of two clients with different intervals,
 * one gets records twice and the other gets none (PCP 6.0).
 */
#ifndef ESTAT_PMDA_DATA_EVENTS_H
#define ESTAT_PMDA_DATA_EVENTS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "ring.h"

/* Which event records a client context has read. */
struct events_client {
	int context;
	/* history.started at the last read; if it has changed, record numbers began at 0 again */
	uint64_t started;
	uint64_t next; /* the number of the record that the context gets next */
};

struct events {
	struct ring_reader reader;
	int domain;
	int array;    /* handle of libpcp_pmda's array, into which records are packed */
	char *record; /* a copy of the record that is being packed */
	/*
	 * how many records were overwritten before a client read them; a record counts once for
	 * each client that lost it
	 */
	uint64_t lost;
	unsigned int nclients;
	struct events_client *clients;
};

/* Make the state of a module's event records. The caller frees the result with events_free(). */
struct events *events_new(const struct module *module, int domain);
void events_free(struct events *e);

/*
 * Put into *atom the event records since the client context's last call; at its first call, all in
 * the ring. PCP's record of missed events says how many were lost. Returns PMDA_FETCH_* or
 * PM_ERR_*.
 */
int events_value(struct events *e, int context, pmAtomValue *atom);

/*
 * Move the clients and the count of lost records from `from`, of the old object, to `e`, of the new
 * object.
 */
void events_carry(struct events *e, struct events *from);

/* Forget a client context that has ended. */
void events_end(struct events *e, int context);

#endif /* ESTAT_PMDA_DATA_EVENTS_H */
