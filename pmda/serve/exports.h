/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module exports: its series, its event records, its records of ESTAT_LAST(), and the
 * metrics of all these.
 */
#ifndef ESTAT_PMDA_SERVE_EXPORTS_H
#define ESTAT_PMDA_SERVE_EXPORTS_H

#include "metrics.h"

struct exports {
	struct module *module;
	/*
	 * module->history.stops when the exports were made; the exports are outdated once the
	 * module's value is higher
	 */
	unsigned int stops;
	unsigned int nseries;
	struct series **series;
	struct events *events; /* event records; NULL: the module has none */
	struct last *last;     /* the records of ESTAT_LAST(); NULL: the module has none */
	struct metrics metrics;
	unsigned int nlayers;
	struct layer *layers; /* the groups that are layers, see layers.h; owned */
	/* exports_look() is due BASELINE_NS after this time, CLOCK_MONOTONIC ns */
	uint64_t looked;
};

/* Make the exports of a module that has a schema. The caller frees them with exports_free(). */
struct exports *exports_new(struct module *module, int domain);
void exports_free(struct exports *exports);

/*
 * exports_gather(): to call before an object is replaced, or after one was unloaded. If an object
 * is loaded, gives rows to all keys. With or without an object, folds (adds up) the counts.
 * exports_carry(): give `exports`, of the new object, the rows and counts of `from`, and the
 * clients that read the module's event records.
 */
void exports_gather(const struct exports *exports);
void exports_carry(struct exports *exports, const struct exports *from);

/*
 * exports_keep(): have the rows keep the counts of an object that is about to be unloaded.
 * exports_begin(): after the next object was loaded and attached, give rows to all keys, free
 * unused rows, and begin the baselines.
 */
void exports_keep(const struct exports *exports);
void exports_begin(struct exports *exports);

/*
 * exports_due(): when to call exports_go_on(), CLOCK_MONOTONIC nanoseconds; UINT64_MAX: never.
 * exports_go_on(): find more new keys, clear the slots of keys that are gone, evict keys.
 */
uint64_t exports_due(const struct exports *exports);
void exports_go_on(struct exports *exports);

/*
 * Every BASELINE_NS: fold all series for baseline_look(), set the thresholds of slow operations,
 * and free the instances of stale bucket domains. Returns false, and does nothing, if the module is
 * not attached or BASELINE_NS have not passed since `looked`.
 */
bool exports_look(struct exports *exports);

/* Set the threshold above which the module's operations are slow, nanoseconds; 0: record none. */
void exports_set_slow(struct module *m, uint64_t ns);

/*
 * Which series of the module has the instance domain `indom`; NULL: none. *buckets: the domain, if
 * its instances are buckets; else NULL.
 */
struct series *exports_series(const struct exports *exports, pmInDom indom,
			      struct bucket_indom **buckets);

#endif /* ESTAT_PMDA_SERVE_EXPORTS_H */
