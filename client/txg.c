// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat txg: a line for each transaction group that was synced, from the event records
 * of the module txg.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "pcptime.h"
#include "programs.h"
#include "runs.h"
#include "signals.h"

/* How often a pmcd is asked for records, seconds, and after how many lines the legend returns. */
#define PERIOD 1
#define LEGEND 30

/* How many records can have a time so near to another that their order is not sure. */
#define RECENT 16
#define SAME   0.001 /* seconds that the times of one record can differ by */

/* A record's parameters, estat.txg.event.*. */
enum parameter {
	TXG_POOL,
	TXG_NUMBER,
	TXG_SINCE_SYNC,
	TXG_SYNC_TIME,
	TXG_PASS1_SHARE,
	TXG_DIRTY,
	TXG_DIRTY_SHARE,
	TXG_THROTTLE,
	TXG_MAX_DELAY,
	TXG_AVG_DELAY,
	TXG_PARAMETERS,
};

static const char *const names[TXG_PARAMETERS] = {
	"pool",  "txg",         "since_sync", "sync_time", "pass1_share",
	"dirty", "dirty_share", "throttle",   "max_delay", "avg_delay",
};

struct txgs {
	const char *pool; /* NULL: domain0 if there is one, else all */
	pmID events;
	pmID parameters[TXG_PARAMETERS];
	pmDesc descs[TXG_PARAMETERS];
	bool archive;
	double newest; /* time of the newest record */
	struct {
		double txg, time;
		char pool[256];
	} recent[RECENT]; /* the last records, in a ring */
	unsigned int nrecent;
	unsigned int lines;
};

struct record {
	double time;
	char pool[256];
	double values[TXG_PARAMETERS];
};

static void find_metrics(struct txgs *t, const struct source *s)
{
	const char *name = "estat.txg.events";

	if (pmLookupName(1, &name, &t->events) != 1)
		die(EXIT_NO_DATA, "%s has no metric %s", s->where, name);
	for (int i = 0; i < TXG_PARAMETERS; i++) {
		char parameter[64];

		snprintf(parameter, sizeof(parameter), "estat.txg.event.%s", names[i]);
		name = parameter;
		if (pmLookupName(1, &name, &t->parameters[i]) != 1 ||
		    pmLookupDesc(t->parameters[i], &t->descs[i]) < 0)
			die(EXIT_NO_DATA, "%s has no metric %s", s->where, name);
	}
}

static void read_parameter(const struct txgs *t, struct record *r, const pmValueSet *set)
{
	for (int i = 0; i < TXG_PARAMETERS; i++) {
		pmAtomValue atom;
		int type = i == TXG_POOL ? PM_TYPE_STRING : PM_TYPE_DOUBLE;

		if (set->pmid != t->parameters[i] || set->numval != 1 ||
		    pmExtractValue(set->valfmt, &set->vlist[0], t->descs[i].type, &atom, type) < 0)
			continue;
		if (i == TXG_POOL) {
			snprintf(r->pool, sizeof(r->pool), "%s", atom.cp);
			free(atom.cp);
		} else {
			r->values[i] = atom.d;
		}
	}
}

static void print_legend(void)
{
	fputs("        date                 txg     time since last sync\n"
	      "         |                    |         |   sync time\n"
	      "         |                    |         |        |  (% pass 1)\n"
	      "         |                    |         |        |    |     highest dirty (%)\n"
	      "         |                    |         |        |    |           |  highest "
	      "throttle "
	      "delay\n"
	      "         |                    |         |        |    |           |            |    "
	      "  "
	      "|  avg delay\n"
	      "         v                    v         v        v    v           v            v    "
	      "  "
	      "v       v\n",
	      stdout);
}

static void print_record(struct txgs *t, const struct record *r)
{
	const double *v = r->values;
	char date[64];

	if (t->lines++ % LEGEND == 0)
		print_legend();
	print_time(date, sizeof(date), "%a %b %e %H:%M:%S %Y", r->time);
	printf("%-24s %10.0f %5.0fms %5.0fms (%2.0f%% pass 1)%4.0fMB (%2.0f%%) %4.0fus %5.0fms "
	       "%4.0fms\n",
	       date, v[TXG_NUMBER], v[TXG_SINCE_SYNC] / 1e6, v[TXG_SYNC_TIME] / 1e6,
	       v[TXG_PASS1_SHARE], v[TXG_DIRTY] / (1 << 20), v[TXG_DIRTY_SHARE],
	       v[TXG_THROTTLE] / 1e3, v[TXG_MAX_DELAY] / 1e6, v[TXG_AVG_DELAY] / 1e6);
}

