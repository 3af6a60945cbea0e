// SPDX-License-Identifier: GPL-2.0-or-later
/* Print event records of a module, one line each, by the module's layout. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "compat.h"
#include "source/filter.h"
#include "verbs.h"
#include "view/output.h"

/* Seconds between two fetches from a pmcd; number of printed records between two headings. */
#define PERIOD 1
#define LEGEND 30

/* Number of earlier records with which is_repeated() compares a record. */
#define RECENT         16
#define TOLERANCE      0.001 /* seconds by which the times of a repeated record can differ */

#define MAX_PARAMETERS 32

struct parameter {
	char *name;
	pmID pmid;
	pmDesc desc;
};

struct events {
	struct options *o;
	struct source *s;
	const char *legend;
	const char *line; /* the end of `legend`, after the heading: the format of a line */
	pmID pmids[2];    /* estat.MODULE.events, and estat.agent.start if npmids is 2 */
	pmID missed;      /* event.missed, libpcp's count of overwritten records */
	int npmids;
	unsigned int nparameters;
	struct parameter parameters[MAX_PARAMETERS];
	struct series seen; /* the keys of all records of an archive */
	bool pools;         /* records of several pools can be printed: add the pool to each line */
	double start;       /* date of the begin of an archive's time window */
	double begin, end;  /* only records with times from `begin` to `end` are printed */
	double newest;      /* time of the newest record of all earlier fetches */
	struct {
		char *text;
		double time;
	} recent[RECENT]; /* ring: the last records that were read */
	unsigned int nrecent;
	int printed;
	bool no_answer;  /* the user was told that pmcd or the agent did not answer */
	bool again;      /* reconnected to pmcd: the next fetch repeats all records in the agent */
	double moment;   /* time of the last fetch that had pmids[0], even without records; or 0 */
	uint64_t began;  /* value of estat.agent.start; 0: not known */
	const char *gap; /* why records since `moment` may be missing; or NULL */
};

struct record {
	double time;
	char *texts[MAX_PARAMETERS]; /* values by parameter; NULL: the record lacks the parameter */
	uint32_t lost; /* 0: an event record; else libpcp's note that this many were overwritten */
};

static void find_parameters(struct events *e)
{
	char **names, prefix[128];
	const char *name = prefix, *start = "estat.agent.start";
	int n;

	snprintf(prefix, sizeof(prefix), "estat.%s.events", e->o->module);
	pmLookupName(1, &name, &e->pmids[0]);
	e->npmids = pmLookupName(1, &start, &e->pmids[1]) < 0 ? 1 : 2;
	snprintf(prefix, sizeof(prefix), "estat.%s.event", e->o->module);
	n = pmGetChildren(prefix, &names);
	if (n < 0)
		die(EXIT_NO_DATA, "%s has no metric %s.*", e->s->where, prefix);
	for (int i = 0; i < n && e->nparameters < MAX_PARAMETERS; i++) {
		struct parameter *p = &e->parameters[e->nparameters];

		snprintf(prefix, sizeof(prefix), "estat.%s.event.%s", e->o->module, names[i]);
		if (pmLookupName(1, &name, &p->pmid) != 1 || pmLookupDesc(p->pmid, &p->desc) < 0)
			die(EXIT_NO_DATA, "%s has no metric %s", e->s->where, prefix);
		p->name = xalloc(strdup(names[i]));
		e->nparameters++;
	}
	free(names);
}

/* The only value of a metric in a fetch or record. False: the metric has none, or several. */
static bool only_value(const pmValueSet *set, int type, pmAtomValue *atom)
{
	return set->numval == 1 &&
	       pmExtractValue(set->valfmt, &set->vlist[0], type, atom, type) >= 0;
}

static struct record read_record(const struct events *e, const pcp_event *event)
{
	struct record r = { .time = seconds_of(event->timestamp) };

