// SPDX-License-Identifier: GPL-2.0-or-later
/* estat trace: the journeys of a few operations, each with its stages on a time line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/times.h"
#include "journeys.h"
#include "lib/format.h"
#include "source/modules.h"
#include "trace.h"
#include "view/output.h"
#include "view/picture.h"

#define SECONDS  10 /* how long a host's records are read, if DURATION is not given */
#define JOURNEYS 10 /* shown without --samples; JSON then has all */
#define BAR      40
#define NAME     40 /* width of the column that says what each stage is */

static struct journeys all;

static bool keep(void *context, const struct record *r)
{
	(void)context;
	if (r->time >= all.records.begin && r->time <= all.records.end)
		journeys_add(&all, r);
	return true;
}

static void print_stage(void *context, const struct stage *s, int depth)
{
	const struct journey *j = context;
	char since[FORMAT_LEN], time[FORMAT_LEN], *name = stage_name(&all, s);
	int from = 0, to = BAR;

	if (j->elapsed > 0) {
		from = fmin(BAR - 1, floor(BAR * s->since / j->elapsed));
		to = fmax(from + 1, lround(BAR * (s->since + s->time) / j->elapsed));
	}
	printf("%8s %8s  %*s", format_latency(since, s->since / 1000, 0),
	       format_latency(time, s->time / 1000, 0), 2 * depth, "");
	print_aligned(name, 2 * depth - NAME);
	printf("  %*s", from, "");
	for (int i = from; i < to; i++)
		putchar(s->whole ? '-' : '#');
	putchar('\n');
	free(name);
}

static void print_journey(struct journey *j)
{
	char *title = journey_title(&all, j);

	print_aligned(title, 0);
	putchar('\n');
	free(title);
	journey_walk(&all, j, print_stage, j);
	putchar('\n');
}

static void write_stage(struct json *to, const struct stage *s)
{
	json_begin(to, NULL, '{');
	for (unsigned int i = 0; i < all.records.nparameters; i++) {
		const struct parameter *p = &all.records.parameters[i];

		if (!s->record.texts[i])
			continue;
		if (p->desc.type == PM_TYPE_STRING)
			json_put_string(to, p->name, s->record.texts[i]);
		else
			json_put_raw(to, p->name, s->record.texts[i]);
	}
	if (s->host)
		json_put_string(to, "host", s->host);
	if (s->unserved)
		json_put_raw(to, "unserved", "true");
	json_end(to, '}');
}

static void write_journey(struct json *to, const struct journey *j)
{
	json_begin(to, NULL, '{');
	json_put_number(to, "time", "%.6f", j->operation->record.time);
	json_put_number(to, "took", "%.0f", j->elapsed);
	json_begin(to, "stages", '[');
	for (unsigned int i = 0; i < j->n; i++)
		write_stage(to, &j->stages[i]);
	json_end(to, ']');
	json_end(to, '}');
}

static void write_json(const struct source *s, unsigned int n)
{
	struct json j = document_begin("trace", s->host);

	json_begin(&j, "rows", '[');
	for (unsigned int i = 0; i < n; i++)
		write_journey(&j, &all.journeys[i]);
	json_end(&j, ']');
	document_end(&j);
}

static void draw(const struct options *o, const struct source *s, unsigned int n)
{
	char *title =
		all.n ? xasprintf("trace on %s: the longest %u of %u journeys", s->host, n, all.n)
		      : xasprintf("trace on %s: no journey to show", s->host);

	journeys_svg(&all, n, title, o->svg);
	free(title);
}

static void show(const struct options *o, const struct source *s)
{
	unsigned int most = o->samples ? (unsigned int)o->samples : JOURNEYS;
	unsigned int n = most < all.n ? most : all.n;

	if (o->form == FORM_JSON) {
		write_json(s, o->samples ? n : all.n);
		return;
	}
	if (o->svg)
		draw(o, s, n);
	for (unsigned int i = 0; i < n && !o->svg; i++)
		print_journey(&all.journeys[i]);
	if (n < all.n)
		printf("The longest %u of %u journeys; --samples shows more.\n", n, all.n);
	else if (!n)
		puts("No journey to show.");
}

static void read_archive(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);
	int sts = 0;

	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && all.records.newest <= all.records.end && sts >= 0)
		sts = records_fetch(&all.records, keep, NULL);
	if (sts < 0)
		source_read_failed(s, sts, all.records.moment);
}

/*
 * Fetch records. The first fetch attaches the module, if it is idle, and gets the records that the
 * agent still has. If the first fetch fails, the command exits.
 */
