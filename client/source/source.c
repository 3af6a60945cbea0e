// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the counters of two moments: see source.h. pmlogger writes metrics with different
 * logging intervals as several records. So a moment of an archive has all records up to the next
 * one that repeats a metric of a main (not auxiliary) series, some moments lack a series that is
 * logged less often, and each series keeps the time of its last values.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "base/signals.h"
#include "source.h"

/* A record that is early by at most this share of the interval still ends the interval. */
#define EARLY 0.05

/* An archive has a gap where a step takes this many times as long as the longer of the last two. */
#define GAP 3

/* A main series' record may be NEARER times as far from its moment as from the next moment. */
#define NEARER 4

/* Share of an interval by which a series' measured time may differ from the interval's. */
#define TOLERANCE 1e-6

/*
 * Fetch from a pmcd every LOOK seconds, but not more often than LOOKS times in an interval. If the
 * agent restarts, only the time since the last fetch is left out.
 */
#define LOOK  1.0
#define LOOKS 20

/* Seconds between two looks whether modules are attached; seconds after which the wait ends. */
#define ATTACH_LOOK 0.05
#define ATTACH_LONG 10.0

static void add_all(uint64_t *into, const uint64_t *from, unsigned int n)
{
	while (n-- > 0)
		into[n] += from[n];
}

void values_add(struct values *into, const struct values *from)
{
	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->sum_ns += from->sum_ns;
	into->sumsq += from->sumsq;
	add_all(into->latency, from->latency, ESTAT_LATENCY_BUCKETS);
	add_all(into->fine, from->fine, ESTAT_FINE_BUCKETS);
	add_all(into->size, from->size, ESTAT_SIZE_BUCKETS);
	into->max = fmax(into->max, from->max);
	into->lacks |= from->lacks;
	add_all(into->counters, from->counters, MAX_COUNTERS);
	if (!from->by_size)
		return;
	if (!into->by_size)
		into->by_size = xalloc(calloc(ESTAT_SIZE_BUCKETS, sizeof(*into->by_size)));
	add_all(*into->by_size, *from->by_size, ESTAT_SIZE_BUCKETS * ESTAT_LATENCY_BUCKETS);
}

bool lacks(const struct values *v, enum field field)
{
	return v->lacks & 1U << field;
}

bool has(const struct series *series, enum field field)
{
	return series->has & 1U << field;
}

unsigned int series_lacks(const struct series *series)
{
	return series->partly ? ~0U : ~series->has | series->lacks;
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

__attribute__((format(printf, 2, 3))) static void set_reason(struct source *s, const char *format,
							     ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
}

/* Keep the start of the agent or of a module. After a restart its counters began at 0. */
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

static void keep_metric(struct source *s, struct metric *m, const pmValueSet *set)
{
	bool real = m->field == FIELD_SUMSQ || m->field == FIELD_MAX;
	int type = real ? PM_TYPE_DOUBLE : PM_TYPE_U64;

	m->seen = true;
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
			s->now[ref] = atom;
			s->refs[ref].taken = s->moment;
		}
	}
}

/* Is the metric read for the agent's state or for a total? */
static bool is_auxiliary(const struct metric *m)
{
	return m->field >= FIELD_AGENT || m->series->auxiliary;
}

/* Keep the values of a fetch or record. Returns false if the agent did not answer. */
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
	int sts = pmFetch(s->nmetrics, s->pmids, &r);

	s->clock = clock_time();
	if (sts < 0) {
		set_reason(s, "pmcd did not answer: %s", pmErrStr(sts));
		pmReconnectContext(s->context);
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

/* What a record adds to the current moment: the highest value among the record's metrics. */
enum content {
	CONTENT_NONE,
	CONTENT_AUXILIARY,
	CONTENT_SHOWN, /* a metric of a main series */
	CONTENT_AGAIN, /* a metric of a main series that the moment already has */
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

/* The n-th record after the current one, or NULL at the end. A mark record has no metrics. */
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
	s->ahead = xalloc(realloc(s->ahead, (s->nahead + 1) * sizeof(*s->ahead)));
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
 * begins the moment. Returns false if the agent did not answer, or, with *begun false, if there is
 * no such record.
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

/* Does a record of auxiliary metrics, which can be logged more often, belong to the next moment? */
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
 * Read ahead the records that may belong to the current moment. Returns the number of records.
 * *next is the date of the record after these records, or at a gap or the end the expected date.
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

/* After a restart, when all records of the moment are taken: a counter without a value is 0. */
static void clear_missing_values(struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++)
		if (s->refs[i].taken != s->moment)
			s->now[i] = (pmAtomValue){ .ull = 0 };
}

static bool fetch(struct source *s)
{
	bool good;

	s->moment++;
	s->reset = false;
	blocking_begin();
	good = s->archive ? fetch_archive(s) : fetch_live(s);
	blocking_end();
	if (s->reset)
		clear_missing_values(s);
	return good;
}

static bool at_end(const struct source *s)
{
	return s->archive && s->ended && !s->nahead;
}

static bool is_seen(const struct source *s, const struct series *series)
{
	return series->seen == s->moment;
}

/* Make the current values the old values. A series without current values keeps its old values. */
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
 * Find the series whose values can be compared with their last values. An archive's metric without
 * earlier values cannot be compared: the metric was not logged, or its module waited and its
 * counters now go on. FIELD_FINE is not checked: stats.c uses fine buckets only if their sum equals
 * the sum of the other buckets. Returns false if no main series, or not each metric, is comparable.
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

/* Did no counter decrease since the last moment? */
static bool counters_continue(struct source *s)
{
	for (unsigned int i = 0; i < s->nrefs; i++) {
		bool less = s->refs[i].field == FIELD_SUMSQ ? s->now[i].d < s->old[i].d
							    : s->now[i].ull < s->old[i].ull;

		if (less && s->refs[i].field != FIELD_MAX && s->refs[i].series->continues) {
			set_reason(s, "a counter of %s was reset", s->refs[i].key->name);
			return false;
		}
	}
	return true;
}

/* Add the difference of a counter to its key. A maximum is no counter: keep the highest. */
static void add_difference(const struct value_ref *ref, const pmAtomValue *now,
			   const pmAtomValue *old)
{
	struct values *v = &ref->key->values;

	if (ref->field == FIELD_SUMSQ)
		v->sumsq += now->d - old->d;
	else if (ref->field == FIELD_MAX)
		v->max = fmax(now->d, v->max);
	else
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

/* Set in series->lacks each metric that an archive's moment lacks although it has the series. */
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

void note_missed(const struct key *key)
{
	static const char *const words[] = { "missed", "dropped" };

	for (int i = 0; i < 2; i++)
		if (key->values.counters[i])
			note("WARNING: %s %s %" PRIu64 " event%s", key->name, words[i],
			     key->values.counters[i], key->values.counters[i] == 1 ? "" : "s");
}

double source_end(const struct source *s)
{
	return clock_time() + s->finish - wall_time();
}

bool owns(const char *module, const char *name)
{
	size_t length = strlen(module);

	return !strncmp(module, name, length) && (!name[length] || name[length] == '.');
}

const struct text *find_owner(const struct text *texts, unsigned int n, const char *name)
{
	const struct text *best = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < n; i++) {
		size_t length = strlen(texts[i].instance);

		if (length >= longest && owns(texts[i].instance, name)) {
			longest = length;
			best = &texts[i];
		}
	}
	return best;
}

const char *owner_text(const struct text *texts, unsigned int n, const char *name)
{
	const struct text *found = find_owner(texts, n, name);

	return found ? found->value : NULL;
}

/* Has a running module no probes yet? With `attach = demand` the module gets its probes soon. */
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

	blocking_begin();
	while (clock_time() < until && is_to_attach(s)) {
		if (pmFetch(s->nmetrics, s->pmids, &r) >= 0)
			pmFreeResult(r);
		blocking_end();
		if (!sleep_until(clock_time() + ATTACH_LOOK, false))
			return;
		blocking_begin();
	}
	blocking_end();
}

