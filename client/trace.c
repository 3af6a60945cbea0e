// SPDX-License-Identifier: GPL-2.0-or-later
/* estat trace: the journeys of a few operations, each with its stages on a time line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/times.h"
#include "lib/format.h"
#include "source/records.h"
#include "verbs.h"
#include "view/output.h"

#define PERIOD   1  /* seconds between two fetches from a pmcd */
#define SECONDS  10 /* without DURATION */
#define JOURNEYS 10 /* shown without --samples */
#define BAR      40
#define NAME     40 /* width of what a stage is */

/* A stage; times are in nanoseconds. */
struct stage {
	double since, time;
	unsigned int span;
	bool whole; /* all of the span, rather than a part */
	struct record record;
};

struct journey {
	uint64_t number, began; /* together they tell journeys apart, also those of two agents */
	double took;            /* until the last stage ends */
	struct stage *operation;
	unsigned int n;
	struct stage *stages;
};

static struct records records;
static struct journey *journeys;
static unsigned int njourneys;

static const char *text_in(const struct stage *s, const char *name)
{
	return record_text(&records, &s->record, name);
}

static uint64_t number_in(const struct record *r, const char *name)
{
	return strtoull(record_text(&records, r, name), NULL, 10);
}

static struct journey *journey_of(const struct record *r)
{
	uint64_t number = number_in(r, "journey"), began = number_in(r, "began");
	struct journey *j = journeys + njourneys;

	while (j-- > journeys)
		if (j->number == number && j->began == began)
			return j;
	journeys = grow(journeys, njourneys, sizeof(*journeys));
	j = &journeys[njourneys++];
	*j = (struct journey){ .number = number, .began = began };
	return j;
}

static bool keep(void *context, const struct record *r)
{
	struct journey *j;
	struct stage *s;

	(void)context;
	if (r->time < records.begin || r->time > records.end)
		return true;
	j = journey_of(r);
	j->stages = grow(j->stages, j->n, sizeof(*j->stages));
	s = &j->stages[j->n++];
	*s = (struct stage){
		.since = number_in(r, "since"),
		.time = number_in(r, "time"),
		.span = number_in(r, "span"),
		.whole = !number_in(r, "part"),
		.record = { .time = r->time },
	};
	for (unsigned int i = 0; i < records.nparameters; i++)
		if (r->texts[i])
			s->record.texts[i] = xalloc(strdup(r->texts[i]));
	return true;
}

/* By begin; a span before its parts, which begin with it, and spans by number. */
static int by_begin(const void *a, const void *b)
{
	const struct stage *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return y->whole - x->whole;
}

static int by_time(const void *a, const void *b)
{
	const struct journey *x = a, *y = b;

	return (x->took < y->took) - (x->took > y->took);
}

/* Order the journeys that are known from their begin and are selected, the longest first. */
static void select_journeys(const struct options *o)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < njourneys; i++) {
		struct journey j = journeys[i];

		qsort(j.stages, j.n, sizeof(*j.stages), by_begin);
		for (unsigned int k = 0; k < j.n; k++) {
			j.took = fmax(j.took, j.stages[k].since + j.stages[k].time);
			if (!j.stages[k].span && j.stages[k].whole)
				j.operation = &j.stages[k];
		}
		if (j.operation && record_matches(&records, &j.operation->record, o))
			journeys[n++] = j;
	}
	njourneys = n;
	if (n)
		qsort(journeys, n, sizeof(*journeys), by_time);
}

/* What a stage is: its name or, of all of a span, the operation or the device, and where. */
static char *name_of(const struct stage *s, int depth)
{
	const char *stage = text_in(s, "stage"), *note = text_in(s, "note");
	uint64_t at = number_in(&s->record, "offset");
	char size[FORMAT_LEN], *text = NULL;
	size_t length;
	FILE *f = xalloc(open_memstream(&text, &length));
	bool operation = s->whole && !s->span;
	bool of_disk = s->whole && s->span && strcmp(stage, "cache") && strcmp(stage, "journal");

	fprintf(f, "%*s%s", 2 * depth, "",
		of_disk     ? text_in(s, "device")
		: operation ? text_in(s, "op")
			    : stage);
	if (of_disk || operation)
		fprintf(f, ", %s", format_size(size, number_in(&s->record, "bytes")));
	if (of_disk)
		fprintf(f, " at sector %llu", (unsigned long long)at / 512);
	else if (operation && at != UINT64_MAX)
		fprintf(f, " at %llu", (unsigned long long)at);
	if (s->whole && strcmp(note, "none"))
		fprintf(f, ", %s", note);
	fclose(f);
	return xalloc(text);
}

static void print_stage(const struct journey *j, const struct stage *s, int depth)
{
	char since[FORMAT_LEN], time[FORMAT_LEN], *name = name_of(s, depth);
	int from = 0, to = BAR;

	if (j->took > 0) {
		from = fmin(BAR - 1, floor(BAR * s->since / j->took));
		to = fmax(from + 1, lround(BAR * (s->since + s->time) / j->took));
	}
	printf("%8s %8s  ", format_latency(since, s->since / 1000, 0),
	       format_latency(time, s->time / 1000, 0));
	print_aligned(name, -NAME);
	printf("  %*s", from, "");
	for (int i = from; i < to; i++)
		putchar(s->whole ? '-' : '#');
	putchar('\n');
	free(name);
}

