// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmlogger writes metrics with different logging intervals as several records. A moment of an
 * archive begins at a record with a metric of a main (not auxiliary) series. The next moment begins
 * at the latest at the record that repeats a metric of a main series. Records between the two that
 * are near to the next moment belong to that moment (NEARER). Some moments lack a series that is
 * logged less often.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/pcptime.h"
#include "moment.h"

/*
 * A record with a metric of a main series belongs to the current moment, unless the record is more
 * than NEARER times nearer to the begin of the next moment than to the begin of the current one. A
 * record without such a metric belongs to the current moment only if the record is more than NEARER
 * times nearer to the begin of the current moment than to the begin of the next one.
 */
#define NEARER 4

void set_reason(struct source *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
}

/*
 * Set *known to `start`, the time at which the agent or a module started; `known` NULL: do nothing.
 * If *known was another time, and not 0 (unknown), there was a restart, at which counters began at
 * 0: set s->reset, clear s->valid, and set s->why to `why`.
 */
static void set_start(struct source *s, uint64_t *known, uint64_t start, const char *why)
{
	if (known && *known && *known != start) {
		set_reason(s, "%s", why);
		s->valid = false;
		s->reset = true;
	}
	if (known)
		*known = start;
}

/* Set key->told to a text of malloc(3), or to NULL if the source tells nothing. */
static void set_told(struct key *key, char *text)
{
	free(key->told);
	key->told = text;
}

static void keep_metric(struct source *s, struct metric *m, const pmValueSet *set)
{
	bool real = m->field == FIELD_SUMSQ || m->field == FIELD_MAX;
	int type = real ? PM_TYPE_DOUBLE : m->field == FIELD_TOLD ? PM_TYPE_STRING : PM_TYPE_U64;
	uint64_t before = m->taken;

	m->seen = true;
	m->taken = s->moment;
	m->has_values = set->numval > 0;
	if (m->field < FIELD_AGENT)
		m->series->seen = s->moment;
	for (int i = 0; i < set->numval; i++) {
		int inst = set->vlist[i].inst, ref;
		pmAtomValue atom;

		if (pmExtractValue(set->valfmt, &set->vlist[i], m->desc.type, &atom, type) < 0)
			continue;
		if (m->field == FIELD_AGENT) {
			set_start(s, &s->agent, atom.ull, "estat's agent has restarted");
		} else if (m->field == FIELD_MODULE) {
			set_start(s, module_start(s, m, inst), atom.ull,
				  "the module has restarted");
		} else if ((ref = ref_of(s, m, inst)) >= 0) {
			if (m->field == FIELD_TOLD)
				set_told(s->refs[ref].key, atom.cp);
			else
				s->now[ref] = atom;
			s->refs[ref].returns = s->refs[ref].taken < before;
			s->refs[ref].taken = s->moment;
		}
	}
}

/* Is the metric estat.agent.start, estat.module.start, or one of an auxiliary series? */
static bool is_auxiliary(const struct metric *m)
{
	return m->field >= FIELD_AGENT || m->series->auxiliary;
}

/*
 * Keep the values of a fetch or record. Returns false if a metric of a main series has an error in
 * the place of values: the agent did not answer.
 */
static bool keep_values(struct source *s, const pmResult *r)
{
	int error = 0;

	for (int i = 0; i < r->numpmid; i++) {
		struct metric *m = find_metric(s, r->vset[i]->pmid);

		if (!m)
			continue;
		m->time = seconds_of(r->timestamp);
		if (r->vset[i]->numval >= 0)
			keep_metric(s, m, r->vset[i]);
		else if (!is_auxiliary(m))
			error = r->vset[i]->numval;
	}
	if (error)
		set_reason(s, "estat did not answer: %s", pmErrStr(error));
	return !error;
}

/* Fetch a moment from a pmcd. Returns false if pmcd or the agent did not answer. */
static bool fetch_live(struct source *s)
{
	double begun = clock_time();
	pmResult *r;
	bool good;
	int sts = source_fetch(s, s->nmetrics, s->pmids, &r);

	s->clock = clock_time();
	if (sts < 0) {
		set_reason(s, "pmcd did not answer: %s", pmErrStr(sts));
		s->time = wall_time();
		return false;
	}
	s->time = seconds_of(r->timestamp);
	good = keep_values(s, r);
	pmFreeResult(r);
	if (s->debug > 0)
		note("%u metrics, %u values, in %.0f us", s->nmetrics, s->nrefs,
		     (clock_time() - begun) * 1e6);
	return good;
}

