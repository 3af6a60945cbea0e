// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics as what they grew by between two moments. A moment of a pmcd is a fetch. One
 * of an archive is what pmlogger has written in one go: its records until a metric
 * comes again.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcptime.h"
#include "signals.h"
#include "slots.h"

/* A record may come earlier by this share of the interval, and still be its end. */
#define EARLY 0.05

/* A gap is a step between records so many times as long as the longer of the two before. */
#define GAP 3

/* A host's interval is looked at each so many seconds, or so many times if it is a long one. */
#define LOOK  1.0
#define LOOKS 20

void values_add(struct values *into, const struct values *from)
{
	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->sum_ns += from->sum_ns;
	into->sumsq += from->sumsq;
	for (int i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
		into->latency[i] += from->latency[i];
	for (int i = 0; i < ESTAT_FINE_BUCKETS; i++)
		into->fine[i] += from->fine[i];
	for (int i = 0; i < ESTAT_SIZE_BUCKETS; i++)
		into->size[i] += from->size[i];
	if (from->max > into->max)
		into->max = from->max;
	into->lacks |= from->lacks;
	for (int i = 0; i < MAX_COUNTERS; i++)
		into->counters[i] += from->counters[i];
	if (!from->by_size)
		return;
	if (!into->by_size)
		into->by_size = or_die(calloc(ESTAT_SIZE_BUCKETS, sizeof(*into->by_size)));
	for (int i = 0; i < ESTAT_SIZE_BUCKETS; i++)
		for (int j = 0; j < ESTAT_LATENCY_BUCKETS; j++)
			into->by_size[i][j] += from->by_size[i][j];
}

bool lacks(const struct values *v, enum field field)
{
	return v->lacks & 1U << field;
}

bool has(const struct series *series, enum field field)
{
	return series->has & 1U << field;
}

void source_open(struct source *s, pmOptions *opts)
{
	const char *host = opts->nhosts ? opts->hosts[0] : "local:";
	int sts;

	s->archive = opts->narchives > 0;
	s->where = s->archive ? opts->archives[0] : host;
	s->context = pmNewContext(s->archive ? PM_CONTEXT_ARCHIVE : PM_CONTEXT_HOST, s->where);
	if (s->context < 0 && s->archive)
		die(EXIT_NO_DATA, "cannot open the archive %s: %s", s->where, pmErrStr(s->context));
	if (s->context < 0)
		die(EXIT_NO_DATA,
		    "no pmcd answers on %s: %s\nStart it there (systemctl start pmcd), or name "
		    "another host (--host) or an archive (--archive).",
		    opts->nhosts ? host : "this host", pmErrStr(s->context));
	sts = pmGetContextOptions(s->context, opts);
	if (sts < 0 || opts->errors) {
		pmflush();
		die(EXIT_USAGE, "bad time window or time zone");
	}
	pmGetContextHostName_r(s->context, s->host, sizeof(s->host));
	s->start = seconds_of(opts->origin);
	s->finish = seconds_of(opts->finish);
}

/* Remember why an interval is to be left out. */
__attribute__((format(printf, 2, 3))) static void because(struct source *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
}

/* When something began to count. */
static void take_start(struct source *s, uint64_t *known, uint64_t start, const char *why)
{
	if (*known && *known != start) {
		because(s, "%s", why);
		s->valid = false;
		s->anew = true;
	}
	*known = start;
}

/*
 * Keep what a fetch has of a metric. Where an archive has no values before these, they are
 * not known: the metric was not logged, or its module waited and now goes on where it was.
 * Fine buckets are used only if they are as many as the others, see rows.c.
 */
static void take_metric(struct source *s, struct metric *m, const pmValueSet *set)
{
	bool real = m->field == FIELD_SUMSQ || m->field == FIELD_MAX;
	int type = real ? PM_TYPE_DOUBLE : PM_TYPE_U64;

	m->seen = true;
	m->has_values = set->numval > 0;
	if (m->has_values && !m->had_values && s->archive && m->field < FIELD_FINE) {
		because(s, "not all was there before");
		s->valid = false;
	}
	for (int i = 0; i < set->numval; i++) {
		pmAtomValue atom;
		uint64_t *known;
		int slot;

		if (pmExtractValue(set->valfmt, &set->vlist[i], m->desc.type, &atom, type) < 0)
			continue;
		if (m->field == FIELD_AGENT) {
			take_start(s, &s->agent, atom.ull, "estat's agent has restarted");
			continue;
		}
		if (m->field == FIELD_MODULE) {
			known = module_start(s, m, set->vlist[i].inst);
			if (known)
				take_start(s, known, atom.ull,
					   "the module has begun to count anew");
			continue;
		}
		slot = slot_of(s, m, set->vlist[i].inst);
		if (slot < 0)
			continue;
		s->now[slot] = atom;
		s->slots[slot].taken = s->moment;
	}
}

/* Keep what a fetch has. False if the agent did not answer. */
static bool take(struct source *s, const pmResult *r)
{
	int error = 0;

	for (int i = 0; i < r->numpmid; i++) {
		struct metric *m = find_metric(s, r->vset[i]->pmid);

		if (m && r->vset[i]->numval >= 0)
			take_metric(s, m, r->vset[i]);
		else if (m)
			error = r->vset[i]->numval;
	}
	if (error)
		because(s, "estat did not answer: %s", pmErrStr(error));
	return !error;
}

/* A moment of a pmcd. */
static bool fetch_live(struct source *s)
{
	double begun = clock_time();
	pmResult *r;
	bool good;
	int sts = pmFetch(s->nmetrics, s->pmids, &r);

	s->clock = clock_time();
	if (sts < 0) {
		because(s, "pmcd did not answer: %s", pmErrStr(sts));
		pmReconnectContext(s->context);
		s->time = wall_time();
		return false;
	}
	s->time = seconds_of(r->timestamp);
	good = take(s, r);
	pmFreeResult(r);
	if (s->debug > 0)
		note("%u metrics, %u values, in %.0f us", s->nmetrics, s->nslots,
		     (clock_time() - begun) * 1e6);
	return good;
}

/* Has a record a metric that is read, and is new in this moment or not? */
static bool has_metric(const struct source *s, const pmResult *r, bool seen)
{
	for (int i = 0; i < r->numpmid; i++) {
		const struct metric *m = find_metric(s, r->vset[i]->pmid);

		if (m && m->seen == seen)
			return true;
	}
	return false;
}

/* The next record of the archive, or NULL at its end, or the window's. Marks have no metrics. */
static pmResult *next_record(struct source *s)
{
	pmResult *r = s->ahead;

	if (r) {
		s->ahead = NULL;
		return r;
	}
	if (s->ended || pmFetchArchive(&r) < 0) {
		s->ended = true;
		return NULL;
	}
	if (seconds_of(r->timestamp) > s->finish) {
		pmFreeResult(r);
		s->ended = true;
		return NULL;
	}
	return r;
}

/* A moment of an archive. */
static bool fetch_archive(struct source *s)
{
	bool first = true, good = true;
	pmResult *r;

	for (unsigned int i = 0; i < s->nmetrics; i++)
		s->metrics[i].seen = false;
	while ((r = next_record(s))) {
		bool mark = r->numpmid == 0;

		if (!first && (mark || has_metric(s, r, true))) {
			s->ahead = r;
			break;
		}
		if (mark) {
			s->valid = false;
			because(s, "the archive has a gap");
		} else if (has_metric(s, r, false)) {
			if (first)
				s->time = s->clock = seconds_of(r->timestamp);
			first = false;
			good &= take(s, r);
		}
		pmFreeResult(r);
	}
	return good && !first;
}

/* What a new agent or module does not have yet is 0; an archive's records come in any order. */
static void forget_others(struct source *s)
{
	for (unsigned int i = 0; i < s->nslots; i++)
		if (s->slots[i].taken != s->moment)
			s->now[i] = (pmAtomValue){ .ull = 0 };
}

static bool fetch(struct source *s)
{
	bool good;

	s->moment++;
	s->anew = false;
	ask_begins();
	good = s->archive ? fetch_archive(s) : fetch_live(s);
	ask_ends();
	if (s->anew)
		forget_others(s);
	return good;
}

static bool at_end(const struct source *s)
{
	return s->archive && s->ended && !s->ahead;
}

/* What is now is the moment before what comes. */
static void keep(struct source *s, bool valid)
{
	if (s->nslots)
		memcpy(s->before, s->now, s->nslots * sizeof(*s->now));
	for (unsigned int i = 0; i < s->nmetrics; i++) {
		s->metrics[i].had_values = s->metrics[i].has_values;
		s->metrics[i].has_values = false;
	}
	s->valid = valid;
}

/* Have the counters gone on since the moment before? */
static bool continues(struct source *s)
{
	for (unsigned int i = 0; i < s->nslots; i++) {
		bool less = s->slots[i].field == FIELD_SUMSQ ? s->now[i].d < s->before[i].d
							     : s->now[i].ull < s->before[i].ull;

		if (less && s->slots[i].field != FIELD_MAX) {
			because(s, "a counter of %s was reset", s->slots[i].key->name);
			return false;
		}
	}
	return true;
}

/* Add what a slot's counter grew by; of the highest latency take what is now. */
static void add_slot(const struct slot *slot, const pmAtomValue *now, const pmAtomValue *before)
{
	uint64_t n = now->ull - before->ull;
	struct values *v = &slot->key->values;

	switch (slot->field) {
	case FIELD_OPS:
		v->ops += n;
		break;
	case FIELD_ERRORS:
		v->errors += n;
		break;
	case FIELD_BYTES:
		v->bytes += n;
		break;
	case FIELD_SUM:
		v->sum_ns += n;
		break;
	case FIELD_SUMSQ:
		v->sumsq += now->d - before->d;
		break;
	case FIELD_LATENCY:
		v->latency[slot->cell] += n;
		break;
	case FIELD_FINE:
		v->fine[slot->cell] += n;
		break;
	case FIELD_SIZE:
		v->size[slot->cell] += n;
		break;
	case FIELD_BY_SIZE:
		v->by_size[slot->cell / ESTAT_LATENCY_BUCKETS]
			  [slot->cell % ESTAT_LATENCY_BUCKETS] += n;
		break;
	case FIELD_MAX:
		v->max = now->d > v->max ? now->d : v->max;
		break;
	default:
		v->counters[slot->field - FIELD_COUNTER] += n;
	}
}

static void add_differences(const struct source *s)
{
	for (unsigned int i = 0; i < s->nslots; i++)
		if (s->slots[i].field != FIELD_MAX || s->slots[i].taken == s->moment)
			add_slot(&s->slots[i], &s->now[i], &s->before[i]);
}

/* What a moment of an archive has not is not known of the interval. */
static void note_lacks(const struct source *s)
{
	for (unsigned int i = 0; s->archive && i < s->nmetrics; i++) {
		const struct metric *m = &s->metrics[i];

		if (!m->seen && m->field < FIELD_AGENT)
			m->series->lacks |= 1U << m->field;
	}
}

double source_end(const struct source *s)
{
	return clock_time() + s->finish - wall_time();
}

bool source_begin(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);

	if (s->archive)
		pmSetMode(PM_MODE_FORW, &start, 0);
	keep(s, fetch(s));
	s->began = s->time;
	s->due = s->clock;
	return !at_end(s);
}

