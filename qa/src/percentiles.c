// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * percentiles N SEED: print N random histograms of latency as JSON, one a line: "share", "value"
 * (the percentile for that share by lib/histogram.c) and "counts", the number of operations for
 * the name of each bucket that is not empty.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/histogram.c"

/*
 * Up to 20 times, add 1 to `most` operations to a random bucket. Either all of these buckets are
 * among at most five neighbours, or each can be any bucket. `most` is a random power of 2, up to
 * 2^19.
 */
static void fill(uint64_t *counts, unsigned int buckets)
{
	unsigned int span = random() % 2 ? 1 + random() % 5 : buckets;
	unsigned int first = random() % (buckets - span + 1), most = 1 << random() % 20;

	for (unsigned int n = 1 + random() % 20; n > 0; n--)
		counts[first + random() % span] += 1 + random() % most;
}

static void print(const uint64_t *counts, double share)
{
	const char *comma = "";
	char name[BUCKET_NAME_LEN];

	printf("{\"share\":%g,\"value\":%.17g,\"counts\":{", share,
	       latency_percentile(HISTOGRAM_LATENCY, counts, share,
				  latency_highest(HISTOGRAM_LATENCY, counts, 0, 0)));
	for (unsigned int b = 0; b < histogram_buckets(HISTOGRAM_LATENCY); b++) {
		if (!counts[b])
			continue;
		bucket_name(HISTOGRAM_LATENCY, b, name);
		printf("%s\"%s\":%" PRIu64, comma, name, counts[b]);
		comma = ",";
	}
	printf("}}\n");
}

int main(int argc, char **argv)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };
	int n = argc == 3 ? atoi(argv[1]) : 0;

	if (n <= 0)
		return 2;
	srandom(strtoul(argv[2], NULL, 10));
	for (int i = 0; i < n; i++) {
		uint64_t counts[ESTAT_LATENCY_BUCKETS] = {};

		fill(counts, ESTAT_LATENCY_BUCKETS);
		print(counts, shares[i % 4]);
	}
	return 0;
}
