/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a module exports: its series, its events and the metrics of both. */
#ifndef ESTAT_PMDA_SERVE_EXPORTS_H
#define ESTAT_PMDA_SERVE_EXPORTS_H

#include "metrics.h"

struct exports {
	struct module *module;
	unsigned int stops; /* module->stops when this was made */
	unsigned int nseries;
	struct series **series;
	struct events *events; /* event records; NULL: the module has none */
	struct metrics metrics;
	unsigned int nlayers;
	struct layer *layers; /* the groups that are layers, see layers.h */
	/* the last fetch by a client, and the last exports_look(); CLOCK_MONOTONIC nanoseconds */
	uint64_t fetched, looked;
};

/* The module has a schema, and runs or waits. The caller frees with exports_free(). */
struct exports *exports_new(struct module *module, int domain);
void exports_free(struct exports *exports);

/* Give the series the rows and counts of `from`, which exported the old module. */
void exports_carry(struct exports *exports, const struct exports *from);

/*
 * exports_due(): when the series have work to do, CLOCK_MONOTONIC
 * nanoseconds: more new keys to find, retired slots to clear, or
 * keys to evict. UINT64_MAX: none. exports_go_on() does the work.
 */
uint64_t exports_due(const struct exports *exports);
void exports_go_on(struct exports *exports);

/*
 * Every BASELINE_NS: fold all series, as the baseline for first
 * fetches, and free stale instances. Returns whether it was time.
 */
bool exports_look(struct exports *exports);

/*
 * The series of an instance domain; NULL: there is none.
 * *buckets: the domain, if it is one of buckets; else NULL.
 */
struct series *exports_series(const struct exports *exports, pmInDom indom,
			      struct bucket_indom **buckets);

#endif /* ESTAT_PMDA_SERVE_EXPORTS_H */
