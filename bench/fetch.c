// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch HOST ROUNDS MAX METRIC...: in each of ROUNDS rounds fetch all metrics, one after another.
 * Print for each metric the number of values and the median time of pmFetch(3) in microseconds. A
 * fetch asks for the first MAX instances of a metric, or for all instances if MAX is 0.
 */
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void check(int sts, const char *what)
{
	if (sts < 0) {
		fprintf(stderr, "%s: %s\n", what, pmErrStr(sts));
		exit(1);
	}
}

/* Fetch a metric. Returns the number of values; sets *elapsed to the time in microseconds. */
static int fetch(const char *name, pmID pmid, double *elapsed)
{
	uint64_t start = clock_now();
	pmResult *result;
	int n;

	check(pmFetch(1, &pmid, &result), name);
	*elapsed = (clock_now() - start) / 1e3;
	n = result->vset[0]->numval;
	check(n, name);
	pmFreeResult(result);
	return n;
}

/* Have fetches ask only for the first `max` instances of a metric. */
static void limit(const char *name, pmID pmid, int max)
{
	pmDesc desc;
	char **names;
	int *instances, n;

	check(pmLookupDesc(pmid, &desc), name);
	n = pmGetInDom(desc.indom, &instances, &names);
	check(n, name);
	check(pmDelProfile(desc.indom, 0, NULL), name);
	check(pmAddProfile(desc.indom, n < max ? n : max, instances), name);
	free(instances);
	free(names);
}

int main(int argc, char **argv)
{
	int rounds = argc > 4 ? atoi(argv[2]) : 0, nmetrics = argc - 4;
	const char **names = (const char **)argv + 4;

	if (rounds < 1) {
		fprintf(stderr, "usage: fetch HOST ROUNDS MAX METRIC...\n");
		return 1;
	}

	double(*times)[rounds] = calloc(nmetrics, sizeof(*times));
	int values[nmetrics];
	pmID pmids[nmetrics];

	if (!times)
		return 1;
	check(pmNewContext(PM_CONTEXT_HOST, argv[1]), argv[1]);
	check(pmLookupName(nmetrics, names, pmids), "names");
	for (int m = 0; m < nmetrics && atoi(argv[3]); m++)
		limit(names[m], pmids[m], atoi(argv[3]));
	for (int m = 0; m < nmetrics; m++) /* not timed: the first fetch also sends the profile */
		fetch(names[m], pmids[m], &times[m][0]);
	for (int r = 0; r < rounds; r++)
		for (int m = 0; m < nmetrics; m++)
			values[m] = fetch(names[m], pmids[m], &times[m][r]);
	for (int m = 0; m < nmetrics; m++) {
		qsort(times[m], rounds, sizeof(times[m][0]), compare);
		printf("%s %d %.1f\n", names[m], values[m], times[m][rounds / 2]);
	}
	return 0;
}
