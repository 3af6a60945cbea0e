/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps for each client context and instant metric the snapshot of the series at the context's
 * newest fetch of the metric, so that each client gets the metric's value over its own interval.
 */
#ifndef ESTAT_PMDA_SERVE_CLIENT_H
#define ESTAT_PMDA_SERVE_CLIENT_H

#include "data/series.h"

struct exports;

/*
 * The snapshot at a context's previous fetch of an instant metric of a module; NULL: the context
 * has not fetched the metric, or was forgotten. `instant`: index of the metric among the module's
 * instant metrics.
 */
const struct snapshot *client_previous(int context, const struct exports *exports,
				       unsigned int instant);

/*
 * Keep a snapshot for the context's next fetch. Takes over the caller's reference. While snapshots
 * other than baselines take over 32 MiB, and more than one context has snapshots, forgets the
 * context that was idle for longest.
 */
void client_remember(int context, const struct exports *exports, unsigned int instant,
		     struct snapshot *snapshot);

/* Release all snapshots of a context that has ended or is to be forgotten. */
void client_end(int context);

/* Release all clients' snapshots of a module. */
void clients_forget(const struct exports *exports);

/* The number of client contexts with a snapshot. */
unsigned int client_count(void);

/* How many times client_remember() forgot a context: the value of estat.agent.forgotten. */
uint64_t client_forgotten(void);

#endif /* ESTAT_PMDA_SERVE_CLIENT_H */