/*
 * What a record adds to the current moment. Of a record with several metrics, the metric with the
 * highest of these values decides.
 */
enum content {
	CONTENT_NONE,
	CONTENT_AUXILIARY,
	CONTENT_SHOWN, /* a metric of a main series */
	CONTENT_AGAIN, /* a metric of a main series that came before, since the moment's begin */
};

static enum content content_of(const struct source *s, const pmResult *r)
{
	enum content all = CONTENT_NONE;

	for (int i = 0; i < r->numpmid; i++) {
		const struct metric *m = find_metric(s, r->vset[i]->pmid);
		enum content content = !m                ? CONTENT_NONE
				       : is_auxiliary(m) ? CONTENT_AUXILIARY
				       : m->ahead        ? CONTENT_AGAIN
							 : CONTENT_SHOWN;

		all = content > all ? content : all;
	}
	return all;
}

void source_read_failed(struct source *s, int error, double time)
{
	char text[64];

	if (error == PM_ERR_EOL || *s->damage)
		return;
	print_time(text, sizeof(text), "%D - %H:%M:%S %Z", fmax(time, s->start));
	snprintf(s->damage, sizeof(s->damage), "cannot read the archive %s after %s: %s", s->where,
		 text, pmErrStr(error));
	note("%s", s->damage);
}

/*
 * The record that comes n records after the next record; NULL: before that record the archive or
 * the time window ends, or reading fails. A mark record, which stands for a gap in the archive, has
 * no metrics.
 */
static pmResult *look_ahead(struct source *s, unsigned int n)
{
	pmResult *r;
	int sts;

	if (n < s->nahead)
		return s->ahead[n];
	if (s->ended)
		return NULL;
	sts = pmFetchArchive(&r);
	if (sts < 0)
		source_read_failed(s, sts, n ? seconds_of(s->ahead[n - 1]->timestamp) : s->time);
	s->ended = sts < 0 || seconds_of(r->timestamp) > s->finish;
	if (s->ended) {
		if (sts >= 0)
			pmFreeResult(r);
		return NULL;
	}
	s->ahead = grow(s->ahead, s->nahead, sizeof(*s->ahead));
	s->ahead[s->nahead++] = r;
	return r;
}

static void remove_ahead(struct source *s, unsigned int n)
{
	pmFreeResult(s->ahead[n]);
	s->nahead--;
	memmove(s->ahead + n, s->ahead + n + 1, (s->nahead - n) * sizeof(*s->ahead));
}

/* Set `ahead` of the metrics of a record that may belong to the current moment. */
static void mark_metrics_ahead(const struct source *s, const pmResult *r)
{
	for (int i = 0; i < r->numpmid; i++) {
		struct metric *m = find_metric(s, r->vset[i]->pmid);

		if (m && r->vset[i]->numval >= 0)
			m->ahead = true;
	}
}

/*
 * Take the records of an archive up to the first one with a metric of a main series: that record
 * begins the moment. *begun: whether there is such a record. Returns false if *begun is false, or
 * if keep_values() of one of these records returned false.
 */
static bool begin_moment(struct source *s, bool *begun)
{
	bool good = true;
	pmResult *r;

	for (unsigned int i = 0; i < s->nmetrics; i++)
		s->metrics[i].seen = s->metrics[i].ahead = false;
	*begun = false;
	while (!*begun && (r = look_ahead(s, 0))) {
		enum content content = content_of(s, r);

		if (r->numpmid == 0) {
			s->valid = false;
			set_reason(s, "the archive has a gap");
		} else if (content != CONTENT_NONE) {
			good &= keep_values(s, r);
		}
		if (content == CONTENT_SHOWN) {
			s->time = s->clock = seconds_of(r->timestamp);
			mark_metrics_ahead(s, r);
			*begun = true;
		}
		remove_ahead(s, 0);
	}
	return good && *begun;
}

