// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch all that is under estat, many times.
 *
 * usage: fetches FETCHES CLIENTS	by one client, and once by each of some more
 */
#include <pcp/pmapi.h>
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

/* A new client fetches so many times. Returns how many values it got the last time. */
static int client(int fetches)
{
	int context = pmNewContext(PM_CONTEXT_HOST, "local:"), values = 0;
	pmID pmids[MAX_METRICS];

	check(context, "pmNewContext");
	if (!n)
		check(pmTraversePMNS("estat", add_name), "pmTraversePMNS");
	check(pmLookupName(n, (const char **)names, pmids), "pmLookupName");
	for (int i = 0; i < fetches; i++) {
		pmResult *result;

		check(pmFetch(n, pmids, &result), "pmFetch");
		values = 0;
		for (int j = 0; j < result->numpmid; j++)
			if (result->vset[j]->numval > 0)
				values += result->vset[j]->numval;
		pmFreeResult(result);
	}
	pmDestroyContext(context);
	return values;
}

int main(int argc, char **argv)
{
	int values;

	if (argc != 3) {
		fprintf(stderr, "usage: fetches FETCHES CLIENTS\n");
		return 1;
	}
	values = client(atoi(argv[1]));
	for (int i = atoi(argv[2]); i > 0; i--)
		client(1);
	printf("%d metrics, %d values\n", n, values);
	return 0;
}