/* Print a span with its parts and the spans below it, whose numbers are higher, in order of time.
 */
static void print_tree(const struct journey *j, const struct stage *span, int depth)
{
	print_stage(j, span, depth);
	for (unsigned int i = 0; i < j->n; i++) {
		const struct stage *s = &j->stages[i];

		if (!s->whole && s->span == span->span)
			print_stage(j, s, depth + 1);
		else if (s->whole && s->span > span->span &&
			 number_in(&s->record, "parent") == span->span)
			print_tree(j, s, depth + 1);
	}
}

static void print_journey(const struct journey *j)
{
	const struct stage *o = j->operation;
	char took[FORMAT_LEN], time[64];

	print_time(time, sizeof(time), "%D %H:%M:%S", o->record.time);
	printf("%s  %s of %s", format_latency(took, j->took / 1000, 0), text_in(o, "op"),
	       text_in(o, "file"));
	printf(" (inode %s of %s) by %s (%s) of %s, %s\n", text_in(o, "inode"),
	       text_in(o, "device"), text_in(o, "command"), text_in(o, "pid"), text_in(o, "cgroup"),
	       time);
	print_tree(j, o, 0);
	putchar('\n');
}

static void write_stage(struct json *to, const struct stage *s)
{
	json_begin(to, NULL, '{');
	for (unsigned int i = 0; i < records.nparameters; i++) {
		const struct parameter *p = &records.parameters[i];

		if (!s->record.texts[i])
			continue;
		if (p->desc.type == PM_TYPE_STRING)
			json_put_string(to, p->name, s->record.texts[i]);
		else
			json_put_raw(to, p->name, s->record.texts[i]);
	}
	json_end(to, '}');
}

static void write_journey(struct json *to, const struct journey *j)
{
	json_begin(to, NULL, '{');
	json_put_number(to, "time", "%.6f", j->operation->record.time);
	json_put_number(to, "took", "%.0f", j->took);
	json_begin(to, "stages", '[');
	for (unsigned int i = 0; i < j->n; i++)
		write_stage(to, &j->stages[i]);
	json_end(to, ']');
	json_end(to, '}');
}

static void show(const struct options *o, const struct source *s)
{
	unsigned int most = o->samples ? (unsigned int)o->samples : JOURNEYS;
	struct json j;

	if (o->form == FORM_JSON) {
		if (!o->samples)
			most = njourneys;
		j = document_begin("trace", s->host);
		json_begin(&j, "rows", '[');
	}
	for (unsigned int i = 0; i < njourneys && i < most; i++)
		if (o->form == FORM_JSON)
			write_journey(&j, &journeys[i]);
		else
			print_journey(&journeys[i]);
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		document_end(&j);
	} else if (njourneys > most) {
		printf("The longest %u of %u journeys; --samples shows more.\n", most, njourneys);
	} else if (!njourneys) {
		puts("No operation was followed.");
	}
}

static void read_archive(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);
	int sts = 0;

	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && records.newest <= records.end && sts >= 0)
		sts = records_fetch(&records, keep, NULL);
	if (sts < 0)
		source_read_failed(s, sts, records.moment);
}

static void read_live(const struct options *o)
{
	double next = clock_time(), end = next + (o->seconds > 0 ? o->seconds : SECONDS);

	/* attaches the module, and gets the records that the agent still has */
	if (records_fetch(&records, keep, NULL) < 0)
		exit(EXIT_NO_DATA);
	while (!stopped && next < end) {
		next = fmin(next + PERIOD, end);
		sleep_until(next, false);
		records_fetch(&records, keep, NULL);
	}
}

/* Set estat.module.every of trace. */
static void set_every(const struct options *o)
{
	pmValueSet set = { .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult *result;
	pmDesc desc;
	int sts;

	if (!find_pmid("estat.module", "every", &set.pmid) || pmLookupDesc(set.pmid, &desc) < 0)
		die(EXIT_NO_DATA, "--every: the agent is too old");
	set.vlist[0].inst = pmLookupInDom(desc.indom, "trace");
	set.vlist[0].value.lval = o->every;
	result = xalloc(calloc(1, sizeof(*result)));
	result->numpmid = 1;
	result->vset[0] = &set;
	sts = pmStore(result);
	free(result);
	if (sts < 0)
		die(EXIT_NO_DATA, "--every: cannot set estat.module.every: %s", pmErrStr(sts));
}

int run_trace(struct options *o, struct source *s)
{
	refuse_options(o, "mMapclLzZqQyYtTPjSB", "it shows journeys of operations");
	check_agent(s);
	records_find(&records, s, "trace");
	records.name = "trace";
	records.begin = s->archive && (o->window || o->seconds) ? s->start : 0;
	records.end = s->archive ? s->finish : INFINITY;
	if (s->archive && o->seconds)
		records.end = fmin(records.end, s->start + o->seconds);
	if (s->archive)
		refuse_options(o, "E", "an archive has what was followed");
	else if (o->given['E'])
		set_every(o);
	catch_signals(NULL);
	if (s->archive)
		read_archive(s);
	else
		read_live(o);
	select_journeys(o);
	show(o, s);
	return EXIT_SUCCESS;
}
