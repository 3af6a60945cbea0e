// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat slow: the event records of slow operations, the slowest first, with what their time
 * consists of. A parameter's number tells what the parameter is, see bpf/slow.bpf.h.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "lib/format.h"
#include "source/modules.h"
#include "source/records.h"
#include "source/texts.h"
#include "verbs.h"
#include "view/output.h"

#define BAR         24
#define MODULE      12 /* widths of columns */
#define KEY         24
#define ITEM        960 /* parameter N has the PMID item ITEM + N */
#define FIRST_OWN   4   /* parameters 1 to 3 are latency, time and bytes */
#define FIRST_STAGE 20
#define FIRST_AXIS  40

struct slow {
	const struct records *of;
	struct record record; /* owns its texts */
	double latency;       /* microseconds */
};

struct list {
	const struct options *o;
	unsigned int n;
	struct slow *slow;
};

/* A module that records slow operations. */
struct slow_module {
	struct list *list;
	char *name;
	struct records records;
};

static double us_of(const char *text)
{
	return *text ? strtod(text, NULL) / 1000 : NAN;
}

static int number_of(const struct parameter *p)
{
	return pmID_item(p->pmid) - ITEM;
}

static bool is_stage(const struct parameter *p)
{
	return number_of(p) >= FIRST_STAGE && number_of(p) < FIRST_AXIS;
}

static const char *stage_name(const struct parameter *p)
{
	return p->name + (strncmp(p->name, "stage_", 6) ? 0 : 6);
}

static int by_number(const void *a, const void *b)
{
	return number_of(a) - number_of(b);
}

static bool keep(void *context, const struct record *r)
{
	const struct slow_module *p = context;
	const struct records *of = &p->records;
	struct list *list = p->list;
	struct slow slow = { .of = of, .record = *r };

	slow.latency = us_of(record_text(of, r, "latency"));
	if (r->time < of->begin || r->time > of->end || !record_matches(of, r, list->o) ||
	    !(slow.latency > list->o->threshold * 1e6))
		return true;
	for (unsigned int i = 0; i < of->nparameters; i++)
		if (r->texts[i])
			slow.record.texts[i] = xalloc(strdup(r->texts[i]));
	list->slow = grow(list->slow, list->n, sizeof(*list->slow));
	list->slow[list->n++] = slow;
	return true;
}

static int by_latency(const void *a, const void *b)
{
	const struct slow *x = a, *y = b;

	if (x->latency != y->latency)
		return x->latency < y->latency ? 1 : -1;
	return (x->record.time > y->record.time) - (x->record.time < y->record.time);
}

/*
 * Print a bar of 24 letters (blanks if the record has no stages). Each letter stands for a
 * twenty-fourth of the sum of the stages, and is the first letter of the stage that took that time.
 */
static void print_bar(const struct slow *s)
{
	double total = 0, so_far = 0;
	int done = 0;

	for (unsigned int i = 0; i < s->of->nparameters; i++)
		if (is_stage(&s->of->parameters[i]) && s->record.texts[i])
			total += us_of(s->record.texts[i]);
	for (unsigned int i = 0; i < s->of->nparameters; i++) {
		const struct parameter *p = &s->of->parameters[i];

		if (!is_stage(p) || !s->record.texts[i] || !(total > 0))
			continue;
		so_far += us_of(s->record.texts[i]);
		for (; done < (int)lround(BAR * so_far / total); done++)
			putchar(*stage_name(p));
	}
	printf("%*s", BAR - done, "");
}

/*
 * Does print_told() print this parameter of a record? No if the parameter is an axis, latency, time
 * or bytes. No, too, if the record lacks the parameter, or if the value is "", "none" or, of any
 * parameter but cpu, 0.
 */
static bool is_told(const struct parameter *p, const char *value)
{
	int n = number_of(p);

	return n >= FIRST_OWN && n < FIRST_AXIS && value && *value &&
	       (strcmp(value, "0") || !strcmp(p->name, "cpu")) && strcmp(value, "none") != 0;
}

static void print_told(const struct slow *s, bool stages, const char *comma)
{
	char text[FORMAT_LEN];

	for (unsigned int i = 0; i < s->of->nparameters; i++) {
		const struct parameter *p = &s->of->parameters[i];
		const char *value = s->record.texts[i];

		if (is_stage(p) != stages || !is_told(p, value))
			continue;
		printf("%s%s %s", comma, stage_name(p),
		       p->desc.units.dimTime ? format_latency(text, us_of(value), 0) : value);
		comma = ", ";
	}
}

static char *key_of(const struct slow *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < s->of->nparameters; i++)
		if (number_of(&s->of->parameters[i]) >= FIRST_AXIS && s->record.texts[i])
			fprintf(f, "%s%s", ftell(f) ? ", " : "", s->record.texts[i]);
	fclose(f);
	return xalloc(text);
}

static void print_slow(const struct slow *s)
{
	char *key = key_of(s), latency[FORMAT_LEN], size[FORMAT_LEN], time[64];
	const char *bytes = record_text(s->of, &s->record, "bytes");

	print_time(time, sizeof(time), "%D %H:%M:%S", s->record.time);
	printf("%8s  %s  ", format_latency(latency, s->latency, 0), time);
	print_aligned(s->of->name, -MODULE);
	putchar(' ');
	print_aligned(key, -KEY);
	printf(" %6s  ", *bytes ? format_size(size, strtoull(bytes, NULL, 10)) : "-");
	print_bar(s);
	print_told(s, true, "  ");
	print_told(s, false, ", ");
	putchar('\n');
	free(key);
}

