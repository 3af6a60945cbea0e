// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/times.h"
#include "records.h"

#define TOLERANCE 0.001 /* seconds by which the times of a repeated record can differ */
#define PERIOD    1     /* seconds between two fetches from a pmcd */

void records_find(struct records *r, struct source *s, const char *module)
{
	char **names, *prefix = xasprintf("estat.%s.event", module);
	int n = pmGetChildren(prefix, &names);

	r->s = s;
	if (n < 0)
		die(EXIT_NO_DATA, "%s has no metric %s.*", source_name(s), prefix);
	for (int i = 0; i < n && r->nparameters < MAX_PARAMETERS; i++) {
		struct parameter *p = &r->parameters[r->nparameters++];

		p->name = xalloc(strdup(names[i]));
		if (!find_pmid(prefix, p->name, &p->pmid) || pmLookupDesc(p->pmid, &p->desc) < 0)
			die(EXIT_NO_DATA, "%s has no metric %s.%s", source_name(s), prefix,
			    p->name);
	}
	free(names);
	*strrchr(prefix, '.') = '\0';
	find_pmid(prefix, "events", &r->pmids[0]);
	r->npmids = find_pmid("estat.agent", "start", &r->pmids[1]) ? 2 : 1;
	free(prefix);
}

/*
 * Set *atom to the only value of a metric in a fetch or record. Returns false if the metric has no
 * value, or several.
 */
static bool only_value(const pmValueSet *set, int type, pmAtomValue *atom)
{
	return set->numval == 1 &&
	       pmExtractValue(set->valfmt, &set->vlist[0], type, atom, type) >= 0;
}

static struct record read_record(const struct records *r, const pcp_event *event)
{
	struct record record = { .time = seconds_of(event->timestamp) };

	for (int j = 0; j < event->numpmid; j++) {
		const pmValueSet *set = event->vset[j];
		pmAtomValue atom;

		if (set->pmid == r->missed && only_value(set, PM_TYPE_U32, &atom))
			record.lost = atom.ul;
		for (unsigned int i = 0; i < r->nparameters; i++) {
			const struct parameter *p = &r->parameters[i];

			if (set->pmid != p->pmid || !only_value(set, p->desc.type, &atom))
				continue;
			record.texts[i] = p->desc.type == PM_TYPE_STRING
						  ? atom.cp
						  : xalloc(strdup(pmAtomStr(&atom, p->desc.type)));
		}
	}
	return record;
}

const char *record_text(const struct records *r, const struct record *record, const char *name)
{
	for (unsigned int i = 0; i < r->nparameters; i++)
		if (record->texts[i] && !strcmp(r->parameters[i].name, name))
			return record->texts[i];
	return "";
}

bool record_matches(const struct records *r, const struct record *record, const struct options *o)
{
	for (unsigned int i = 0; i < o->nfilters; i++) {
		const char *axis = o->filters[i].axis;
		bool matches = false;

		for (unsigned int j = 0; j < o->nfilters; j++)
			matches |= !strcmp(o->filters[j].axis, axis) &&
				   !fnmatch(o->filters[j].glob, record_text(r, record, axis), 0);
		if (!matches)
			return false;
	}
	return true;
}

static bool any_has_axis(const struct records *const *all, unsigned int n, const char *axis)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int p = 0; p < all[i]->nparameters; p++)
			if (!strcmp(all[i]->parameters[p].name, axis))
				return true;
	return false;
}

void records_check_filters(const struct options *o, const struct records *const *all,
			   unsigned int n)
{
	const char *names[n * MAX_PARAMETERS + 1];
	unsigned int found = 0;

	for (unsigned int r = 0; r < n; r++)
		for (unsigned int p = 0; p < all[r]->nparameters; p++)
			names[found++] = all[r]->parameters[p].name;
	for (unsigned int i = 0; i < o->nfilters; i++)
		if (n && !any_has_axis(all, n, o->filters[i].axis))
			die(EXIT_USAGE, "the records have no %s to filter by; they have: %s",
			    o->filters[i].axis, join_texts(names, sort_texts(names, found)));
}

char *record_texts(const struct records *r, const struct record *record, bool strings)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < r->nparameters; i++)
		if (!strings || r->parameters[i].desc.type == PM_TYPE_STRING)
			fprintf(f, "%s\n", record->texts[i] ? record->texts[i] : "");
	fclose(f);
	return text;
}

/*
 * Was this record read before? If not, r->recent gets the record. pmcd sends a record once on a
 * connection, but on a new connection pmcd sends all records that the agent keeps. So an archive
 * has records twice if pmlogger was restarted, with times that differ by microseconds; and this
 * command gets records twice if the command reconnects.
 */
