/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the agent serves: its modules, their series and events and the metrics.
 */
#ifndef ESTAT_AGENT_H
#define ESTAT_AGENT_H

#include "metrics.h"

struct agent {
	int domain;
	unsigned int nmodules;
	struct module **modules;
	pmInDom module_indom; /* cached: a module's number is its own for good */
	unsigned int nseries;
	struct series **series;
	unsigned int nevents;
	struct events **events;
	struct metrics metrics;
	unsigned int nindoms;
	pmdaIndom *indoms;            /* libpcp_pmda's table: copies of what the series have */
	unsigned long kernel_modules; /* changes when the kernel's modules do */
	uint64_t looked;              /* when at modules that have yet to prove themselves */
	char error[256];              /* why estat.conf cannot be read, or "" */
};

/*
 * Find, configure and start the modules in estat.conf's folder, and build the
 * metrics of all that run or wait. What is wrong with a module is in its
 * status. A module takes a while to start; before() is called before each.
 */
void agent_start(struct agent *a, const char *config, bool optional, void (*before)(void));

/* Fold a series and give libpcp_pmda its instances. */
void agent_fold(struct agent *a, struct series *s);

/* The series that an instance domain belongs to, or NULL; also its buckets, if it has such. */
struct series *agent_series(const struct agent *a, pmInDom indom,
			    const struct bucket_indom **buckets);

/* A client context has gone: forget what it has had. */
void agent_end_client(struct agent *a, int context);

/* Is there a module that has yet to prove itself? */
bool agent_doubts(const struct agent *a);

/* Look at those, once in a while. */
void agent_look(struct agent *a);

/* Is there a module that waits for a kernel module or its BTF, or probes one that may go? */
bool agent_watches(const struct agent *a);

/*
 * Look what became of the kernel modules, and start, change or detach the first
 * module that must be for it. If this returns true, that took privileges, memory
 * and time, and there may be more to do.
 */
bool agent_watch(struct agent *a);

void agent_stop(struct agent *a);

#endif /* ESTAT_AGENT_H */
