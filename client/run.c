// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a program that is a table: print each interval.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "output.h"
#include "programs.h"
#include "runs.h"
#include "signals.h"

/* A program that runs. */
struct run {
	struct options *o;
	struct source *s;
	const struct program *p;
	struct series *parts[MAX_PARTS];
	unsigned int nparts;
	struct series *counts;  /* NULL: none */
	struct series *modules; /* what they lost */
};

static void add_parts(struct run *run)
{
	const struct options *o = run->o;
	enum reads reads = READ_BASIC | READ_LATENCY | READ_FINE; /* for percentiles */

	if (o->percentiles || o->sort || o->form != FORM_TABLES)
		reads |= READ_MAX;
	if (o->size)
		reads |= READ_SIZE;
	if (o->by_size)
		reads |= READ_BY_SIZE;
	while (run->nparts < MAX_PARTS && run->p->parts[run->nparts].prefix) {
		const char *prefix = run->p->parts[run->nparts].prefix;
		struct series *series = source_add(run->s, prefix, reads, NULL);

		if (!series)
			die(EXIT_NO_DATA, "%s has no metrics %s.ops", run->s->where, prefix);
		if (o->size && !has(series, FIELD_SIZE))
			die(EXIT_NO_DATA, "there is no size of %s: %s has no metric %s.size", o->program,
			    run->s->where, prefix);
		if (o->by_size && !has(series, FIELD_BY_SIZE))
			die(EXIT_NO_DATA,
			    "there is no latency by size of %s: it needs latency_by_size = on in "
			    "the section [%s] of estat.conf",
			    o->program, o->module);
		run->parts[run->nparts++] = series;
	}
	if (run->p->counts)
		run->counts = source_add(run->s, run->p->counts, 0, run->p->counters);
}

/* -e: what would be read */
static int explain(const struct run *run)
{
	const struct source *s = run->s;
	struct text *texts;
	unsigned int n = source_texts(run->s, "estat.module.attach", &texts);
	const char *attach = text_of(texts, n, run->o->module);

	printf("program   %s\nmetrics   of %s %s:", run->o->program,
	       s->archive ? "archive" : "host", s->archive ? s->where : s->host);
	for (unsigned int i = 0; i < s->nseries; i++)
		printf(" %s.*", s->series[i]->prefix);
	printf("\nprobes    %s\n", attach ? attach : "not known");
	return EXIT_SUCCESS;
}

/* Warn if events were lost in the interval. */
static void warn_of_lost(const struct run *run)
{
	for (unsigned int k = 0; run->modules && k < run->modules->nkeys; k++) {
		const struct key *key = run->modules->keys[k];
		size_t length = strlen(key->name);

		if (strncmp(run->o->module, key->name, length) ||
		    (run->o->module[length] && run->o->module[length] != '.'))
			continue;
		if (key->values.counters[0])
			note("WARNING: %s did not measure %" PRIu64 " events", key->name,
			     key->values.counters[0]);
		if (key->values.counters[1])
			note("WARNING: %s dropped %" PRIu64 " events", key->name,
			     key->values.counters[1]);
	}
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

/* Counters that are no operations: "block allocations    : 12" */
static void print_counts(const struct run *run)
{
	struct values sum = { 0 };

	if (!run->counts || !run->o->summary)
		return;
	for (unsigned int k = 0; k < run->counts->nkeys; k++)
		if (selected(run->o, run->counts->keys[k]))
			values_add(&sum, &run->counts->keys[k]->values);
	for (int i = 0; run->p->counters[i]; i++)
		printf("%-20s : %" PRIu64 "\n", run->p->counter_titles[i], sum.counters[i]);
	putchar('\n');
}

/* Of how much of the time what follows is, if not of all. */
static void print_measured(const struct interval *interval)
{
	if (interval->left_out > 0)
		printf(" Measured %.1f s of %.1f s; the rest is left out.\n", interval->seconds,
		       interval->seconds + interval->left_out);
}

static void print_interval(const struct run *run, const struct interval *interval)
{
	const struct options *o = run->o;
	struct rows rows = { 0 };

	for (unsigned int i = 0; i < run->nparts; i++)
		rows_add(&rows, o, run->parts[i], run->p->parts[i].title);
	rows_sort(&rows, o);
	switch (o->form) {
	case FORM_JSON:
		print_json(o, run->s, &rows, interval);
		break;
	case FORM_LINES:
		print_lines(o, &rows, interval);
		break;
	case FORM_TABLES:
		print_measured(interval);
		print_counts(run);
		print_tables(o, &rows, interval->seconds);
		if (o->monitor)
			print_date(interval->end);
	}
	rows_free(&rows);
	flush_output();
}

/*
 * How long an interval is. Of an archive without a DURATION it is all of it, or with -m
 * what is between two records.
 */
static void set_period(struct run *run)
{
	struct options *o = run->o;

	if (o->seconds)
		return;
	if (o->collect) {
		o->seconds = o->collect;
	} else if (!run->s->archive) {
		o->seconds = run->p->period;
		o->monitor = true;
	} else if (o->monitor) {
		o->seconds = EACH_RECORD;
	}
}

/* Print intervals until they end. Returns how many. */
static int print_intervals(const struct run *run)
{
	const struct options *o = run->o;
	struct interval sum = { .begin = run->s->time };
	int steps = 0, printed = 0;

	do {
		struct interval interval;
		enum outcome outcome;

		if (!o->accumulate) {
			source_clear(run->s);
			sum = (struct interval){ .begin = run->s->time };
		}
		outcome = source_step(run->s, o->seconds, &interval);
		if (outcome == INTERVAL_END)
			break;
		sum.seconds += interval.seconds;
		sum.left_out += interval.left_out;
		sum.end = interval.end;
		if (outcome == INTERVAL_OK && sum.seconds > 0) {
			print_interval(run, &sum);
			warn_of_lost(run);
			printed++;
		}
		steps++;
	} while (o->monitor && !stopped && flush_output() && (!o->samples || steps < o->samples));
	return printed;
}

int run_table(struct options *o, struct source *s)
{
	static const char *const lost[] = { "missed", "dropped", NULL };
	struct run run = { .o = o, .s = s, .p = find_program(o) };

	check_module(o, s);
	add_parts(&run);
	if (o->explain)
		return explain(&run);
	run.modules = source_add(s, "estat.module", 0, lost);
	set_period(&run);
	if (run.p->period) /* its rows are parts of one another */
		o->total = false;
	catch_signals(NULL);
	if (!source_begin(s))
		die(EXIT_NO_DATA, "%s has nothing of %s in this time", s->where, o->program);
	use_argument(o, run.parts[0]);
	check_selection(o, run.parts[0]);
	print_head(&run);
	if (!print_intervals(&run) && flush_output())
		die(EXIT_NO_DATA, "there is no interval to show");
	return EXIT_SUCCESS;
}
