// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares counters of moments (source.h); the counters of a series are compared with the last
 * moment that had the series.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "moment.h"
#include "texts.h"

/* An interval of an archive can end early: by this share of its length, but at most by 0.5 s. */
#define EARLY 0.05

/*
 * A step from one moment of an archive to the next is a gap if that step is more than GAP times as
 * long as the longer of the two previous steps.
 */
#define GAP 3

/*
 * A main series is `partly` measured if the series' measured time differs from s->measured by more
 * than this share of s->measured.
 */
#define TOLERANCE 1e-6

/*
 * Fetch from a pmcd every LOOK seconds, but not more often than LOOKS times in an interval. If the
 * agent restarts, only the time since the last fetch is left out.
 */
#define LOOK        1.0
#define LOOKS       20

#define ATTACH_LOOK 0.05 /* seconds between two checks whether modules are attached */
#define ATTACH_LONG 10.0 /* seconds after which the command no longer waits for modules */

static bool is_seen(const struct source *s, const struct series *series)
{
	return series->seen == s->moment;
}

/*
 * Make the current values the old values. A series without current values keeps its old values; if
 * `broken`, these are not compared with the series' next values. Sets s->valid to `valid`.
 */
static void make_values_old(struct source *s, bool valid, bool broken)
{
	if (s->nrefs)
		memcpy(s->old, s->now, s->nrefs * sizeof(*s->now));
	for (unsigned int i = 0; i < s->nmetrics; i++) {
		struct metric *m = &s->metrics[i];

		if (m->field < FIELD_AGENT && is_seen(s, m->series))
			m->had_values = m->has_values;
		m->has_values = false;
	}
	for (unsigned int i = 0; i < s->nseries; i++) {
		if (is_seen(s, s->series[i]))
			s->series[i]->since = s->clock;
		else if (broken)
			s->series[i]->since = NAN;
	}
	s->valid = valid;
}

/*
 * Set `continues` of the series whose values can be compared with their last values. Returns false
 * if no main series continues, or if in an archive a metric of a series that continues has values,
 * but had none in the series' previous moment. The metric was not logged, or its module was
 * "waiting", so it is unknown whether its counters were 0 then. Fields from FIELD_FINE on are not
 * checked; of these, stats.c uses fine buckets only if their sum equals that of the other buckets.
 */
static bool find_continuing(struct source *s)
{
	bool any = false, all = true;

	for (unsigned int i = 0; i < s->nseries; i++) {
		struct series *series = s->series[i];

		series->continues = is_seen(s, series) && !isnan(series->since);
		any |= series->continues && !series->auxiliary;
	}
	for (unsigned int i = 0; s->archive && i < s->nmetrics; i++) {
		const struct metric *m = &s->metrics[i];

		if (m->field < FIELD_FINE && m->has_values && !m->had_values)
			all &= !m->series->continues;
	}
	if (!any || !all)
		set_reason(s, "some metrics have no earlier values");
	return any && all;
}

/* Take 0 as the last values (s->old) of each key whose counters the module has reset since. */
static void clear_reset(struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++) {
		if (s->refs[i].key->reset != s->moment)
			continue;
		s->old[i] = (pmAtomValue){ .ull = 0 };
		if (s->refs[i].taken != s->moment) /* no count in this bucket since the reset */
			s->now[i] = s->old[i];
	}
}

/*
 * Can all counters be compared with their last values, of the last moment that had the series? No,
 * if a counter is less. There is one exception: if the metric's previous record lacked the key's
 * counter, as when a pool was destroyed and made again, the key's counters are compared with 0.
 */
static bool counters_continue(struct source *s)
{
	bool reset = false;

	for (unsigned int i = 0; i < s->nrefs; i++) {
		const struct value_ref *ref = &s->refs[i];
		bool less = ref->field == FIELD_SUMSQ ? s->now[i].d < s->old[i].d
						      : s->now[i].ull < s->old[i].ull;

		if (!less || ref->field == FIELD_MAX || is_gauge(ref->field) ||
		    !ref->series->continues)
			continue;
		if (!ref->returns) {
			set_reason(s, "a counter of %s was reset", ref->key->name);
			return false;
		}
		ref->key->reset = s->moment;
		reset = true;
	}
	if (reset)
		clear_reset(s);
	return true;
}

