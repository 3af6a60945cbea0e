/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the agent: its modules and the tables of their metrics. */
#ifndef ESTAT_PMDA_SERVE_AGENT_H
#define ESTAT_PMDA_SERVE_AGENT_H

#include "pmda_tables.h"

struct agent {
	int domain;
	const char *config;      /* the path of estat.conf */
	bool optional;           /* estat.conf need not exist */
	char *folder;            /* path of the modules' folder; owned */
	struct config *settings; /* the settings that estat.conf has */
	unsigned int nmodules;
	struct module **modules;
	pmInDom module_indom; /* a module keeps its number for ever, by PCP's cache */
	pmInDom layer_indom;
	struct metrics metrics; /* estat.agent.*, estat.module.* and estat.layer.* */
	struct pmda_tables tables;
	unsigned long kernel_modules; /* checksum of the loaded kernel modules, when last settled */
	/* reconcile()'s last look at kernel modules, at liveness; CLOCK_MONOTONIC nanoseconds */
	uint64_t watched, looked;
	char error[256]; /* why estat.conf cannot be read; "": it can */
};

/*
 * The series of an instance domain; NULL: there is none.
 * *buckets: the domain, if it is one of buckets; else NULL.
 */
struct series *agent_series(const struct agent *a, pmInDom indom, struct bucket_indom **buckets);

/* Forget all about a client context that has ended. */
void agent_end_client(struct agent *a, int context);

/*
 * Export the module's metrics if it runs, or waits to; else withdraw them.
 * Returns whether the set of metrics has changed: then call agent_build().
 */
bool agent_serve(const struct agent *a, struct module *m);

/* agent_offer(): begin to export a module's metrics. agent_withdraw(): stop. */
void agent_offer(const struct agent *a, struct module *m);
void agent_withdraw(struct module *m);

/* Build the tables. Does not free the previous tables, which the caller has copied. */
void agent_build(struct agent *a);

#endif /* ESTAT_PMDA_SERVE_AGENT_H */