/*
 * Does a record without a metric of a main series belong to the next moment? Yes, if one of the
 * record's metrics is in an earlier record since the begin of the current moment. Yes, too, if for
 * one of the record's metrics the time from that begin to the record is at least 1/NEARER of the
 * time from the metric's previous record to the record.
 */
static bool belongs_to_next(const struct source *s, const pmResult *r)
{
	double time = seconds_of(r->timestamp);

	for (int i = 0; i < r->numpmid; i++) {
		const struct metric *m = find_metric(s, r->vset[i]->pmid);

		if (m && (m->ahead || time - s->time >= (time - m->time) / NEARER))
			return true;
	}
	return false;
}

/*
 * Read ahead the records that may belong to the current moment. Returns their number. Sets *next to
 * the date of the first record after them or, at a gap or the end, to the date at which the next
 * moment would be expected: one step (s->steps[0]) after the current moment; INFINITY: that step is
 * not known.
 */
static unsigned int read_ahead(struct source *s, double *next)
{
	unsigned int n = 0;
	pmResult *r;

	*next = s->steps[0] > 0 ? s->time + s->steps[0] : INFINITY;
	while ((r = look_ahead(s, n))) {
		enum content content = content_of(s, r);

		if (r->numpmid == 0)
			break;
		if (content == CONTENT_NONE) {
			remove_ahead(s, n);
			continue;
		}
		if (content == CONTENT_AGAIN ||
		    (content == CONTENT_AUXILIARY && belongs_to_next(s, r))) {
			*next = seconds_of(r->timestamp);
			break;
		}
		mark_metrics_ahead(s, r);
		n++;
	}
	return n;
}

/* Does a record belong to the current moment, and not to the moment that begins at date `next`? */
static bool belongs_to_moment(const struct source *s, const pmResult *r, double next)
{
	double time = seconds_of(r->timestamp), after = time - s->time, before = next - time;

	return content_of(s, r) == CONTENT_AUXILIARY ? after < before / NEARER
						     : after <= before * NEARER;
}

/* Read a moment of an archive. Returns false at the end, or if the agent did not answer. */
static bool fetch_archive(struct source *s)
{
	bool begun, good = begin_moment(s, &begun);
	double next;

	if (!begun)
		return false;
	for (unsigned int n = read_ahead(s, &next), i = 0; i < n;) {
		if (belongs_to_moment(s, s->ahead[i], next)) {
			good &= keep_values(s, s->ahead[i]);
			remove_ahead(s, i);
			n--;
		} else {
			i++;
		}
	}
	return good;
}

/* In the first moment after a restart: set to 0 each value in s->now that this moment lacks. */
static void clear_missing_values(struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++)
		if (s->refs[i].taken != s->moment)
			s->now[i] = (pmAtomValue){ .ull = 0 };
}

/*
 * Set the gauges of keys to the moment's values, and update values.peak. A gauge of which the
 * moment lacks the value becomes 0; a key->told of which the moment lacks the text becomes NULL.
 */
static void take_gauges(const struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++) {
		const struct value_ref *ref = &s->refs[i];

		if (is_gauge(ref->field))
			*ref->counter = ref->taken == s->moment ? s->now[i].ull : 0;
		else if (ref->field == FIELD_TOLD && ref->taken != s->moment)
			set_told(ref->key, NULL);
	}
	for (unsigned int i = 0; i < s->nrefs; i++) {
		struct values *v = &s->refs[i].key->values;

		if (s->refs[i].field != FIELD_OLDEST || v->oldest <= v->peak.oldest)
			continue;
		v->peak.inflight = v->inflight;
		v->peak.oldest = v->oldest;
		v->peak.time = s->time;
	}
}

bool moment_fetch(struct source *s)
{
	bool good;

	s->moment++;
	s->reset = false;
	good = s->archive ? fetch_archive(s) : fetch_live(s);
	if (s->reset)
		clear_missing_values(s);
	take_gauges(s);
	return good;
}

bool moment_is_last(const struct source *s)
{
	return s->archive && s->ended && !s->nahead;
}

void moment_rewind(struct source *s)
{
	while (s->nahead)
		remove_ahead(s, s->nahead - 1);
	s->ended = false;
}