/* Add a counter's difference to its key; of a maximum, which is no counter, keep the highest. */
static void add_difference(const struct value_ref *ref, const pmAtomValue *now,
			   const pmAtomValue *old)
{
	struct values *v = &ref->key->values;

	if (ref->field == FIELD_SUMSQ)
		v->sumsq += now->d - old->d;
	else if (ref->field == FIELD_MAX)
		v->max = fmax(now->d, v->max);
	else if (ref->counter && !is_gauge(ref->field))
		*ref->counter += now->ull - old->ull;
}

static void add_differences(const struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++)
		if (s->refs[i].series->continues &&
		    (s->refs[i].field != FIELD_MAX || s->refs[i].taken == s->moment))
			add_difference(&s->refs[i], &s->now[i], &s->old[i]);
	for (unsigned int i = 0; i < s->nseries; i++)
		if (s->series[i]->continues)
			s->series[i]->seconds += s->clock - s->series[i]->since;
}

/*
 * Set in series->lacks the metrics that an archive's moment lacks: of a main series, if the moment
 * has the series; of an auxiliary series, always.
 */
static void note_lacks(const struct source *s)
{
	for (unsigned int i = 0; s->archive && i < s->nmetrics; i++) {
		const struct metric *m = &s->metrics[i];

		if (m->seen || m->field >= FIELD_AGENT)
			continue;
		if (m->series->auxiliary || is_seen(s, m->series))
			m->series->lacks |= 1U << m->field;
	}
}

/* Is a series read that belongs, or may belong, to this module? */
static bool is_read(const struct source *s, const char *module)
{
	for (unsigned int i = 0; i < s->nmodules; i++)
		if (!strcmp(s->modules[i].name, module))
			return true;
	return false;
}

void note_missed(const struct source *s, const struct series *modules)
{
	static const char *const words[] = { "missed", "dropped" };

	for (unsigned int k = 0; modules && k < modules->nkeys; k++) {
		const struct key *key = modules->keys[k];

		for (int i = 0; i < 2 && is_read(s, key->name); i++)
			if (key->values.counters[i])
				note("WARNING: %s %s %" PRIu64 " event%s", key->name, words[i],
				     key->values.counters[i],
				     key->values.counters[i] == 1 ? "" : "s");
	}
}

void note_walks(const struct source *s, const struct series *modules)
{
	for (unsigned int k = 0; modules && k < modules->nkeys; k++)
		if (is_read(s, modules->keys[k]->name) && modules->keys[k]->values.counters[2])
			note("WARNING: %s saw only a part of what is under way",
			     modules->keys[k]->name);
}

double source_end(const struct source *s)
{
	return clock_time() + s->finish - wall_time();
}

/*
 * Has a running module, of which a series is read, no probes yet? With `attach = demand` the module
 * gets its probes soon after a fetch.
 */
static bool is_to_attach(struct source *s)
{
	struct text *statuses, *probes;
	unsigned int n = source_texts(s, "estat.module.status", &statuses);
	unsigned int nprobes = source_texts(s, "estat.module.probes", &probes);
	bool any = false;

	for (unsigned int i = 0; i < s->nseries; i++) {
		const char *name = s->series[i]->prefix + strlen("estat.");
		const char *status = owner_text(statuses, n, name);
		const char *attached = owner_text(probes, nprobes, name);

		any |= status && !strcmp(status, "running") && attached && !strcmp(attached, "0");
	}
	texts_free(statuses, n);
	texts_free(probes, nprobes);
	return any;
}

void source_await(struct source *s)
{
	double until = fmin(clock_time() + ATTACH_LONG, source_end(s));
	pmResult *r;

	while (clock_time() < until && is_to_attach(s)) {
		s->awaited = true;
		if (source_fetch(s, s->nmetrics, s->pmids, &r) >= 0)
			pmFreeResult(r);
		if (!sleep_until(clock_time() + ATTACH_LOOK, false))
			return;
	}
}

/* Tell the user which of the modules that are read count only a sample of their operations. */
static void note_samples(struct source *s)
{
	struct text *texts;
	unsigned int n = source_texts(s, "estat.module.sample", &texts);

	for (unsigned int i = 0; i < n; i++)
		if (is_read(s, texts[i].instance) && strcmp(texts[i].value, "1"))
			note("%s counts one of %s operations: counters are estimates",
			     texts[i].instance, texts[i].value);
	texts_free(texts, n);
}