void source_has_nothing(const char *where, const char *what)
{
	pcp_time zero = pcp_time_of(0), end;
	char span[160];
	pmResult *r;

	pmSetMode(PM_MODE_FORW, &zero, 0);
	if (pmFetchArchive(&r) < 0 || pmGetArchiveEnd(&end) < 0)
		die(EXIT_NO_DATA, "%s has nothing of %s in this time", where, what);
	print_span(span, sizeof(span), seconds_of(r->timestamp), seconds_of(end));
	die(EXIT_NO_DATA, "%s has nothing of %s in this time; the archive is of %s", where, what,
	    span);
}

/*
 * Is it much longer since the moment before than it was between those before? Where one
 * pmlogger ends and the next begins, or where it was kept from writing, a step can be short.
 */
static bool has_gap(struct source *s, double step)
{
	double usual = fmax(s->steps[0], s->steps[1]);

	s->steps[1] = s->steps[0];
	s->steps[0] = step;
	if (!s->archive || usual <= 0 || step <= GAP * usual)
		return false;
	because(s, "the archive has a gap");
	return true;
}

/* Go on to the next moment and add what it has. False if it does not continue the one before. */
static bool advance(struct source *s, struct interval *interval)
{
	double before = s->clock;
	bool good = fetch(s);
	bool forward = s->clock > before; /* an archive's clock is the date */
	bool continuous = good && s->valid && forward && !has_gap(s, s->clock - before) &&
			  continues(s);

	if (continuous) {
		add_differences(s);
		note_lacks(s);
		interval->seconds += s->clock - before;
	}
	keep(s, good);
	return continuous;
}