bool source_begin(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);

	if (s->archive)
		pmSetMode(PM_MODE_FORW, &start, 0);
	else
		source_await(s);
	make_values_old(s, fetch(s), true);
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
		die(EXIT_NO_DATA, "%s has no values of %s in this time", where, what);
	print_span(span, sizeof(span), seconds_of(r->timestamp), seconds_of(end));
	die(EXIT_NO_DATA, "%s has no values of %s in this time; the archive covers %s", where, what,
	    span);
}

/* Is a step much longer than both steps before? The step at pmlogger's restart can be short. */
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

/* Go to the next moment and add the differences. Returns false if moments cannot be compared. */
static bool advance(struct source *s, struct interval *interval)
{
	double before = s->clock;
	bool good = fetch(s);
	bool forward = s->clock > before; /* an archive's clock is a date and can be set back */
	bool whole = good && s->valid && forward && !has_gap(s, s->clock - before);
	bool any = whole && find_continuing(s);
	bool continuous = any && counters_continue(s);

	if (continuous) {
		add_differences(s);
		note_lacks(s);
		interval->seconds += s->clock - before;
	}
	make_values_old(s, good, !whole || any != continuous);
	return continuous;
}

/* Leave the time since date `from` out of the interval, and note the reason. */
static void leave_out(const struct source *s, double from, struct interval *interval)
{
	char span[160];

	print_span(span, sizeof(span), from, s->time);
	note("%s left out: %s", span, s->why);
	interval->left_out += s->time - from;
}

/* Add an archive's steps to date `until`, or all steps; leave out steps that cannot be compared. */
static enum outcome step_archive(struct source *s, double until, bool all,
				 struct interval *interval)
{
	while (!stopped && !at_end(s) && (all || s->time < until)) {
		double before = s->time;

		if (advance(s, interval))
			continue;
		if (s->time > before)
			leave_out(s, before, interval);
		else if (!all) /* the date was set back: the end of the interval is not known */
			break;
	}
	if (interval->seconds > 0)
		return INTERVAL_OK;
	return stopped || at_end(s) ? INTERVAL_END : INTERVAL_LEFT_OUT;
}

/* Measure an interval of a host, with several fetches: see LOOK. */
static void step_live(struct source *s, double seconds, struct interval *interval)
{
	double look = fmax(LOOK, seconds / LOOKS);

	s->due += seconds;
	if (s->due + seconds < clock_time()) /* the fetch took longer than an interval */
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

/* Add `seconds` to s->measured, and set `partly` of each series that was measured for less. */
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
	find_partly(s, interval->seconds);
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
	struct source source; /* a copy; its arrays are the source's and change after the mark */
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

/* Read the mark's moment again, so that the next record to read is the first after that moment. */
void source_return(struct source *s, const struct mark *mark)
{
	const struct source *old = &mark->source;
	pcp_time time = pcp_time_of(old->time - 1e-6); /* pcp_time_of() rounds */

	while (s->nahead)
		remove_ahead(s, s->nahead - 1);
	s->ended = false;
	for (unsigned int i = 0; i < s->nmetrics; i++)
		s->metrics[i].time = 0; /* dates of records before the mark are not known */
	pmSetMode(PM_MODE_FORW, &time, 0);
	fetch(s);
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
