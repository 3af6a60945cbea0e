/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module serves: its series and events, and their metrics. It comes and goes
 * with the module.
 */
#ifndef ESTAT_PMDA_SERVE_EXPORTS_H
#define ESTAT_PMDA_SERVE_EXPORTS_H

#include "metrics.h"

struct served {
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
struct served *served_new(struct module *module, int domain);
void served_free(struct served *served);

/* The module goes on for one that served the same: have its series begin with what those have. */
void served_carry(struct served *served, const struct served *from);

/*
 * When there is something to be done soon: keys that have no rows yet, for want of time, or slots
 * to be given back; CLOCK_MONOTONIC nanoseconds, or UINT64_MAX. Do it.
 */
uint64_t served_due(const struct served *served);
void served_go_on(struct served *served);

/* If it is time, fold all: for first fetches to come, and for slots to be given back. Was it? */
bool served_look(struct served *served);

/* The series that an instance domain belongs to, or NULL; also its buckets, if it has such. */
struct series *served_series(const struct served *served, pmInDom indom,
			     struct bucket_indom **buckets);

#endif /* ESTAT_PMDA_SERVE_EXPORTS_H */
