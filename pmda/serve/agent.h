/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the agent serves: its modules, which come and go, and the tables of their metrics.
 */
#ifndef ESTAT_PMDA_SERVE_AGENT_H
#define ESTAT_PMDA_SERVE_AGENT_H

#include "pmda_tables.h"

struct agent {
	int domain;
	const char *config;      /* path of estat.conf */
	bool optional;           /* it need not be there */
	char *folder;            /* of the modules */
	struct config *settings; /* what estat.conf says */
	unsigned int nmodules;
	struct module **modules;
	pmInDom module_indom; /* cached: a module's number is its own for good */
	pmInDom layer_indom;
	struct metrics metrics; /* estat.agent.*, estat.module.* and estat.layer.* */
	struct pmda_tables tables;
	unsigned long kernel_modules; /* changes when the kernel's modules do */
	uint64_t watched;             /* when those were looked at */
	uint64_t looked;              /* when modules that have yet to prove themselves were */
	char error[256];              /* why estat.conf cannot be read, or "" */
};

/* The series that an instance domain belongs to, or NULL; also its buckets, if it has such. */
struct series *agent_series(const struct agent *a, pmInDom indom, struct bucket_indom **buckets);

/* A client context has gone: forget what it has had. */
void agent_end_client(struct agent *a, int context);

/* Serve a module that runs, or may yet; and no other one. Returns whether that is new. */
bool agent_serve(const struct agent *a, struct module *m);

/* Serve a module, which is not served; serve it no more. */
void agent_offer(const struct agent *a, struct module *m);
void agent_withdraw(struct module *m);

/* Build the tables; those that there are the caller has. */
void agent_build(struct agent *a);

#endif /* ESTAT_PMDA_SERVE_AGENT_H */
