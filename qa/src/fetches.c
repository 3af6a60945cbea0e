// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetches FETCHES CLIENTS: fetch the metrics under estat, at most MAX_METRICS, FETCHES times by one
 * client, then once by each of CLIENTS further clients.
 */
#include "check.h"

/* Make a client that fetches `fetches` times. Returns how many values its last fetch got. */
static int client(int fetches)
{
	int context = pmNewContext(PM_CONTEXT_HOST, "local:"), values = 0;
	pmID pmids[MAX_METRICS];

	check(context, "pmNewContext");
	if (!nfound)
		find_names("estat");
	check(pmLookupName(nfound, (const char **)found, pmids), "pmLookupName");
	for (int i = 0; i < fetches; i++) {
		pmResult *result;

		check(pmFetch(nfound, pmids, &result), "pmFetch");
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
	printf("%d metrics, %d values\n", nfound, values);
	return 0;
}
