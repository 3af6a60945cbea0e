// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs that are a table of a module's keys: zio, backend-io and all those that
 * have no file of their own; and what is common to the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "programs.h"

/* Programs that are not a module's table. */
static const struct program {
	const char *name;
	bool needs_duration;
	int (*run)(struct options *o, struct source *s);
} programs[] = {
	{ "list", false, run_list },
};

static const struct program *find_program(const struct options *o)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, o->module))
			return &programs[i];
	return NULL;
}

bool program_needs_duration(const struct options *o)
{
	const struct program *p = find_program(o);

	return p ? p->needs_duration : !o->heat;
}

/* Has the name space anything below that name? */
static bool has_children(const char *name)
{
	char **children;
	int n = pmGetChildren(name, &children);

	if (n > 0)
		free(children);
	return n > 0;
}

void check_agent(const struct source *s)
{
	if (has_children("estat"))
		return;
	if (s->archive)
		die(EXIT_NO_DATA,
		    "the archive %s has nothing of estat: its pmlogger was not told to log it; "
		    "see estat(1), ARCHIVES",
		    s->where);
	die(EXIT_NO_DATA,
	    "pmcd on %s has no agent estat\nTo install it run ./Install there, in estat's source "
	    "or in $PCP_PMDAS_DIR/estat.",
	    s->host);
}

static const char *text_of(const struct text *texts, unsigned int n, const char *instance)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(texts[i].instance, instance))
			return texts[i].value;
	return NULL;
}

/* The modules that there are, as "a, b"; those of an archive may have no status. */
static char *known_modules(const struct text *modules, unsigned int n)
{
	char *text = NULL, **children;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));
	int nchildren = n ? 0 : pmGetChildren("estat", &children);
	const char *separator = "";

	for (unsigned int i = 0; i < n; i++, separator = ", ")
		fprintf(f, "%s%s", separator, modules[i].instance);
	for (int i = 0; i < nchildren; i++) {
		if (!strcmp(children[i], "agent") || !strcmp(children[i], "module"))
			continue;
		fprintf(f, "%s%s", separator, children[i]);
		separator = ", ";
	}
	if (nchildren > 0)
		free(children);
	fclose(f);
	return or_die(text);
}

void check_module(const struct options *o, struct source *s)
{
	char *module = or_die(strndup(o->module, strcspn(o->module, ".")));
	struct text *statuses, *errors;
	unsigned int n, nerrors;
	const char *status;
	char *prefix = NULL;

	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	status = text_of(statuses, n, module);
	if (asprintf(&prefix, "estat.%s", module) < 0)
		or_die(NULL);
	if (!status && !has_children(prefix))
		die(s->archive ? EXIT_NO_DATA : EXIT_USAGE, "%s has no program %s; it has: %s",
		    s->archive ? s->where : s->host, o->program, known_modules(statuses, n));
	if (status && !s->archive && strcmp(status, "running")) {
		const char *error = text_of(errors, nerrors, module);

		die(EXIT_NO_DATA, "%s does not run on %s: %s%s%s", o->program, s->host, status,
		    error && *error ? ": " : "", error ? error : "");
	}
	free(prefix);
	free(module);
}

/* What -a says, once the axes are known. */
static void use_argument(struct options *o, const struct series *series)
{
	bool disk = false, pool = false;

	if (!o->argument)
		return;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		disk |= key_axis(series->keys[k], "disk") != NULL;
		pool |= key_axis(series->keys[k], "pool") != NULL;
	}
	if (disk && !strcmp(o->argument, "lun"))
		o->by_disk = true;
	else if (disk || (series->nkeys && !pool))
		die(EXIT_USAGE, "%s takes no -a %s%s", o->program, o->argument,
		    disk ? ", but -a lun" : "");
	else
		select_pool(o);
}

void select_pool(struct options *o)
{
	if (o->argument && o->nfilters < MAX_FILTERS)
		o->filters[o->nfilters++] = (struct filter){ "pool", o->argument };
}

static struct series *add_series(const struct options *o, struct source *s)
{
	enum reads reads = READ_BASIC;
	struct series *series;
	char *prefix = NULL;

