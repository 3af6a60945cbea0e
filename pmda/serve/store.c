// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "status.h"
#include "store.h"

static const struct agent *agent;

/* The client contexts of root. pmcd gives a context's number to a later client again. */
static int *roots;
static unsigned int nroots;

static bool is_roots(int context)
{
	for (unsigned int i = 0; i < nroots; i++)
		if (roots[i] == context)
			return true;
	return false;
}

void store_end_client(int context)
{
	for (unsigned int i = 0; i < nroots; i++)
		if (roots[i] == context)
			roots[i--] = roots[--nroots];
}

static int take_attribute(int context, int attribute, const char *value, int length, pmdaExt *pmda)
{
	(void)pmda;
	if (attribute != PMDA_ATTR_USERID)
		return 0;
	store_end_client(context);
	if (length && !strcmp(value, "0")) {
		roots = grow(roots, nroots, sizeof(*roots));
		roots[nroots++] = context;
	}
	return 0;
}

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

	if (!is_roots(pmda->e_context))
		return PM_ERR_PERMISSION;
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
	dispatch->version.seven.attribute = take_attribute;
	pmdaSetCommFlags(dispatch, PMDA_FLAG_AUTHORIZE);
}
