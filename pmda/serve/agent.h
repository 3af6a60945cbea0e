/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct agent: the state of the agent, with all its modules. Functions that begin and end the
 * export of a module's metrics.
 */
#ifndef ESTAT_PMDA_SERVE_AGENT_H
#define ESTAT_PMDA_SERVE_AGENT_H

#include "pmda_tables.h"

/* Since PCP 7 an agent's result is a pmdaResult, which is the pmResult of PCP 6. */
#ifndef pmdaResult
#define pmdaResult pmResult
#endif

struct agent {
	int domain;
	const char *config;      /* the path of estat.conf */
	bool optional;           /* estat.conf need not exist */
	char *folder;            /* path of the modules' folder; owned */
	struct config *settings; /* what estat.conf says */
	unsigned int nmodules;
	struct module **modules;
	/* the domain of modules; PCP's cache keeps a module's instance number for ever */
	pmInDom module_indom;
	struct metrics metrics; /* estat.agent.*, estat.module.*, estat.layer.*, estat.device.* */
	struct pmda_tables tables;
	/* checksum of kernel modules, taken when none was being loaded or unloaded */
	unsigned long kernel_modules;
	/* when the agent last looked at kernel modules, CLOCK_MONOTONIC ns; 0: it is to look now */
	uint64_t watched;
	/* when look_at_liveness() of reconcile.c last looked at modules, CLOCK_MONOTONIC ns */
	uint64_t looked;
	char error[256]; /* why estat.conf cannot be read; "": no error */
};

/*
 * The series to which an instance domain belongs; NULL: none. *buckets: the domain, if its
 * instances are buckets; else NULL.
 */
struct series *agent_series(const struct agent *a, pmInDom indom, struct bucket_indom **buckets);

/* Forget the snapshots and event positions of a client context that has ended. */
void agent_end_client(struct agent *a, int context);

/*
 * Export a module's metrics if the module runs, may still start, or has failed because the kernel
 * forbids or lacks what the module needs; else withdraw the metrics. Returns whether metrics
 * were exported anew or withdrawn; if so, the caller calls agent_build().
 */
bool agent_serve(const struct agent *a, struct module *m);

/* agent_offer(): begin to export a module's metrics. agent_withdraw(): no longer export them. */
void agent_offer(const struct agent *a, struct module *m);
void agent_withdraw(struct module *m);

/*
 * Free a module's exports; NULL: free nothing. The caller calls agent_build() before the next
 * request.
 */
void agent_free_exports(struct exports *exports);

/*
 * Build a->tables anew. The call does not free the old tables, so the caller copies a->tables
 * before the call, and frees the copy after the call.
 */
void agent_build(struct agent *a);

#endif /* ESTAT_PMDA_SERVE_AGENT_H */
