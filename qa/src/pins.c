// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that fetch one metric at a time, and stay: the agent remembers what each got of
 * each metric.
 *
 * usage: pins CLIENTS PREFIX	prints lines METRICS FETCHES MEMORY, that is estat.agent.memory in
 *				bytes: before, and when all metrics under PREFIX have been fetched
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
