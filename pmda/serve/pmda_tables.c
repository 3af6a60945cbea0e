// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "data/last.h"
#include "data/series.h"
#include "devices.h"
#include "lib/xalloc.h"
#include "pmda_tables.h"

static int by_pmid(const void *a, const void *b)
{
	const pmdaMetric *x = a, *y = b;

	return (x->m_desc.pmid > y->m_desc.pmid) - (x->m_desc.pmid < y->m_desc.pmid);
}

static void add_metrics(struct pmda_tables *t, const struct metrics *m)
{
	t->metrics = xalloc(realloc(t->metrics, (t->n + m->n) * sizeof(*t->metrics)));
	for (unsigned int i = 0; i < m->n; i++)
		t->metrics[t->n++] = (pmdaMetric){
			.m_user = &m->metrics[i],
			.m_desc = m->metrics[i].desc,
		};
}

static void build_names(struct pmda_tables *t)
{
	int sts = pmdaTreeCreate(&t->names);

	if (sts < 0) {
		pmNotifyErr(LOG_CRIT, "metrics: name space: %s", pmErrStr(sts));
		exit(1);
	}
	for (unsigned int i = t->n; i-- > 0;) { /* pmdaTreeInsert() reverses the order */
		const struct metric *m = t->metrics[i].m_user;

		sts = pmdaTreeInsert(t->names, m->desc.pmid, m->name);
		if (sts < 0)
			pmNotifyErr(LOG_ERR, "metric %s: %s", m->name, pmErrStr(sts));
	}
	pmdaTreeRebuildHash(t->names, t->n);
}

/* Copy a series' domains to the table at `at`; each bucket domain gets a pointer to its copy. */
static pmdaIndom *add_indoms(pmdaIndom *at, struct series *s)
{
	(at++)->it_indom = s->keys;
	for (unsigned int i = 0; i < s->nindoms; i++) {
		s->indoms[i].pmda_copy = at;
		*at++ = s->indoms[i].indom;
	}
	return at;
}

static void build_indoms(struct pmda_tables *t, int domain, struct module *const *module,
			 unsigned int n)
{
	pmdaIndom *at;

	t->nindoms = 5;
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; module[i]->exports && j < module[i]->exports->nseries; j++)
			t->nindoms += 1 + module[i]->exports->series[j]->nindoms;
	t->indoms = xalloc(calloc(t->nindoms, sizeof(*t->indoms)));
	at = t->indoms;
	(at++)->it_indom = pmInDom_build(domain, SERIAL_MODULES);
	at->it_indom = pmInDom_build(domain, SERIAL_DEVICES);
	devices_build(at++);
	at->it_indom = pmInDom_build(domain, SERIAL_LAYERS);
	layers_build(&t->layers, module, n, at++);
	at->it_indom = pmInDom_build(domain, SERIAL_LAYOUTS);
	layouts_build(&t->layouts, module, n, at++);
	at->it_indom = pmInDom_build(domain, SERIAL_LAST);
	last_build(at++);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; module[i]->exports && j < module[i]->exports->nseries; j++)
			at = add_indoms(at, module[i]->exports->series[j]);
}

void pmda_tables_build(struct pmda_tables *t, const struct metrics *agent,
		       struct module *const *module, unsigned int n)
{
	*t = (struct pmda_tables){};
	add_metrics(t, agent);
	for (unsigned int i = 0; i < n; i++)
		if (module[i]->exports)
			add_metrics(t, &module[i]->exports->metrics);
	build_names(t);
	qsort(t->metrics, t->n, sizeof(*t->metrics), by_pmid);
	build_indoms(t, agent->domain, module, n);
}

void pmda_tables_free(struct pmda_tables *t)
{
	free(t->metrics);
	free(t->indoms);
	free(t->layers.layers);
	free(t->layers.names);
	layouts_free(&t->layouts);
	pmdaTreeRelease(t->names);
}

struct metric *pmda_tables_find(const struct pmda_tables *t, pmID pmid)
{
	pmdaMetric wanted = { .m_desc.pmid = pmid };
	const pmdaMetric *found = bsearch(&wanted, t->metrics, t->n, sizeof(*t->metrics), by_pmid);

	return found ? found->m_user : NULL;
}