static void fetch_live(void *first)
{
	if (records_fetch(&all.records, keep, NULL) < 0 && *(bool *)first)
		exit(EXIT_NO_DATA);
	*(bool *)first = false;
}

/*
 * Store a value for the module trace in the metric estat.module.LEAF. Returns PCP's status:
 * PM_ERR_NAME if the agent is too old to have the metric.
 */
static int store(const char *leaf, int format, pmValue value)
{
	pmValueSet set = { .numval = 1, .valfmt = format, .vlist = { value } };
	pmResult *result;
	pmDesc desc;
	int sts;

	if (!find_pmid("estat.module", leaf, &set.pmid) || pmLookupDesc(set.pmid, &desc) < 0)
		return PM_ERR_NAME;
	set.vlist[0].inst = pmLookupInDom(desc.indom, "trace");
	result = xalloc(calloc(1, sizeof(*result)));
	result->numpmid = 1;
	result->vset[0] = &set;
	sts = pmStore(result);
	free(result);
	return sts;
}

/*
 * Have the agent follow one in o->every operations; with a focus, one in o->every operations of the
 * process or cgroup in focus. With o->every 0 the agent follows about 20 operations a second.
 */
static void set_every(const struct options *o)
{
	int sts = store("every", PM_VAL_INSITU, (pmValue){ .value.lval = o->every });

	if (sts < 0)
		die(EXIT_NO_DATA, "--every: cannot set estat.module.every: %s", pmErrStr(sts));
}

/*
 * The value for estat.module.focus: the process or cgroup that a filter without wildcards names;
 * "": no filter does. The caller frees the text.
 */
static char *focus_of(const struct options *o)
{
	const char *pid = NULL, *cgroup = NULL;

	for (unsigned int i = 0; i < o->nfilters; i++) {
		const struct filter *f = &o->filters[i];

		if (f->glob[strcspn(f->glob, "*?[\\")])
			continue;
		if (!strcmp(f->axis, "pid"))
			pid = f->glob;
		else if (!strcmp(f->axis, "cgroup"))
			cgroup = f->glob;
	}
	return pid      ? xasprintf("pid %s", pid)
	       : cgroup ? xasprintf("cgroup %s", cgroup)
			: xalloc(strdup(""));
}

static int store_focus(const char *focus)
{
	size_t length = PM_VAL_HDR_SIZE + strlen(focus) + 1;
	pmValueBlock *block = xalloc(calloc(1, sizeof(*block) + length));
	int sts;

	block->vtype = PM_TYPE_STRING;
	block->vlen = length;
	strcpy(block->vbuf, focus);
	sts = store("focus", PM_VAL_DPTR, (pmValue){ .value.pval = block });
	free(block);
	return sts;
}

/*
 * Have the agent also follow operations of the process or cgroup that filters name. If no filter
 * names one, --every ends the focus that the agent has.
 */
static void set_focus(const struct options *o)
{
	char *focus = focus_of(o);
	int sts = *focus || o->given['E'] ? store_focus(focus) : 0;

	if (sts == PM_ERR_BADSTORE)
		die(EXIT_NO_DATA, "the agent's host has no %s", focus);
	if (sts < 0 && *focus)
		note("only journeys drawn at random among all operations of the host are shown:\n"
		     "cannot set estat.module.focus to '%s': %s",
		     focus, pmErrStr(sts));
	free(focus);
}

int run_trace(struct options *o, struct source *s)
{
	bool first = true;

	refuse_options(o, "mMapclLzZqQyYtTPjSB", "it shows journeys of operations");
	if (o->svg) {
		refuse_options(o, "J", "it draws a picture");
		picture_check(o->svg);
	}
	check_module(o, s);
	records_find(&all.records, s, "trace");
	all.records.name = "trace";
	records_check_filters(o, (const struct records *const[]){ &all.records }, 1);
	all.records.begin = s->archive && (o->window || o->seconds) ? s->start : 0;
	all.records.end = s->archive ? s->finish : INFINITY;
	if (s->archive && o->seconds)
		all.records.end = fmin(all.records.end, s->start + o->seconds);
	if (s->archive) {
		refuse_options(o, "E", "an archive has what was followed");
	} else {
		refuse_options(o, "s", "it joins two archives: give --archive, too");
		set_focus(o);
	}
	if (!s->archive && o->given['E'])
		set_every(o);
	catch_signals(NULL);
	if (s->archive)
		read_archive(s);
	else
		records_follow(o->seconds > 0 ? o->seconds : SECONDS, fetch_live, &first);
	journeys_select(&all, o);
	if (o->server)
		journeys_join(&all, o->server);
	journeys_sort(&all);
	show(o, s);
	return EXIT_SUCCESS;
}
