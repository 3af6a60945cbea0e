/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the programs of tests that are clients of pmcd. Each function ends the process with a message
 * if a call of libpcp fails.
 */
#ifndef ESTAT_QA_SRC_CHECK_H
#define ESTAT_QA_SRC_CHECK_H

#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_METRICS 1024

static char *found[MAX_METRICS];
static int nfound;

static inline void check(int sts, const char *what)
{
	if (sts >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, pmErrStr(sts));
	exit(1);
}

static inline void add_name(const char *name)
{
	if (nfound < MAX_METRICS)
		found[nfound++] = strdup(name);
}

/* Add to found[] the names of the metrics under a prefix, until found[] is full. */
static inline void find_names(const char *prefix)
{
	check(pmTraversePMNS(prefix, add_name), prefix);
}

/*
 * A metric's value in the current context. Ends the process if a call of libpcp fails, or if the
 * metric has no value or several values.
 */
static inline double value_of(const char *name)
{
	pmResult *result;
	pmAtomValue atom;
	pmDesc desc;
	pmID pmid;

	check(pmLookupName(1, &name, &pmid), name);
	check(pmLookupDesc(pmid, &desc), name);
	check(pmFetch(1, &pmid, &result), name);
	check(result->vset[0]->numval == 1 ? 0 : PM_ERR_VALUE, name);
	check(pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], desc.type, &atom,
			     PM_TYPE_DOUBLE),
	      name);
	pmFreeResult(result);
	return atom.d;
}

#endif /* ESTAT_QA_SRC_CHECK_H */
