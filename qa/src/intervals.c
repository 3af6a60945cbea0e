// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intervals INSTANCE EARLIEST LATEST: clients with intervals of their own. Each must get instant
 * metrics that fit the counters which it gets in the same fetches. The agent has started between
 * EARLIEST and LATEST, which are uptimes as in /proc/uptime.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <time.h>

#include "check.h"

#define SECONDS 7
#define BUCKETS 65

/* The metrics: four counters, which each of groups[] has, then four instant metrics. */
enum metric { OPS, BYTES, SUM, LATENCY, IOPS, THROUGHPUT, AVG, P99, METRICS };

static const char *names[METRICS] = {
	"estat.backend_io.ops",         "estat.backend_io.bytes", "estat.backend_io.latency_sum",
	"estat.backend_io.latency",     "estat.backend_io.iops",  "estat.backend_io.throughput",
	"estat.backend_io.avg_latency", "estat.backend_io.p99",
};

#define COUNTERS (1 << OPS | 1 << BYTES | 1 << SUM | 1 << LATENCY)
#define ALL      (COUNTERS | 1 << IOPS | 1 << THROUGHPUT | 1 << AVG | 1 << P99)
#define CONTEXTS 3

/* What one fetch brought. The agent answered it between the uptimes `earliest` and `latest`. */
struct fetch {
	double earliest, latest;
	double values[METRICS];
	double counts[BUCKETS], low[BUCKETS], high[BUCKETS];
};

/*
 * A fetch gets all metrics of one group. Each group has a context of its own, except the last two
 * groups, which share one.
 */