bool source_begin(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);

	note_samples(s);
	if (s->archive)
		pmSetMode(PM_MODE_FORW, &start, 0);
	else
		source_await(s);
	make_values_old(s, moment_fetch(s), true);
	s->began = s->time;
	s->due = s->clock;
	return !moment_is_last(s);
}

void source_has_nothing(const char *where, const char *what)
{
	pcp_time zero = pcp_time_of(0), end;
	char span[160];
	pmResult *r;

	pmSetMode(PM_MODE_FORW, &zero, 0);
	if (pmFetchArchive(&r) < 0 || pmGetArchiveEnd(&end) < 0)
		die(EXIT_NO_DATA, "%s has no values of %s in this time", where, what);
	print_span(span, sizeof(span), seconds_of(r->timestamp), seconds_of(end));
	die(EXIT_NO_DATA, "%s has no values of %s in this time; the archive covers %s", where, what,
	    span);
}

/*
 * Is there a gap between two moments of an archive that are `step` seconds apart? Stores `step` in
 * s->steps. Compares `step` with two earlier steps: one can be short after a restart of pmlogger.
 */
static bool has_gap(struct source *s, double step)
{
	double usual = fmax(s->steps[0], s->steps[1]);

	s->steps[1] = s->steps[0];
	s->steps[0] = step;
	if (!s->archive || usual <= 0 || step <= GAP * usual)
		return false;
	set_reason(s, "the archive has a gap");
	return true;
}

/* Leave the time since date `from` out of the interval, and print the reason, s->why. */
static void leave_out(const struct source *s, double from, struct interval *interval)
{
	char span[160];

	print_span(span, sizeof(span), from, s->time);
	note("%s left out: %s", span, s->why);
	interval->left_out += s->time - from;
}

/* Go to the next moment and add the differences. Returns false if no differences can be added. */
static bool advance(struct source *s, struct interval *interval)
{
	double before = s->clock;
	bool good = moment_fetch(s);
	/*
	 * false: the archive has ended; or the date was set back, and this moment has the date of
	 * the moment before (libpcp leaves out records of earlier dates)
	 */
	bool forward = s->clock > before;
	bool whole = good && s->valid && forward && !has_gap(s, s->clock - before);
	bool any = whole && find_continuing(s);
	bool continuous = any && counters_continue(s);

	if (continuous) {
		add_differences(s);
		note_lacks(s);
		interval->seconds += s->clock - before;
	}
	if (good && !forward) {
		set_reason(s, "the date was set back");
		leave_out(s, s->time, interval);
	}
	make_values_old(s, good, !whole || any != continuous);
	return continuous;
}

/*
 * Add the differences of an archive's moments up to the first at or after date `until` or, with
 * `all`, to the end. Leaves out the time between two moments whose counters cannot be compared.
 */
static enum outcome step_archive(struct source *s, double until, bool all,
				 struct interval *interval)
{
	while (!stopped && !moment_is_last(s) && (all || s->time < until)) {
		double before = s->time;

		if (advance(s, interval))
			continue;
		if (s->time > before)
			leave_out(s, before, interval);
		else if (!all) /* no later date: archive ended, or date set back */
			break;
	}
	if (interval->seconds > 0)
		return INTERVAL_OK;
	return stopped || moment_is_last(s) ? INTERVAL_END : INTERVAL_LEFT_OUT;
}

/* Measure an interval of a host, with several fetches: see LOOK. */
static void step_live(struct source *s, double seconds, struct interval *interval)
{
	double look = fmax(LOOK, seconds / LOOKS);

	s->due += seconds;
	if (s->due + seconds < clock_time()) /* late by more than an interval */
		s->due = clock_time() + seconds;
	for (int after = fmax(seconds / look, 1) - 1; after >= 0; after--) {
		double next = s->due - after * look, before = s->time;

		if (after && next < clock_time())
			continue;
		sleep_until(fmin(next, source_end(s)), false);
		if (!advance(s, interval))
			leave_out(s, before, interval);
		if (stopped || wall_time() >= s->finish)
			break;
	}
}