static void write_slow(struct json *j, const struct slow *s)
{
	json_begin(j, NULL, '{');
	json_put_number(j, "time", "%.6f", s->record.time);
	json_put_string(j, "module", s->of->name);
	for (unsigned int i = 0; i < s->of->nparameters; i++) {
		const struct parameter *p = &s->of->parameters[i];
		const char *value = s->record.texts[i];

		if (is_stage(p) || !value)
			continue;
		if (p->desc.type == PM_TYPE_STRING)
			json_put_string(j, p->name, value);
		/* JSON's `time` is the record's date, so parameter `time` is written as `total` */
		else if (p->desc.units.dimTime)
			json_put_number(j, strcmp(p->name, "time") ? p->name : "total", "%.3f",
					us_of(value));
		else
			json_put_raw(j, p->name, value);
	}
	json_begin(j, "stages", '{');
	for (unsigned int i = 0; i < s->of->nparameters; i++)
		if (is_stage(&s->of->parameters[i]) && s->record.texts[i])
			json_put_number(j, stage_name(&s->of->parameters[i]), "%.3f",
					us_of(s->record.texts[i]));
	json_end(j, '}');
	json_end(j, '}');
}

static void show(const struct list *list, const struct source *s)
{
	struct json j;

	if (list->n)
		qsort(list->slow, list->n, sizeof(*list->slow), by_latency);
	if (list->o->form == FORM_JSON) {
		j = document_begin("slow", s->host);
		json_begin(&j, "rows", '[');
	} else if (list->n) {
		printf("%8s  %-17s  %-*s %-*s %6s  %s\n", "latency", "time", MODULE, "module", KEY,
		       "key", "bytes", "stages");
	} else {
		puts("No slow operation is recorded.");
	}
	for (unsigned int i = 0; i < list->n; i++)
		if (list->o->form == FORM_JSON)
			write_slow(&j, &list->slow[i]);
		else
			print_slow(&list->slow[i]);
	if (list->o->form == FORM_JSON) {
		json_end(&j, ']');
		document_end(&j);
	}
}

static struct slow_module *modules;
static unsigned int nmodules;

/* Add the module of a metric estat.MODULE.event.latency, unless another module is asked for. */
static void add_module(const char *metric, void *context)
{
	static const char parameter[] = ".event.latency";
	const struct options *o = context;
	const char *name = metric + strlen("estat.");
	size_t n = strlen(name), end = sizeof(parameter) - 1;

	if (n <= end || strcmp(name + n - end, parameter) ||
	    (o->target && (strncmp(o->target, name, n - end) || o->target[n - end])))
		return;
	modules = grow(modules, nmodules, sizeof(*modules));
	modules[nmodules++] = (struct slow_module){ .name = xalloc(strndup(name, n - end)) };
}

/*
 * Of a pmcd, if the user names no module: leave out modules that are not attached, because a fetch
 * would attach those with `attach = demand`.
 */
static void leave_idle(struct source *s, const struct options *o)
{
	struct text *attached;
	unsigned int n =
		s->archive || o->target ? 0 : source_texts(s, "estat.module.attach", &attached);
	unsigned int kept = 0;

	if (!n)
		return;
	for (unsigned int i = 0; i < nmodules; i++) {
		const char *by = text_of(attached, n, modules[i].name);

		if (by && *by)
			modules[kept++] = modules[i];
		else
			free(modules[i].name);
	}
	nmodules = kept;
	texts_free(attached, n);
}

static void check_filters(const struct options *o)
{
	const struct records **all = xalloc(calloc(nmodules + 1, sizeof(*all)));

	for (unsigned int i = 0; i < nmodules; i++)
		all[i] = &modules[i].records;
	records_check_filters(o, all, nmodules);
	free(all);
}

static void read_archive(struct source *s, struct slow_module *p)
{
	pcp_time start = pcp_time_of(s->start);
	int sts = 0;

	pmSetMode(PM_MODE_FORW, &start, 0);
	while (!stopped && p->records.newest <= p->records.end && sts >= 0)
		sts = records_fetch(&p->records, keep, p);
	if (sts < 0)
		source_read_failed(s, sts, p->records.moment);
}

/* Fetch the new records of all modules. The first fetch gets all records that the agent has. */
static void fetch_live(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; i < nmodules; i++)
		records_fetch(&modules[i].records, keep, &modules[i]);
}

int run_slow(struct options *o, struct source *s)
{
	struct list list = { .o = o };

	refuse_options(o, "mMapclLzZqQyYtTPjSBeN", "it prints records of operations");
	if (o->target) {
		struct options of = { .name = o->target, .module = (char *)o->target };

		check_module(&of, s);
	} else {
		check_agent(s);
		if (!s->archive)
			note_broken(s);
	}
	pmTraversePMNS_r("estat", add_module, o);
	if (!nmodules)
		die(EXIT_NO_DATA, "%s has no records of slow operations%s%s", source_name(s),
		    o->target ? " of " : "", o->target ? o->target : "");
	leave_idle(s, o);
	for (unsigned int i = 0; i < nmodules; i++) {
		struct records *r = &modules[i].records;

		records_find(r, s, modules[i].name);
		qsort(r->parameters, r->nparameters, sizeof(*r->parameters), by_number);
		r->name = modules[i].name;
		r->begin = s->archive && (o->window || o->seconds) ? s->start : 0;
		r->end = s->archive ? s->finish : INFINITY;
		if (s->archive && o->seconds)
			r->end = fmin(r->end, s->start + o->seconds);
		modules[i].list = &list;
	}
	check_filters(o);
	catch_signals(NULL);
	for (unsigned int i = 0; s->archive && i < nmodules; i++)
		read_archive(s, &modules[i]);
	if (!s->archive)
		records_follow(o->seconds, fetch_live, NULL);
	show(&list, s);
	return EXIT_SUCCESS;
}
