// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print event records of a module, one line each: by the module's layout or, with -j and --json, as
 * a JSON object.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "compat.h"
#include "source/filter.h"
#include "source/records.h"
#include "verbs.h"
#include "view/output.h"

/*
 * PERIOD: seconds between two fetches from a pmcd. LEGEND: how many records are printed below each
 * heading.
 */
#define PERIOD 1
#define LEGEND 30

struct events {
	struct options *o;
	struct source *s;
	const char *legend;
	/* the format of a line; points into `legend`, behind the heading */
	const char *line;
	struct records records;
	struct series seen; /* keys of an archive's records from the time window's begin on */
	bool pools;         /* records of several pools can be printed: add the pool to each line */
	int printed;
};

/*
 * Print a record's value of one parameter as e->line wants it: `text` is in e->line, behind a "{",
 * and begins with NAME}, NAME:WIDTH} or NAME:WIDTH/DIVISOR}. NAME `date` is the record's time.
 */
static void print_parameter(const struct events *e, const struct record *r, const char *text)
{
	char name[64], date[64];
	double divisor = 1;
	const char *value;
	char *end;
	int width = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":}"), text);
	text += strlen(name);
	if (*text == ':') {
		width = strtol(text + 1, &end, 10);
		divisor = *end == '/' ? strtod(end + 1, NULL) : 1;
	}
	if (!strcmp(name, "date")) {
		print_time(date, sizeof(date), "%a %b %e %H:%M:%S %Y", r->time);
		printf("%*s", width, date);
		return;
	}
	value = record_text(&e->records, r, name);
	if (*value && strspn(value, "0123456789.eE+-") == strlen(value))
		printf("%*.0f", width, strtod(value, NULL) / divisor);
	else
		print_aligned(*value ? value : "-", width);
}

static void print_line(struct events *e, const struct record *r)
{
	if (e->printed % LEGEND == 0)
		printf("%.*s", (int)(e->line - e->legend), e->legend);
	for (const char *p = e->line; *p; p++) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;

		if (end)
			print_parameter(e, r, p + 1);
		else
			putchar(*p);
		p = end ? end : p;
	}
	if (e->pools)
		printf(" %s", record_text(&e->records, r, "pool"));
	putchar('\n');
}

/*
 * Print an event record as a JSON object. A parameter that the record lacks is null. With -j all
 * other values are strings.
 */
static void print_object(const struct events *e, const struct record *r)
{
	bool lines = e->o->form == FORM_LINES;
	struct json j = lines ? line_begin(r->time) : document_begin(e->o->name, e->s->host);

	if (!lines)
		json_put_number(&j, "time", "%.6f", r->time);
	for (unsigned int i = 0; i < e->records.nparameters; i++) {
		const struct parameter *p = &e->records.parameters[i];

		if (lines || !r->texts[i] || p->desc.type == PM_TYPE_STRING)
			json_put_string(&j, p->name, r->texts[i]);
		else
			json_put_raw(&j, p->name, r->texts[i]);
	}
	document_end(&j);
}

/* Is the record in the time window, and do the filters match the record? */
static bool is_selected(const struct events *e, const struct record *r)
{
	return r->time >= e->records.begin && r->time <= e->records.end &&
	       record_matches(&e->records, r, e->o);
}

/* Are as many records printed as --samples wants, or can the output not be written? */
static bool is_done(const struct events *e)
{
	return !flush_output() || (e->o->samples && e->printed >= e->o->samples);
}

static bool print_record(void *context, const struct record *r)
{
	struct events *e = context;

	if (!is_selected(e, r))
		return true;
	if (e->o->form == FORM_TABLES)
		print_line(e, r);
	else
		print_object(e, r);
	e->printed++;
	return !is_done(e);
}

/* Add the key of an event record to e->seen, if e->seen does not have the key. */
static bool add_key(void *context, const struct record *r)
{
	struct events *e = context;
	struct series *series = &e->seen;
	char *name = record_texts(&e->records, r, true);
	struct key *key;

	for (unsigned int k = 0; k < series->nkeys; k++)
		if (!strcmp(series->keys[k]->name, name)) {
			free(name);
			return true;
		}
	key = xalloc(calloc(1, sizeof(*key)));
	key->name = name;
	for (unsigned int i = 0; i < series->layout.naxes; i++) {
		char *axis = series->layout.axes[i];

		key->axes[key->naxes++] =
			(struct axis){ axis, xalloc(strdup(record_text(&e->records, r, axis))) };
	}
	series->keys = grow(series->keys, series->nkeys, sizeof(*series->keys));
	series->keys[series->nkeys++] = key;
	return true;
}

