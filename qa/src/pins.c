// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that fetch one metric at a time, and stay: the agent remembers what each got of
 * each metric.
 *
 * usage: pins CLIENTS PREFIX	prints lines METRICS FETCHES MEMORY, that is estat.agent.memory in
 *				bytes: before, and when all metrics under PREFIX have been fetched
 */
#include <pcp/pmapi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_METRICS 1024

static char *names[MAX_METRICS];
static int n;

static void check(int sts, const char *what)
{
	if (sts >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, pmErrStr(sts));
	exit(1);
}

static void add_name(const char *name)
{
	if (n < MAX_METRICS)
		names[n++] = strdup(name);
}

static uint64_t memory(void)
{
	const char *name = "estat.agent.memory";
	pmResult *result;
	pmAtomValue atom;
	pmID pmid;

	check(pmLookupName(1, &name, &pmid), name);
	check(pmFetch(1, &pmid, &result), name);
	check(result->vset[0]->numval - 1, name);
	check(pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], PM_TYPE_U64,
			     &atom, PM_TYPE_U64),
	      name);
	pmFreeResult(result);
	return atom.ull;
}

static int fetch_each(void)
{
	for (int i = 0; i < n; i++) {
		pmResult *result;
		pmID pmid;

		check(pmLookupName(1, (const char **)&names[i], &pmid), names[i]);
		check(pmFetch(1, &pmid, &result), names[i]);
		pmFreeResult(result);
	}
	return n;
}

int main(int argc, char **argv)
{
	int clients, fetches = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: pins CLIENTS PREFIX\n");
		return 1;
	}
	clients = atoi(argv[1]);
	check(pmNewContext(PM_CONTEXT_HOST, "local:"), "pmNewContext");
	check(pmTraversePMNS(argv[2], add_name), argv[2]);
	printf("%d %d %" PRIu64 "\n", n, fetches, memory());
	for (int i = 0; i < clients; i++) {
		check(pmNewContext(PM_CONTEXT_HOST, "local:"), "pmNewContext");
		fetches += fetch_each();
	}
	printf("%d %d %" PRIu64 "\n", n, fetches, memory());
	return 0;
}
