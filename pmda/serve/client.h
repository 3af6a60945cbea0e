/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each client context has fetched: for each instant metric, the snapshot
 * of the series at the context's last fetch. So each client gets values over
 * its own interval, and even over different intervals for different metrics.
 */
#ifndef ESTAT_PMDA_SERVE_CLIENT_H
#define ESTAT_PMDA_SERVE_CLIENT_H

#include "data/series.h"

struct exports;

/*
 * The snapshot at a context's previous fetch of an instant metric of a module; NULL:
 * its first fetch. `instant` is the metric's number among the module's instant metrics.
 */
const struct snapshot *client_previous(int context, const struct exports *exports,
				       unsigned int instant);

/*
 * Keep a snapshot for the context's next fetch. Takes over the caller's reference. If all
 * snapshots exceed 32 MiB, the contexts that have been idle for longest are forgotten.
 */
void client_remember(int context, const struct exports *exports, unsigned int instant,
		     struct snapshot *snapshot);

/* Forget a context that has ended. */
void client_end(int context);

/* Forget what all contexts have fetched of a module. */
void clients_forget(const struct exports *exports);

/* The number of contexts with a snapshot. */
unsigned int client_count(void);

/*
 * How often a connected context was forgotten for
 * want of memory: its next fetch is like its first.
 */
uint64_t client_forgotten(void);

#endif /* ESTAT_PMDA_SERVE_CLIENT_H */