	for (int j = 0; j < event->numpmid; j++) {
		const pmValueSet *set = event->vset[j];
		pmAtomValue atom;

		if (set->pmid == e->missed && only_value(set, PM_TYPE_U32, &atom))
			r.lost = atom.ul;
		for (unsigned int i = 0; i < e->nparameters; i++) {
			const struct parameter *p = &e->parameters[i];

			if (set->pmid != p->pmid || !only_value(set, p->desc.type, &atom))
				continue;
			r.texts[i] = p->desc.type == PM_TYPE_STRING
					     ? atom.cp
					     : xalloc(strdup(pmAtomStr(&atom, p->desc.type)));
		}
	}
	return r;
}

static void free_record(const struct events *e, struct record *r)
{
	for (unsigned int i = 0; i < e->nparameters; i++)
		free(r->texts[i]);
}

static const char *text_of_parameter(const struct events *e, const struct record *r,
				     const char *name)
{
	for (unsigned int i = 0; i < e->nparameters; i++)
		if (!strcmp(e->parameters[i].name, name))
			return r->texts[i] ? r->texts[i] : "";
	return "";
}

/* Print a record's value for a field "name:width/divisor}" of e->line. */
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
	value = text_of_parameter(e, r, name);
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
		printf(" %s", text_of_parameter(e, r, "pool"));
	putchar('\n');
}

/* Print an event record as a JSON object. With -j all values are strings. */
static void print_object(const struct events *e, const struct record *r)
{
	bool lines = e->o->form == FORM_LINES;
	struct json j = lines ? line_begin(r->time) : document_begin(e->o->name, e->s->host);

	if (!lines)
		json_put_number(&j, "time", "%.6f", r->time);
	for (unsigned int i = 0; i < e->nparameters; i++) {
		const struct parameter *p = &e->parameters[i];

		if (lines || !r->texts[i] || p->desc.type == PM_TYPE_STRING)
			json_put_string(&j, p->name, r->texts[i]);
		else
			json_put_raw(&j, p->name, r->texts[i]);
	}
	document_end(&j);
}

/* A record's values (`strings`: only those that are strings) in one text; the caller frees it. */
static char *joined(const struct events *e, const struct record *r, bool strings)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < e->nparameters; i++)
		if (!strings || e->parameters[i].desc.type == PM_TYPE_STRING)
			fprintf(f, "%s\n", r->texts[i] ? r->texts[i] : "");
	fclose(f);
	return text;
}

/*
 * Was this record read before? A restarted pmlogger logs for a second time all records that the
 * agent keeps, with times that differ by microseconds. After this command has reconnected to pmcd,
 * pmcd sends again all records that the agent keeps. Otherwise pmcd sends each record once.
 */
static bool is_repeated(struct events *e, const struct record *r)
{
	bool again = e->s->archive || e->again;
	char *text;

	if (again && r->time <= e->newest)
		return true;
	text = joined(e, r, false);
	for (int i = 0; again && i < RECENT; i++)
		if (e->recent[i].text && r->time - e->recent[i].time < TOLERANCE &&
		    !strcmp(e->recent[i].text, text)) {
			free(text);
			return true;
		}
	free(e->recent[e->nrecent % RECENT].text);
	e->recent[e->nrecent % RECENT].text = text;
	e->recent[e->nrecent++ % RECENT].time = r->time;
	return false;
}

static bool in_window(const struct events *e, const struct record *r)
{
	return r->time >= e->begin && r->time <= e->end;
}

/* Is the record in the time window, and do the filters match the record? */
static bool is_selected(const struct events *e, const struct record *r)
{
	const struct options *o = e->o;

	if (!in_window(e, r))
		return false;
	for (unsigned int i = 0; i < o->nfilters; i++) {
		const char *axis = o->filters[i].axis;
		bool matches = false;

		for (unsigned int j = 0; j < o->nfilters; j++)
			matches |= !strcmp(o->filters[j].axis, axis) &&
				   !fnmatch(o->filters[j].glob, text_of_parameter(e, r, axis), 0);
		if (!matches)
			return false;
	}
	return true;
}

/* Are as many records printed as --samples wants, or can the output not be written? */
static bool is_done(const struct events *e)
{
	return !flush_output() || (e->o->samples && e->printed >= e->o->samples);
}

typedef void take_record(struct events *e, const struct record *r);

