/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module serves: its series and events, and their metrics. It comes and goes
 * with the module.
 */
#ifndef ESTAT_PMDA_SERVE_EXPORTS_H
#define ESTAT_PMDA_SERVE_EXPORTS_H

#include "metrics.h"

struct exports {
	struct module *module;
	unsigned int stops; /* the module's, then */
	unsigned int nseries;
	struct series **series;
	struct events *events; /* NULL if it has none */
	struct metrics metrics;
	unsigned int nlayers;
	struct layer *layers; /* which of it are layers of the stack, see layers.h */
	uint64_t asked;       /* when a client fetched one last, CLOCK_MONOTONIC nanoseconds */
	uint64_t looked;      /* and when it was folded for first fetches to come */
};

/* The module has a schema, and runs or waits. */
struct exports *exports_new(struct module *module, int domain);
void exports_free(struct exports *exports);

/* The module goes on for one that served the same: have its series begin with what those have. */
void exports_carry(struct exports *exports, const struct exports *from);

/*
 * When there is something to be done soon: keys that have no rows yet, for want of time, or slots
 * to be given back; CLOCK_MONOTONIC nanoseconds, or UINT64_MAX. Do it.
 */
uint64_t exports_due(const struct exports *exports);
void exports_go_on(struct exports *exports);

/* If it is time, fold all: for first fetches to come, and for slots to be given back. Was it? */
bool exports_look(struct exports *exports);

/* The series that an instance domain belongs to, or NULL; also its buckets, if it has such. */
struct series *exports_series(const struct exports *exports, pmInDom indom,
			      struct bucket_indom **buckets);

#endif /* ESTAT_PMDA_SERVE_EXPORTS_H */