static bool is_repeated(struct records *r, const struct record *record)
{
	unsigned int next = r->nrecent % RECENT;
	bool repeated = false;
	char *text;

	if ((r->s->archive || r->again) && record->time <= r->newest)
		return true;
	text = record_texts(r, record, false);
	for (int i = 0; (r->s->archive || r->again) && i < RECENT; i++)
		repeated |= r->recent[i].text && record->time - r->recent[i].time < TOLERANCE &&
			    !strcmp(r->recent[i].text, text);
	if (repeated) {
		free(text);
		return true;
	}
	free(r->recent[next].text);
	r->recent[next].text = text;
	r->recent[next].time = record->time;
	r->nrecent++;
	return false;
}

/*
 * Warn of overwritten records if the time of libpcp's note is from r->begin to r->end. Filters do
 * not apply: the values of such records are not known.
 */
static void warn_of_lost(const struct records *r, const struct record *record)
{
	char time[64];

	if (record->time < r->begin || record->time > r->end ||
	    (r->s->archive && record->time <= r->newest))
		return;
	print_time(time, sizeof(time), "%D - %H:%M:%S %Z", record->time);
	note("WARNING: %u event records of %s before %s were overwritten before they were read",
	     record->lost, r->name, time);
}

static void take_records(struct records *r, const pmResult *fetched,
			 bool (*take)(void *context, const struct record *record), void *context)
{
	double newest = r->newest;
	pcp_event **events;
	bool more = true;
	int n = fetched->numpmid == r->npmids && fetched->vset[0]->numval == 1
			? pmUnpackEventRecords(fetched->vset[0], 0, &events)
			: 0;

	if (n > 0 && !r->missed && !find_pmid("event.missed", "", &r->missed))
		r->missed = PM_ID_NULL;
	for (int i = 0; i < n && more; i++) {
		struct record record = read_record(r, events[i]);

		if (record.lost)
			warn_of_lost(r, &record);
		else if (!is_repeated(r, &record))
			more = !take || take(context, &record);
		newest = fmax(newest, record.time);
		for (unsigned int p = 0; p < r->nparameters; p++)
			free(record.texts[p]);
	}
	r->newest = newest;
	if (n > 0)
		pmFreeEventResult(events);
}

/* Say that pmcd or the agent does not answer, unless the fetch before had no answer either. */
static void check_answer(struct records *r, const char *server, int sts)
{
	if (sts < 0 && !r->no_answer)
		note("no event records of %s: %s did not answer: %s", r->name, server,
		     pmErrStr(sts));
	r->no_answer = sts < 0;
}

/*
 * Store in r->gap why records may be missing. When estat.MODULE.events has a value again, print
 * r->gap and the time of the gap, if that time overlaps the time from r->begin to r->end.
 */
static void check_gap(struct records *r, const pmResult *fetched)
{
	double now = seconds_of(fetched->timestamp);
	pmAtomValue start = { .ull = 0 };
	char span[160];

	if (fetched->numpmid != r->npmids) { /* a mark record */
		r->gap = "the archive has a gap";
		return;
	}
	if (r->npmids > 1 && only_value(fetched->vset[1], PM_TYPE_U64, &start)) {
		if (r->began && start.ull != r->began) {
			r->gap = "estat's agent has restarted";
			r->again = false; /* the new agent has no record that was read before */
		}
		r->began = start.ull;
	}
	if (fetched->vset[0]->numval != 1)
		return;
	if (r->gap && r->moment > 0 && r->moment <= r->end && now >= r->begin) {
		print_span(span, sizeof(span), r->moment, now);
		note("event records of %s may be missing from %s: %s", r->name, span, r->gap);
	}
	r->gap = NULL;
	r->moment = now;
}

int records_fetch(struct records *r, bool (*take)(void *context, const struct record *record),
		  void *context)
{
	pmResult *fetched;
	int sts = source_fetch(r->s, r->npmids, r->pmids, &fetched);

	if (sts < 0) {
		if (!r->s->archive)
			check_answer(r, "pmcd", sts);
		r->gap = "pmcd did not answer";
		r->again = true;
		return sts;
	}
	if (!r->s->archive) {
		r->moment = r->moment > 0 ? r->moment : seconds_of(fetched->timestamp);
		check_answer(r, "estat", fetched->vset[0]->numval);
	}
	check_gap(r, fetched);
	take_records(r, fetched, take, context);
	if (fetched->numpmid == r->npmids && fetched->vset[0]->numval == 1)
		r->again = false;
	pmFreeResult(fetched);
	return 0;
}

void records_follow(double seconds, void (*fetch)(void *context), void *context)
{
	double next = clock_time(), end = next + seconds;

	for (;;) {
		bool last = stopped || next >= end;

		fetch(context);
		if (last)
			return;
		next = fmin(next + PERIOD, end);
		sleep_until(next, false);
	}
}