/* Say that what was up to now is left out. */
static void note_left_out(const struct source *s, double from)
{
	char span[160];

	print_span(span, sizeof(span), from, s->time);
	note("%s left out: %s", span, s->why);
}

/* Steps of an archive, up to the time. What does not continue what was before is left out. */
static enum outcome step_archive(struct source *s, double until, bool all,
				 struct interval *interval)
{
	while (!stopped && !at_end(s) && (all || s->time < until)) {
		double before = s->time;

		if (advance(s, interval))
			continue;
		if (s->time > before) {
			note_left_out(s, before);
			interval->left_out += s->time - before;
		} else if (!all) { /* when it ends is not known any more */
			break;
		}
	}
	if (interval->seconds > 0)
		return INTERVAL_OK;
	return stopped || at_end(s) ? INTERVAL_END : INTERVAL_LEFT_OUT;
}

/*
 * An interval of a host. Where there is no going on, as after a restart of the agent, what is
 * left out is only what was since the last look.
 */
static void step_live(struct source *s, double seconds, struct interval *interval)
{
	double look = fmax(LOOK, seconds / LOOKS);

	s->due += seconds;
	if (s->due + seconds < clock_time()) /* a fetch took too long: begin anew */
		s->due = clock_time() + seconds;
	for (int after = fmax(seconds / look, 1) - 1; after >= 0; after--) {
		double next = s->due - after * look, before = s->time;

		if (after && next < clock_time())
			continue;
		sleep_until(fmin(next, source_end(s)), false);
		if (!advance(s, interval)) {
			note_left_out(s, before);
			interval->left_out += s->time - before;
		}
		if (stopped || wall_time() >= s->finish)
			break;
	}
}

