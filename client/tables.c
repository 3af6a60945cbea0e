// SPDX-License-Identifier: GPL-2.0-or-later
/* estat MODULE: print each interval, as tables or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "compat.h"
#include "source/filter.h"
#include "source/modules.h"
#include "source/stats.h"
#include "verbs.h"
#include "view/intervals.h"
#include "view/output.h"

struct run {
	struct options *o;
	struct source *s;
	struct module module;
	struct series *series[MAX_SERIES];
	struct series *counts[MAX_COUNTS];
	struct series *modules; /* the result of source_add_missed(); NULL: none */
};

/*
 * Exit: the source has no latency by size. For an archive the message has two possible reasons:
 * pmlogger did not log it, or the agent did not measure it.
 */
__attribute__((noreturn)) static void has_no_by_size(const struct run *run, const char *prefix)
{
	const struct options *o = run->o;
	const char *module = owner_of(run->s, o->module);

	if (run->s->archive)
		die(EXIT_NO_DATA,
		    "%s has no metric %s.latency_by_size: pmlogger did not log it, or the "
		    "agent had none, which needs latency_by_size = on in the section [%s] of "
		    "estat.conf",
		    run->s->where, prefix, module);
	die(EXIT_NO_DATA,
	    "there is no latency by size of %s: it needs latency_by_size = on in the section [%s] "
	    "of estat.conf",
	    o->name, module);
}

static void add_one(struct run *run, unsigned int i)
{
	const struct options *o = run->o;
	const char *prefix = run->module.series[i].prefix;
	/* percentiles are computed from the histograms that READ_LATENCY and READ_FINE read */
	enum reads reads = READ_BASIC | READ_LATENCY | READ_FINE;
	struct series *series;

	if (o->percentiles || o->sort || o->form != FORM_TABLES)
		reads |= READ_MAX;
	if (o->size)
		reads |= READ_SIZE;
	if (o->by_size)
		reads |= READ_BY_SIZE;
	series = source_require(run->s, prefix, reads, NULL);
	if (o->by_size && !has(series, FIELD_BY_SIZE))
		has_no_by_size(run, prefix);
	/* if keys lack histograms, the percentiles of the row `total` need those over all keys */
	if (o->percentiles || o->form != FORM_TABLES)
		source_add_total(run->s, series);
	run->series[i] = series;
}

/* Has any series of the module a metric of this field? */
static bool any_has(const struct run *run, enum field field)
{
	bool any = false;

	for (unsigned int i = 0; i < run->module.nseries; i++)
		any |= has(run->series[i], field);
	return any;
}

/* Exit (of an archive: print a note) if an option wants `field`, but no series has that field. */
static void check_histogram(const struct run *run, bool wanted, enum field field, const char *what)
{
	if (!wanted || any_has(run, field))
		return;
	if (!run->s->archive)
		die(EXIT_NO_DATA, "%s has no histogram of %s", run->o->name, what);
	note("%s has no histogram of %s of %s", run->s->where, what, run->o->name);
}

static void add_series(struct run *run)
{
	for (unsigned int i = 0; i < run->module.nseries; i++)
		add_one(run, i);
	for (unsigned int i = 0; i < run->module.ncounts; i++)
		run->counts[i] = source_require(run->s, run->module.counts[i].prefix, 0,
						run->module.counts[i].names);
	check_histogram(run, run->o->latency && run->s->archive, FIELD_LATENCY, "latency");
	check_histogram(run, run->o->size, FIELD_SIZE, "size");
	run->modules = source_add_missed(run->s);
}

/* -e: print which metrics would be read, and of which kinds the module's probes are. */
static int explain(const struct run *run)
{
	const struct source *s = run->s;
	struct text *texts;
	unsigned int n = source_texts(run->s, "estat.module.attach", &texts);
	const char *attach = owner_text(texts, n, run->o->module);

	printf("module    %s\nmetrics   of %s %s:", run->o->name, s->archive ? "archive" : "host",
	       source_name(s));
	for (unsigned int i = 0; i < run->module.nseries; i++)
		printf(" %s.*", run->module.series[i].prefix);
	for (unsigned int i = 0; i < run->module.ncounts; i++)
		if (!run->module.nseries ||
		    strcmp(run->module.counts[i].prefix, run->module.series[0].prefix))
			printf(" %s.*", run->module.counts[i].prefix);
	printf("\nprobes    %s\n", attach ? attach : "not known");
	return EXIT_SUCCESS;
}