/* Print records until is_done(), a signal, or the end of the time window or of DURATION. */
static void run_live(struct events *e)
{
	double next = clock_time(), end = e->o->seconds > 0 ? next + e->o->seconds : INFINITY;

	while (!stopped && !is_done(e) && source_end(e->s) > clock_time() && next < end) {
		next = fmin(next + PERIOD, end);
		sleep_until(fmin(next, source_end(e->s)), false);
		records_fetch(&e->records, print_record, e);
	}
}

/*
 * Read from the begin of the time window on. Records of events in the window cannot be earlier in
 * the archive, as pmlogger logs a record after its event.
 */
static void rewind_archive(const struct events *e)
{
	pcp_time start = pcp_time_of(e->s->start);

	pmSetMode(PM_MODE_FORW, &start, 0);
}

static void run_archive(struct events *e)
{
	int sts = 0;

	rewind_archive(e);
	while (!stopped && !is_done(e) && e->records.newest <= e->records.end && sts >= 0)
		sts = records_fetch(&e->records, print_record, e);
	if (sts < 0)
		source_read_failed(e->s, sts, e->records.moment);
	if (!e->printed && !ferror(stdout))
		die(EXIT_NO_DATA,
		    "%s has no event record of %s, or none that is selected, in this time",
		    e->s->where, e->o->name);
}

/* Find the keys of an archive's event records. Axes are the parameters that are strings. */
static void find_keys(struct events *e)
{
	struct layout *layout = &e->seen.layout;
	const struct records begin = e->records;

	e->seen.prefix = (char *)e->o->name;
	for (unsigned int i = 0; i < begin.nparameters && layout->naxes < MAX_AXES; i++)
		if (begin.parameters[i].desc.type == PM_TYPE_STRING)
			layout->axes[layout->naxes++] = begin.parameters[i].name;
	rewind_archive(e);
	silent = true;
	while (!stopped && records_fetch(&e->records, add_key, e) >= 0)
		;
	silent = false;
	e->records = begin;
}

/* Do the filters select records of more than one pool? */
static bool has_pools(const struct options *o, const struct series *series)
{
	const char *first = NULL;

	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *pool = key_axis(series->keys[k], "pool");

		if (!pool || !selected(o, series->keys[k]))
			continue;
		if (first && strcmp(first, pool))
			return true;
		first = pool;
	}
	return false;
}

int run_events(struct options *o, struct source *s, const struct module *m)
{
	static struct events e;
	struct series *series = NULL;

	refuse_options(o, "MlLzZqQyYtTPSB", "it prints event records");
	e.o = o;
	e.s = s;
	e.legend = m->events;
	e.line = strrchr(m->events, '\n');
	e.line = e.line ? e.line + 1 : m->events;
	records_find(&e.records, s, o->module);
	e.records.name = o->name;
	if (o->explain) {
		printf("module    %s\nmetrics   of %s %s: estat.%s.events\n", o->name,
		       s->archive ? "archive" : "host", source_name(s), o->module);
		return EXIT_SUCCESS;
	}
	e.records.begin = s->archive && (o->window || o->seconds) ? s->start : 0;
	e.records.end = s->archive ? s->finish : INFINITY;
	if (s->archive && o->seconds)
		e.records.end = fmin(e.records.end, s->start + o->seconds);
	catch_signals(NULL);
	if (s->archive) {
		find_keys(&e);
		series = &e.seen;
		/* this fetch gets the records from before the command began, and drops them */
	} else if (records_fetch(&e.records, NULL, NULL) < 0) {
		return EXIT_NO_DATA;
	} else if (m->nseries) {
		series = source_add(s, m->series[0].prefix, READ_BASIC, NULL);
		source_begin(s);
	}
	if (series) {
		use_argument(o, series);
		check_selection(o, s, series);
		e.pools = has_pools(o, series);
	}
	if (s->archive)
		run_archive(&e);
	else
		run_live(&e);
	return EXIT_SUCCESS;
}