enum outcome source_step(struct source *s, double seconds, struct interval *interval)
{
	enum outcome outcome;

	*interval = (struct interval){ .begin = s->began };
	if (at_end(s))
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
	return outcome;
}

static void values_clear(struct values *v)
{
	void *by_size = v->by_size;

	memset(v, 0, sizeof(*v));
	v->by_size = by_size;
	if (by_size)
		memset(by_size, 0, ESTAT_SIZE_BUCKETS * sizeof(*v->by_size));
}

void source_clear(struct source *s)
{
	for (unsigned int i = 0; i < s->nseries; i++) {
		s->series[i]->lacks = 0;
		for (unsigned int k = 0; k < s->series[i]->nkeys; k++)
			values_clear(&s->series[i]->keys[k]->values);
	}
}

struct mark {
	double time, steps[2];
	uint64_t agent;
	bool valid;
	unsigned int nmodules, nslots, nmetrics;
	uint64_t *starts;    /* of modules */
	pmAtomValue *values; /* of slots */
	bool *had_values;    /* of metrics */
};

size_t mark_size(const struct mark *mark)
{
	return sizeof(*mark) + mark->nmodules * sizeof(*mark->starts) +
	       mark->nslots * sizeof(*mark->values) + mark->nmetrics;
}

/* All of it is one piece of memory. */
struct mark *source_mark(const struct source *s)
{
	struct mark m = { .time = s->time,
			  .steps = { s->steps[0], s->steps[1] },
			  .agent = s->agent,
			  .valid = s->valid,
			  .nmodules = s->nmodules,
			  .nslots = s->nslots,
			  .nmetrics = s->nmetrics };
	struct mark *mark = or_die(malloc(mark_size(&m)));

	*mark = m;
	mark->starts = (uint64_t *)(mark + 1);
	mark->values = (pmAtomValue *)(mark->starts + m.nmodules);
	mark->had_values = (bool *)(mark->values + m.nslots);
	for (unsigned int i = 0; i < m.nmodules; i++)
		mark->starts[i] = s->modules[i].start;
	if (m.nslots)
		memcpy(mark->values, s->before, m.nslots * sizeof(*s->before));
	for (unsigned int i = 0; i < m.nmetrics; i++)
		mark->had_values[i] = s->metrics[i].had_values;
	return mark;
}

/* Read the moment of the mark again, so that the next record is the one after it. */
void source_return(struct source *s, const struct mark *mark)
{
	pcp_time time = pcp_time_of(mark->time - 1e-6); /* as it was rounded */

	if (s->ahead)
		pmFreeResult(s->ahead);
	s->ahead = NULL;
	s->ended = false;
	pmSetMode(PM_MODE_FORW, &time, 0);
	fetch(s);
	for (unsigned int i = 0; i < s->nslots; i++)
		s->now[i] = i < mark->nslots ? mark->values[i] : (pmAtomValue){ .ull = 0 };
	keep(s, mark->valid);
	for (unsigned int i = 0; i < mark->nmetrics; i++)
		s->metrics[i].had_values = mark->had_values[i];
	s->time = s->clock = s->began = mark->time;
	memcpy(s->steps, mark->steps, sizeof(s->steps));
	s->agent = mark->agent;
	for (unsigned int i = 0; i < mark->nmodules; i++)
		s->modules[i].start = mark->starts[i];
}