/* Call `take` for each record of a fetch, then set e->newest to the newest record's time. */
static void take_records(struct events *e, const pmResult *fetched, take_record *take)
{
	const char *missed = "event.missed";
	double newest = e->newest;
	pcp_event **records;
	int n = fetched->numpmid == e->npmids && fetched->vset[0]->numval == 1
			? pmUnpackEventRecords(fetched->vset[0], 0, &records)
			: 0;

	if (n > 0 && !e->missed && pmLookupName(1, &missed, &e->missed) < 0)
		e->missed = PM_ID_NULL;
	for (int i = 0; i < n && !is_done(e); i++) {
		struct record r = read_record(e, records[i]);

		take(e, &r);
		newest = fmax(newest, r.time);
		free_record(e, &r);
	}
	e->newest = newest;
	if (n > 0)
		pmFreeEventResult(records);
}

/* Warn of overwritten records, whatever the filters: the values of these records are not known. */
static void warn_of_lost_records(const struct events *e, const struct record *r)
{
	char time[64];

	print_time(time, sizeof(time), "%D - %H:%M:%S %Z", r->time);
	note("WARNING: %u event records of %s before %s were overwritten before they were read",
	     r->lost, e->o->name, time);
}

/* Remember a record, so that is_repeated() knows the record, but do not print it. */
static void remember_record(struct events *e, const struct record *r)
{
	if (!r->lost)
		is_repeated(e, r);
}

/* Print a record, if it is new, in the time window and selected by the filters. */
static void print_record(struct events *e, const struct record *r)
{
	if (r->lost) {
		if (in_window(e, r) && (!e->s->archive || r->time > e->newest))
			warn_of_lost_records(e, r);
	} else if (!is_repeated(e, r) && is_selected(e, r)) {
		if (e->o->form == FORM_TABLES)
			print_line(e, r);
		else
			print_object(e, r);
		e->printed++;
	}
}

/* Add the key of an event record to e->seen, if e->seen does not have the key. */
static void add_key(struct events *e, const struct record *r)
{
	struct series *series = &e->seen;
	char *name = joined(e, r, true);
	bool known = r->lost;
	struct key *key;

	for (unsigned int k = 0; !known && k < series->nkeys; k++)
		known = !strcmp(series->keys[k]->name, name);
	if (known) {
		free(name);
		return;
	}
	key = xalloc(calloc(1, sizeof(*key)));
	key->name = name;
	for (unsigned int i = 0; i < series->layout.naxes; i++) {
		char *axis = series->layout.axes[i];
		char *value = xalloc(strdup(text_of_parameter(e, r, axis)));

		key->axes[key->naxes++] = (struct axis){ axis, value };
	}
	series->keys = xalloc(realloc(series->keys, (series->nkeys + 1) * sizeof(*series->keys)));
	series->keys[series->nkeys++] = key;
}

static int fetch(struct events *e, pmResult **r)
{
	int sts;

	blocking_begin();
	sts = pmFetch(e->npmids, e->pmids, r);
	if (sts < 0 && !e->s->archive)
		pmReconnectContext(e->s->context);
	blocking_end();
	return sts;
}

/* Report, once per outage, that pmcd or the agent does not answer. */
static void check_answer(struct events *e, const char *server, int sts)
{
	if (sts < 0 && !e->no_answer)
		note("no event records of %s: %s did not answer: %s", e->o->name, server,
		     pmErrStr(sts));
	e->no_answer = sts < 0;
}

/* The value of estat.agent.start in a fetch, or 0. */
static uint64_t agent_began(const struct events *e, const pmResult *r)
{
	pmAtomValue atom;

	return e->npmids > 1 && only_value(r->vset[1], PM_TYPE_U64, &atom) ? atom.ull : 0;
}

