// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pins CLIENTS PREFIX: CLIENTS clients fetch the metrics under PREFIX, at most MAX_METRICS, one
 * metric at a time, and stay connected: so the agent keeps a snapshot for each client and instant
 * metric. Prints a line METRICS FETCHES MEMORY before the first fetch, and another one after the
 * last. METRICS is the number of these metrics, FETCHES is the number of fetches so far, MEMORY is
 * estat.agent.memory in bytes.
 */
#include "check.h"

static int fetch_each(void)
{
	for (int i = 0; i < nfound; i++) {
		pmResult *result;
		pmID pmid;

		check(pmLookupName(1, (const char **)&found[i], &pmid), found[i]);
		check(pmFetch(1, &pmid, &result), found[i]);
		pmFreeResult(result);
	}
	return nfound;
}

static void print_memory(int fetches)
{
	printf("%d %d %.0f\n", nfound, fetches, value_of("estat.agent.memory"));
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
	find_names(argv[2]);
	print_memory(fetches);
	for (int i = 0; i < clients; i++) {
		check(pmNewContext(PM_CONTEXT_HOST, "local:"), "pmNewContext");
		fetches += fetch_each();
	}
	print_memory(fetches);
	return 0;
}
