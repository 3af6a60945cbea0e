/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each client context has fetched before: for every instant metric, the
 * snapshot of its series at that fetch. Clients with different intervals, and
 * groups of metrics that one client fetches at different intervals, so all
 * get the values of their own interval.
 */
#ifndef ESTAT_PMDA_SERVE_CLIENT_H
#define ESTAT_PMDA_SERVE_CLIENT_H

#include "data/series.h"

struct exports;

/* The snapshot that a context got at its previous fetch of a module's instant metric, or NULL. */
const struct snapshot *client_previous(int context, const struct exports *of, unsigned int instant);

/*
 * Remember a snapshot for the next fetch. Takes over the caller's reference. If all
 * are too much the contexts that were idle for longest are forgotten.
 */
void client_remember(int context, const struct exports *of, unsigned int instant,
		     struct snapshot *snapshot);

/* A context has gone: forget all of it. */
void client_end(int context);

/* A module has gone: forget what clients have had of it. */
void clients_forget(const struct exports *of);

/* How many contexts there is something remembered for. */
unsigned int client_count(void);

/*
 * How often a context was forgotten that was still there, because all took too much
 * memory: the one that had been idle for longest. Its next fetch is as its first.
 */
uint64_t client_forgotten(void);

#endif /* ESTAT_PMDA_SERVE_CLIENT_H */