/*
 * Add `seconds` to s->measured, and set `partly` of each main series whose measured time is
 * shorter or longer than s->measured.
 */
static void find_partly(struct source *s, double seconds)
{
	s->measured += seconds;
	for (unsigned int i = 0; i < s->nseries; i++) {
		struct series *series = s->series[i];

		series->partly = !series->auxiliary &&
				 fabs(series->seconds - s->measured) > TOLERANCE * s->measured;
	}
}

enum outcome source_step(struct source *s, double seconds, struct interval *interval)
{
	enum outcome outcome;

	*interval = (struct interval){ .begin = s->began };
	if (moment_is_last(s))
		return INTERVAL_END;
	if (s->archive) {
		double early = seconds * EARLY;
		double until = s->began + seconds - (early < 0.5 ? early : 0.5);

		if (seconds == EACH_RECORD)
			until = nextafter(s->began, INFINITY);
		outcome = step_archive(s, until, seconds == 0, interval);
	} else {
		if (wall_time() >= s->finish)
			return INTERVAL_END;
		step_live(s, seconds, interval);
		outcome = interval->seconds > 0 ? INTERVAL_OK : INTERVAL_LEFT_OUT;
	}
	interval->end = s->began = s->time;
	find_partly(s, interval->seconds);
	return outcome;
}

void source_clear(struct source *s)
{
	s->measured = 0;
	for (unsigned int i = 0; i < s->nseries; i++) {
		struct series *series = s->series[i];

		series->lacks = 0;
		series->seconds = 0;
		series->partly = false;
		for (unsigned int k = 0; k < series->nkeys; k++)
			values_clear(&series->keys[k]->values);
	}
}

struct mark {
	struct source source; /* a copy, but its pointers lead to the source's arrays */
	uint64_t *starts;     /* copy of source.modules[].start */
	double *since;        /* copy of `since` of each series */
	pmAtomValue *values;  /* copy of source.old */
	bool *had_values;     /* copy of `had_values` of each metric */
};

/* The mark and its arrays are one allocation. */
struct mark *source_mark(const struct source *s)
{
	struct mark *m = xalloc(malloc(sizeof(*m) + s->nmodules * sizeof(*m->starts) +
				       s->nseries * sizeof(*m->since) +
				       s->nrefs * sizeof(*m->values) + s->nmetrics));

	m->source = *s;
	m->starts = (uint64_t *)(m + 1);
	m->since = (double *)(m->starts + s->nmodules);
	m->values = (pmAtomValue *)(m->since + s->nseries);
	m->had_values = (bool *)(m->values + s->nrefs);
	for (unsigned int i = 0; i < s->nmodules; i++)
		m->starts[i] = s->modules[i].start;
	for (unsigned int i = 0; i < s->nseries; i++)
		m->since[i] = s->series[i]->since;
	for (unsigned int i = 0; i < s->nrefs; i++)
		m->values[i] = s->old[i];
	for (unsigned int i = 0; i < s->nmetrics; i++)
		m->had_values[i] = s->metrics[i].had_values;
	return m;
}

/* Reads the mark's moment again, so that the next record is the first one after that moment. */
void source_return(struct source *s, const struct mark *mark)
{
	const struct source *old = &mark->source;
	pcp_time time = pcp_time_of(old->time - 1e-6); /* a time rounded up skips the moment */

	moment_rewind(s);
	for (unsigned int i = 0; i < s->nmetrics; i++)
		s->metrics[i].time = 0; /* 0: date of the last record unknown */
	pmSetMode(PM_MODE_FORW, &time, 0);
	moment_fetch(s);
	for (unsigned int i = 0; i < s->nrefs; i++)
		s->now[i] = i < old->nrefs ? mark->values[i] : (pmAtomValue){ .ull = 0 };
	make_values_old(s, old->valid, true);
	for (unsigned int i = 0; i < old->nseries; i++)
		s->series[i]->since = mark->since[i];
	for (unsigned int i = 0; i < old->nmetrics; i++)
		s->metrics[i].had_values = mark->had_values[i];
	s->time = s->clock = s->began = old->time;
	memcpy(s->steps, old->steps, sizeof(s->steps));
	s->agent = old->agent;
	for (unsigned int i = 0; i < old->nmodules; i++)
		s->modules[i].start = mark->starts[i];
}
