/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libpcp_pmda looks up: tables of metrics and instance domains, and the name space, of the
 * agent and of all exported modules. The agent builds them again when modules or metrics change.
 */
#ifndef ESTAT_PMDA_SERVE_PMDA_TABLES_H
#define ESTAT_PMDA_SERVE_PMDA_TABLES_H

#include "layers.h"
#include "layouts.h"

struct pmda_tables {
	unsigned int n;
	pmdaMetric *metrics; /* ordered by PMID; m_user is the struct metric */
	unsigned int nindoms;
	pmdaIndom *indoms; /* the agent's own instance domains, and copies of the series' */
	struct layers layers;
	struct layouts layouts;
	pmdaNameSpace *names;
};

/* Build the tables of `n` modules, and of `agent`, the metrics of the agent itself. */
void pmda_tables_build(struct pmda_tables *t, const struct metrics *agent,
		       struct module *const *module, unsigned int n);
void pmda_tables_free(struct pmda_tables *t);

/* The metric of a PMID; NULL: there is none. */
struct metric *pmda_tables_find(const struct pmda_tables *t, pmID pmid);

#endif /* ESTAT_PMDA_SERVE_PMDA_TABLES_H */