static void print_head(const struct run *run)
{
	const struct source *s = run->s;

	if (run->o->form != FORM_TABLES)
		return;
	print_date(s->time);
	if (s->archive)
		printf(" Metrics of %s from %s.\n", s->host, s->where);
	else
		puts(" Tracing enabled... Hit Ctrl-C to end.");
	flush_output();
}

/*
 * The counters of things other than operations, such as block allocations, each summed over the
 * keys that the filters match.
 */
static struct counts sum_counts(const struct run *run)
{
	struct counts all = { 0 };

	for (unsigned int i = 0; i < run->module.ncounts; i++) {
		const struct series *series = run->counts[i];
		struct values sum = { .lacks = series_lacks(series) };

		for (unsigned int k = 0; k < series->nkeys; k++)
			if (selected(run->o, series->keys[k]))
				values_add(&sum, &series->keys[k]->values);
		for (int c = 0; run->module.counts[i].names[c]; c++)
			all.counts[all.n++] = (struct count){
				.title = run->module.counts[i].titles[c],
				.value = count(sum.counters[c], &sum, FIELD_COUNTER + c),
			};
	}
	all.all = run->series[0]->layout.nested;
	return all;
}

/* Has the key a row, and does the kernel charge its cgroup with I/O of other cgroups? */
static bool is_charged(const struct run *run, const struct key *key)
{
	return key_axis(key, "cgroup") && key->includes && !values_idle(&key->values) &&
	       selected(run->o, key);
}

/* Name the rows' cgroups that the kernel charges with I/O of other cgroups, each cgroup once. */
static void print_charged(const struct run *run)
{
	const struct series *series = run->series[0];
	bool any = false;

	for (unsigned int k = 0; k < series->nkeys; k++) {
		const struct key *key = series->keys[k];
		const char *cgroup = key_axis(key, "cgroup");
		bool seen = !is_charged(run, key);

		for (unsigned int i = 0; i < k && !seen; i++)
			seen = is_charged(run, series->keys[i]) &&
			       !strcmp(key_axis(series->keys[i], "cgroup"), cgroup);
		if (seen)
			continue;
		printf(" Charged to %s: also the I/O of %s.\n", cgroup, key->includes);
		any = true;
	}
	if (any)
		printf(" See `estat help %s'.\n\n", run->o->name);
}

static void print_interval(void *context, const struct interval *interval)
{
	const struct run *run = context;
	const struct options *o = run->o;
	struct counts counts = sum_counts(run);
	struct rows rows = { 0 };

	for (unsigned int i = 0; i < run->module.nseries; i++)
		rows_add(&rows, o, run->series[i], run->module.series[i].title);
	rows_sort(&rows, o);
	switch (o->form) {
	case FORM_JSON:
		print_json(o, run->s, &rows, &counts, interval);
		break;
	case FORM_LINES:
		print_lines(o, &rows, &counts, interval);
		break;
	case FORM_TABLES:
		print_measured(interval);
		print_tables(o, &rows, &counts, interval->seconds);
		print_charged(run);
		if (o->monitor)
			print_date(interval->end);
	}
	rows_free(&rows);
	flush_output();
	note_missed(run->s, run->modules);
}

/*
 * If the command line gives no interval, set the default: of a host layout.every, repeated as with
 * -m; of an archive the time window or, with -m, the time from one moment to the next. Exits if the
 * source is a host and layout.every is 0.
 */
static void set_period(struct run *run)
{
	struct options *o = run->o;
	double every = run->series[0]->layout.every;

	if (o->seconds)
		return;
	if (!run->s->archive && !every)
		die(EXIT_USAGE, "the duration is missing\nTry `%s -h'.", pmGetProgname());
	if (!run->s->archive || o->monitor)
		o->seconds = run->s->archive ? EACH_RECORD : every;
	o->monitor |= !run->s->archive;
}

int run_table(struct options *o, struct source *s, const struct module *m)
{
	struct run run = { .o = o, .s = s, .module = *m };

	add_series(&run);
	set_period(&run);
	if (o->explain)
		return explain(&run);
	if (run.series[0]->layout.nested) {
		refuse_options(o, "t", "its rows are parts of one another");
		o->total = false;
	}
	catch_signals(NULL);
	if (!source_begin(s))
		source_has_nothing(s->where, o->name);
	use_argument(o, run.series[0]);
	check_selection(o, s, run.series[0]);
	print_head(&run);
	if (!print_intervals(o, s, print_interval, &run) && flush_output())
		die(EXIT_NO_DATA, "there is no interval to show");
	return EXIT_SUCCESS;
}