/*
 * Was it there before? A pmlogger that starts again gets once more the records that are
 * kept, with times that differ by microseconds. A pmcd gives each once, with whatever time.
 */
static bool known(struct txgs *t, const struct record *r)
{
	if (!t->archive)
		return false;
	if (r->time <= t->newest)
		return true;
	for (int i = 0; i < RECENT; i++)
		if (t->recent[i].txg == r->values[TXG_NUMBER] &&
		    r->time - t->recent[i].time < SAME && !strcmp(t->recent[i].pool, r->pool))
			return true;
	t->recent[t->nrecent % RECENT].txg = r->values[TXG_NUMBER];
	t->recent[t->nrecent % RECENT].time = r->time;
	strcpy(t->recent[t->nrecent++ % RECENT].pool, r->pool);
	return false;
}

/* Print the records of a fetch. Returns how many there were, of any pool. */
static int print_records(struct txgs *t, pmResult *fetched)
{
	double newest = t->newest;
	pcp_event **records;
	int n = fetched->numpmid == 1 && fetched->vset[0]->numval == 1
			? pmUnpackEventRecords(fetched->vset[0], 0, &records)
			: 0;

	for (int i = 0; i < n; i++) {
		struct record r = { .time = seconds_of(records[i]->timestamp) };

		for (int j = 0; j < records[i]->numpmid; j++)
			read_parameter(t, &r, records[i]->vset[j]);
		if (!known(t, &r) && (!t->pool || !strcmp(t->pool, r.pool)))
			print_record(t, &r);
		newest = r.time > newest ? r.time : newest;
	}
	if (n > 0)
		pmFreeEventResult(records);
	t->newest = newest;
	return n > 0 ? n : 0;
}

/* A pmcd gives at the first fetch what was before; after it, what is new. */
static int run_live(struct txgs *t, const struct options *o)
{
	double seconds = o->collect ? o->collect : o->seconds;
	double begin = clock_time(), next = begin;
	pmResult *r;
	int sts;

	sts = pmFetch(1, &t->events, &r);
	if (sts >= 0)
		pmFreeResult(r);
	while (!stopped && sts >= 0 && (seconds <= 0 || next < begin + seconds)) {
		next += PERIOD;
		if (seconds > 0 && next > begin + seconds)
			next = begin + seconds;
		sleep_until(next, false);
		ask_begins();
		sts = pmFetch(1, &t->events, &r);
		ask_ends();
		if (sts < 0)
			break;
		print_records(t, r);
		flush_output();
		pmFreeResult(r);
	}
	if (sts < 0)
		die(EXIT_NO_DATA, "no event records of txgs: %s", pmErrStr(sts));
	return EXIT_SUCCESS;
}

static int run_archive(struct txgs *t, const struct source *s)
{
	pcp_time start = pcp_time_of(s->start);
	pmResult *r;
	int n = 0;

	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && pmFetch(1, &t->events, &r) >= 0) {
		bool late = seconds_of(r->timestamp) > s->finish;

		if (!late)
			n += print_records(t, r);
		pmFreeResult(r);
		if (late)
			break;
	}
	if (!n)
		die(EXIT_NO_DATA, "%s has no event records of txgs in this time", s->where);
	return EXIT_SUCCESS;
}

int run_txg(struct options *o, struct source *s)
{
	static struct txgs t;
	struct series *series;
	int sts;

	check_module(o, s);
	find_metrics(&t, s);
	t.archive = s->archive;
	t.pool = o->argument;
	series = source_add(s, "estat.txg", READ_BASIC, NULL);
	catch_signals(NULL);
	if (series && source_begin(s)) {
		use_argument(o, series);
		check_selection(o, series);
		if (o->nfilters)
			t.pool = o->filters[0].glob;
	}
	sts = s->archive ? run_archive(&t, s) : run_live(&t, o);
	if (s->archive && !t.lines)
		die(EXIT_NO_DATA, "%s has no txg of the pool %s in this time", s->where, t.pool);
	return sts;
}