	/* percentiles are of the histogram */
	reads |= READ_LATENCY;
	if (o->size)
		reads |= READ_SIZE;
	if (o->by_size)
		reads |= READ_BY_SIZE;
	if (asprintf(&prefix, "estat.%s", o->module) < 0)
		or_die(NULL);
	series = source_add(s, prefix, reads, NULL);
	if (!series)
		die(EXIT_NO_DATA, "%s has no metrics %s.ops", s->where, prefix);
	if (o->by_size && !series->has_by_size)
		die(EXIT_NO_DATA,
		    "there is no latency by size of %s: it needs latency_by_size = on in the "
		    "section [%s] of estat.conf",
		    o->program, o->module);
	free(prefix);
	return series;
}

/* -e: what would be read */
static int explain(const struct options *o, struct source *s)
{
	struct text *texts;
	unsigned int n = source_texts(s, "estat.module.attach", &texts);
	const char *attach = text_of(texts, n, o->module);

	printf("program   %s\nmetrics   of %s %s:", o->program, s->archive ? "archive" : "host",
	       s->archive ? s->where : s->host);
	for (unsigned int i = 0; i < s->nseries; i++)
		printf(" %s.*", s->series[i]->prefix);
	printf("\nprobes    %s\n", attach ? attach : "not known");
	return EXIT_SUCCESS;
}

/* Warn if events were lost in the interval. */
static void warn_of_lost(const struct options *o, const struct series *modules)
{
	for (unsigned int k = 0; modules && k < modules->nkeys; k++) {
		const struct key *key = modules->keys[k];
		size_t length = strlen(key->name);

		if (strncmp(o->module, key->name, length) ||
		    (o->module[length] && o->module[length] != '.'))
			continue;
		if (key->values.counters[0])
			note("WARNING: %s did not measure %" PRIu64 " events", key->name,
			     key->values.counters[0]);
		if (key->values.counters[1])
			note("WARNING: %s dropped %" PRIu64 " events", key->name,
			     key->values.counters[1]);
	}
}

static void print_date(double seconds)
{
	char text[64];

	print_time(text, sizeof(text), "%D - %H:%M:%S %Z", seconds);
	printf("%s\n\n", text);
}

static void print_head(const struct options *o, const struct source *s)
{
	if (o->lines || o->json)
		return;
	print_date(s->time);
	if (s->archive)
		printf(" Metrics of %s from %s.\n", s->host, s->where);
	else
		puts(" Tracing enabled... Hit Ctrl-C to end.");
	fflush(stdout);
}

static void print_interval(const struct options *o, const struct source *s,
			   const struct series *series, const struct interval *interval)
{
	struct rows rows;

	rows_make(&rows, o, series);
	if (o->json) {
		print_json(o, s, series, &rows, interval);
	} else if (o->lines) {
		print_lines(o, series, &rows, interval);
	} else {
		print_tables(o, series, &rows, interval->seconds);
		if (o->monitor)
			print_date(interval->end);
	}
	rows_free(&rows);
	fflush(stdout);
}

/* How long an interval is; of an archive without a DURATION all, or a record. */
static double step_of(const struct options *o)
{
	return o->seconds ? o->seconds : o->monitor ? 1e-6 : 0;
}

static int run_table(struct options *o, struct source *s)
{
	static const char *const lost[] = { "missed", "dropped", NULL };
	struct series *series = add_series(o, s), *modules;
	struct interval sum = { 0 };
	int steps = 0, printed = 0;

	if (o->explain)
		return explain(o, s);
	modules = source_add(s, "estat.module", 0, lost);
	if (!source_begin(s))
		die(EXIT_NO_DATA, "%s has nothing of %s in this time", s->where, o->program);
	use_argument(o, series);
	check_selection(o, series);
	print_head(o, s);
	sum.begin = s->time;
	do {
		struct interval interval;
		enum outcome outcome;

		if (!o->accumulate) {
			source_clear(s);
			sum = (struct interval){ .begin = s->time };
		}
		outcome = source_step(s, step_of(o), &interval);
		if (outcome == INTERVAL_END)
			break;
		sum.seconds += interval.seconds;
		sum.end = interval.end;
		if (outcome == INTERVAL_OK && sum.seconds > 0) {
			print_interval(o, s, series, &sum);
			warn_of_lost(o, modules);
			printed++;
		}
		steps++;
	} while (o->monitor && !stopped && (!o->samples || steps < o->samples));
	if (!printed)
		note("there is no interval to show");
	return printed ? EXIT_SUCCESS : EXIT_NO_DATA;
}

int program_run(struct options *o, struct source *s)
{
	const struct program *p = find_program(o);

	if (p && !o->heat)
		return p->run(o, s);
	check_module(o, s);
	return run_table(o, s);
}