static struct group {
	const char *name;
	int context, period, metrics, fetches;
	struct fetch previous;
} groups[] = {
	{ .name = "1 s", .context = 0, .period = 1, .metrics = ALL },
	{ .name = "3 s", .context = 1, .period = 3, .metrics = ALL },
	{ .name = "iops each 1 s", .context = 2, .period = 1, .metrics = COUNTERS | 1 << IOPS },
	{ .name = "p99 each 3 s", .context = 2, .period = 3, .metrics = COUNTERS | 1 << P99 },
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static pmID pmids[METRICS];
static pmDesc descs[METRICS];
static bool failed;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double number(const pmValueSet *set, int i, int type)
{
	pmAtomValue atom;

	check(pmExtractValue(set->valfmt, &set->vlist[i], type, &atom, PM_TYPE_DOUBLE), "value");
	return atom.d;
}

/* Read the buckets of an instance, which are instances of their own: INSTANCE::LOW-HIGH. */
static void read_histogram(struct fetch *f, const pmValueSet *set, const char *instance)
{
	char prefix[256], *name;
	unsigned int n = 0;

	snprintf(prefix, sizeof(prefix), "%s::", instance);
	for (int i = 0; i < set->numval; i++) {
		check(pmNameInDom(descs[LATENCY].indom, set->vlist[i].inst, &name), "bucket");
		if (!strncmp(name, prefix, strlen(prefix)) && n < BUCKETS) {
			sscanf(name + strlen(prefix), "%lf-%lf", &f->low[n], &f->high[n]);
			f->counts[n++] = number(set, i, descs[LATENCY].type);
		}
		free(name);
	}
}

static void fetch(const struct group *g, const char *instance, struct fetch *f)
{
	pmID wanted[METRICS];
	pmResult *result;
	int n = 0, inst;

	for (int m = 0; m < METRICS; m++)
		if (g->metrics & 1 << m)
			wanted[n++] = pmids[m];
	memset(f, 0, sizeof(*f));
	f->earliest = now();
	check(pmFetch(n, wanted, &result), "pmFetch");
	f->latest = now();
	for (int m = 0, at = 0; m < METRICS; m++) {
		const pmValueSet *set = result->vset[at];

		if (!(g->metrics & 1 << m))
			continue;
		at++;
		if (m == LATENCY) {
			read_histogram(f, set, instance);
			continue;
		}
		inst = pmLookupInDom(descs[m].indom, instance);
		check(inst, instance);
		for (int i = 0; i < set->numval; i++)
			if (set->vlist[i].inst == inst)
				f->values[m] = number(set, i, descs[m].type);
	}
	pmFreeResult(result);
}

/* Fail the test if metric m of the group is outside low to high by more than rounding. */
static void expect(const struct group *g, enum metric m, double low, double value, double high)
{
	if (!(g->metrics & 1 << m))
		return;
	if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
		return;
	printf("%s: fetch %d: %s is %g, not from %g to %g\n", g->name, g->fetches, names[m], value,
	       low, high);
	failed = true;
}

static double before(const struct fetch *f, double low)
{
	for (int i = 0; i < BUCKETS; i++)
		if (f->low[i] == low)
			return f->counts[i];
	return 0;
}

static void check_p99(const struct group *g, const struct fetch *f, double ops)
{
	double below = 0;

	for (int i = 0; i < BUCKETS; i++) {
		below += f->counts[i] - before(&g->previous, f->low[i]);
		if (below < 0.99 * ops)
			continue;
		expect(g, P99, f->low[i], f->values[P99], f->high[i]);
		return;
	}
	expect(g, P99, 1, 0, 0); /* fails, if g has P99: the buckets have less than 99% of `ops` */
}

static void serve(struct group *g, const char *instance)
{
	double shortest, longest, ops, kbytes, mean;
	struct fetch f;

	fetch(g, instance, &f);
	g->fetches++;
	shortest = f.earliest - g->previous.latest;
	longest = f.latest - g->previous.earliest;
	ops = f.values[OPS] - g->previous.values[OPS];
	kbytes = (f.values[BYTES] - g->previous.values[BYTES]) / 1024;
	mean = (f.values[SUM] - g->previous.values[SUM]) / ops / 1000;
	expect(g, OPS, 100, ops, INFINITY);
	expect(g, IOPS, ops / longest, f.values[IOPS], ops / shortest);
	expect(g, THROUGHPUT, kbytes / longest, f.values[THROUGHPUT], kbytes / shortest);
	expect(g, AVG, mean, f.values[AVG], mean);
	check_p99(g, &f, ops);
	g->previous = f;
}

/* Wait until 100 operations have ended since the last fetch of each group, at most a minute. */
static void await_work(int context, const char *instance)
{
	static const struct group watch = { .metrics = 1 << OPS };
	struct timespec pause = { .tv_nsec = 50000000 };
	double most = 0;
	struct fetch f;

	for (unsigned int i = 0; i < GROUPS; i++)
		most = fmax(most, groups[i].previous.values[OPS]);
	check(pmUseContext(context), "pmUseContext");
	for (int tries = 0; tries < 1200; tries++) {
		fetch(&watch, instance, &f);
		if (f.values[OPS] >= most + 100)
			return;
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	int contexts[CONTEXTS], watcher;
	struct timespec start;

	if (argc != 4) {
		fprintf(stderr, "usage: intervals INSTANCE EARLIEST LATEST\n");
		return 1;
	}
	for (int i = 0; i < CONTEXTS; i++) {
		contexts[i] = pmNewContext(PM_CONTEXT_HOST, "local:");
		check(contexts[i], "pmNewContext");
	}
	watcher = pmNewContext(PM_CONTEXT_HOST, "local:");
	check(watcher, "pmNewContext");
	check(pmLookupName(METRICS, names, pmids), "pmLookupName");
	for (int m = 0; m < METRICS; m++)
		check(pmLookupDesc(pmids[m], &descs[m]), names[m]);
	for (unsigned int i = 0; i < GROUPS; i++) {
		groups[i].previous.earliest = atof(argv[2]);
		groups[i].previous.latest = atof(argv[3]);
	}

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int second = 0; second < SECONDS; second++) {
		struct timespec t = { start.tv_sec + second, start.tv_nsec };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		await_work(watcher, argv[1]);
		for (unsigned int i = 0; i < GROUPS; i++) {
			if (second % groups[i].period)
				continue;
			check(pmUseContext(contexts[groups[i].context]), "pmUseContext");
			serve(&groups[i], argv[1]);
		}
	}
	for (unsigned int i = 0; i < GROUPS; i++)
		printf("%s: %d fetches\n", groups[i].name, groups[i].fetches);
	printf("%g clients\n", value_of("estat.agent.clients"));
	return failed;
}
