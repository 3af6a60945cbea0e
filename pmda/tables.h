/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libpcp_pmda looks up in: the tables of metrics and of instance domains, and the
 * name space, of all that is served now. They are built anew when a module comes or goes.
 */
#ifndef ESTAT_TABLES_H
#define ESTAT_TABLES_H

#include "served.h"

struct tables {
	unsigned int n;
	pmdaMetric *metrics; /* by PMID; m_user is the struct metric */
	unsigned int nindoms;
	pmdaIndom *indoms; /* copies of what the series have */
	unsigned int nlayers;
	struct layer **layers;   /* top to bottom, see layers.h */
	pmdaInstid *layer_names; /* of those that run */
	pmdaIndom *layer_indom;
	pmdaNameSpace *names;
};

/*
 * Build them; `agent` are the metrics that are no module's, `modules` and `layers` the domains
 * of these.
 */
void tables_build(struct tables *t, const struct metrics *agent, pmInDom modules, pmInDom layers,
		  struct module *const *module, unsigned int n);
void tables_free(struct tables *t);

/* The metric of a PMID, or NULL. */
struct metric *tables_find(const struct tables *t, pmID pmid);

#endif /* ESTAT_TABLES_H */
