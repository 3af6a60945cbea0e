// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "status.h"
#include "store.h"

static const struct agent *agent;

static int store_values(const struct metric *m, const pmValueSet *set)
{
	pmAtomValue atom;
	int sts = 0;

	for (int i = 0; i < set->numval && sts >= 0; i++) {
		const pmValue *v = &set->vlist[i];

		sts = pmExtractValue(set->valfmt, v, m->desc.type, &atom, m->desc.type);
		if (sts < 0)
			return PM_ERR_CONV;
		sts = status_store(agent, pmID_item(m->desc.pmid), v->inst, &atom);
		if (m->desc.type == PM_TYPE_STRING)
			free(atom.cp);
	}
	return sts;
}

static int estat_store(pmdaResult *result, pmdaExt *pmda)
{
	int sts = 0;

	(void)pmda;
	for (int i = 0; i < result->numpmid && sts >= 0; i++) {
		const struct metric *m = pmda_tables_find(&agent->tables, result->vset[i]->pmid);

		sts = !m                               ? PM_ERR_PMID
		      : m->kind != METRIC_STATUS       ? PM_ERR_PERMISSION
		      : m->desc.indom == PM_INDOM_NULL ? PM_ERR_PERMISSION
						       : store_values(m, result->vset[i]);
	}
	return sts;
}

void store_begin(pmdaInterface *dispatch, const struct agent *a)
{
	agent = a;
	dispatch->version.seven.store = estat_store;
}