/* Report the time for which records may be missing, and why. */
static void check_gap(struct events *e, const pmResult *r)
{
	double now = seconds_of(r->timestamp);
	uint64_t began;
	char span[160];

	if (r->numpmid != e->npmids) { /* a mark record of pmlogger */
		e->gap = "the archive has a gap";
		return;
	}
	began = agent_began(e, r);
	if (began && e->began && began != e->began) {
		e->gap = "estat's agent has restarted";
		e->again = false; /* a new agent has only new records */
	}
	e->began = began ? began : e->began;
	if (r->vset[0]->numval != 1)
		return;
	if (e->gap && e->moment > 0 && e->moment <= e->end && now >= e->begin) {
		print_span(span, sizeof(span), e->moment, now);
		note("event records of %s may be missing from %s: %s", e->o->name, span, e->gap);
	}
	e->gap = NULL;
	e->moment = now;
}

/* Fetch the records that are new for this client. Returns false if pmcd does not answer. */
static bool take_live(struct events *e, take_record *take)
{
	pmResult *r;
	int sts = fetch(e, &r);

	if (sts < 0) {
		check_answer(e, "pmcd", sts);
		e->gap = "pmcd did not answer";
		e->again = true;
		return false;
	}
	if (!e->moment)
		e->moment = seconds_of(r->timestamp);
	check_answer(e, "estat", r->vset[0]->numval);
	check_gap(e, r);
	take_records(e, r, take);
	if (r->vset[0]->numval == 1)
		e->again = false;
	pmFreeResult(r);
	return true;
}

/* Print records until the end of the time window, DURATION or Ctrl-C. */
static void run_live(struct events *e)
{
	double next = clock_time(), end = e->o->seconds > 0 ? next + e->o->seconds : INFINITY;

	while (!stopped && !is_done(e) && source_end(e->s) > clock_time() && next < end) {
		next = fmin(next + PERIOD, end);
		sleep_until(fmin(next, source_end(e->s)), false);
		take_live(e, print_record);
	}
}

/* Print an archive's event records, selected by the events' times: pmlogger logged them later. */
static void run_archive(struct events *e)
{
	pcp_time start = pcp_time_of(e->start);
	pmResult *r;
	int sts = 0;

	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && !is_done(e) && e->newest <= e->end && (sts = fetch(e, &r)) >= 0) {
		check_gap(e, r);
		take_records(e, r, print_record);
		pmFreeResult(r);
	}
	if (sts < 0)
		source_read_failed(e->s, sts, e->moment);
	if (!e->printed && !ferror(stdout))
		die(EXIT_NO_DATA,
		    "%s has no event record of %s, or none that is selected, in this time",
		    e->s->where, e->o->name);
}

/* Find the keys of an archive's event records. Axes are the parameters that are strings. */
static void find_keys(struct events *e)
{
	struct layout *layout = &e->seen.layout;
	pcp_time start = pcp_time_of(e->start);
	pmResult *r;

	e->seen.prefix = (char *)e->o->name;
	for (unsigned int i = 0; i < e->nparameters && layout->naxes < MAX_AXES; i++)
		if (e->parameters[i].desc.type == PM_TYPE_STRING)
			layout->axes[layout->naxes++] = e->parameters[i].name;
	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && fetch(e, &r) >= 0) {
		take_records(e, r, add_key);
		pmFreeResult(r);
	}
	e->newest = 0;
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
	find_parameters(&e);
	if (o->explain) {
		printf("module    %s\nmetrics   of %s %s: estat.%s.events\n", o->name,
		       s->archive ? "archive" : "host", s->archive ? s->where : s->host, o->module);
		return EXIT_SUCCESS;
	}
	e.start = s->start;
	e.begin = s->archive && (o->window || o->seconds) ? s->start : 0;
	e.end = s->archive ? s->finish : INFINITY;
	if (s->archive && o->seconds && e.start + o->seconds < e.end)
		e.end = e.start + o->seconds;
	catch_signals(NULL);
	if (s->archive) {
		find_keys(&e);
		series = &e.seen;
	} else if (!take_live(&e, remember_record)) { /* earlier records are not printed */
		return EXIT_NO_DATA;
	} else if (m->nseries) {
		series = source_add(s, m->series[0].prefix, READ_BASIC, NULL);
		source_begin(s);
	}
	if (series) {
		use_argument(o, series);
		check_selection(o, series);
		e.pools = has_pools(o, series);
	}
	if (s->archive)
		run_archive(&e);
	else
		run_live(&e);
	return EXIT_SUCCESS;
}
