/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libpcp_pmda looks up in: the tables of metrics and of instance domains, and the
 * name space, of all that is served now. They are built anew when a module comes or goes.
 */
#ifndef ESTAT_PMDA_SERVE_PMDA_TABLES_H
#define ESTAT_PMDA_SERVE_PMDA_TABLES_H

#include "layers.h"

struct pmda_tables {
	unsigned int n;
	pmdaMetric *metrics; /* by PMID; m_user is the struct metric */
	unsigned int nindoms;
	pmdaIndom *indoms; /* copies of what the series have */
	struct layers layers;
	pmdaNameSpace *names;
};

/*
 * Build them; `agent` are the metrics that are no module's, `modules` and `layers` the domains
 * of these.
 */
void pmda_tables_build(struct pmda_tables *t, const struct metrics *agent, pmInDom modules,
		       pmInDom layers, struct module *const *module, unsigned int n);
void pmda_tables_free(struct pmda_tables *t);

/* The metric of a PMID, or NULL. */
struct metric *pmda_tables_find(const struct pmda_tables *t, pmID pmid);

#endif /* ESTAT_PMDA_SERVE_PMDA_TABLES_H */
