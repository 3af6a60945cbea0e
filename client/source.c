// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics as what they grew by between two moments. A moment of a pmcd is a fetch. One
 * of an archive is what pmlogger has written in one go: its records until a metric
 * comes again.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "pcptime.h"
#include "source.h"

/* A record may come earlier by this share of the interval, and still be its end. */
#define EARLY 0.05

/* A gap is a step between records so many times as long as the one before. */
#define GAP 3

enum field {
	FIELD_OPS,
	FIELD_ERRORS,
	FIELD_BYTES,
	FIELD_SUM,
	FIELD_SUMSQ,
	FIELD_LATENCY,
	FIELD_SIZE,
	FIELD_BY_SIZE,
	FIELD_COUNTER, /* and those after it */
	FIELD_AGENT = FIELD_COUNTER + MAX_COUNTERS,
};

/* An instance domain. Instances keep their places in `insts`; `order` is by number. */
struct domain {
	pmInDom indom;
	unsigned int n;
	struct inst {
		int number;
		char *name;
	} * insts;
	unsigned int *order;
	pmLabelSet *labels; /* of instances */
	int nlabels;
	unsigned int nlabelled; /* how many instances there were then */
};

struct metric {
	pmDesc desc;
	enum field field;
	struct series *series;
	struct domain *domain;
	unsigned int nslots;
	int *slots;                  /* by the place of an instance; -1: none yet, -2: none ever */
	bool seen;                   /* in this moment */
	bool has_values, had_values; /* in this moment; in the one before */
};

/* Where a value goes. */
struct slot {
	enum field field;
	struct key *key;
	unsigned int cell; /* a histogram's: latency bucket, or size bucket x 65 + it */
};

static void *grow(void *array, unsigned int n, size_t size)
{
	return or_die(realloc(array, (n + 1) * size));
}

void values_add(struct values *into, const struct values *from)
{
	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->sum_ns += from->sum_ns;
	into->sumsq += from->sumsq;
	for (int i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
		into->latency[i] += from->latency[i];
	for (int i = 0; i < ESTAT_SIZE_BUCKETS; i++)
		into->size[i] += from->size[i];
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

/* The names of a domain's instances, as they are now, or all that an archive has. */
static int instances(const struct source *s, pmInDom indom, int **numbers, char ***names)
{
	return s->archive ? pmGetInDomArchive(indom, numbers, names)
			  : pmGetInDom(indom, numbers, names);
}

static int compare_insts(const void *a, const void *b, void *arg)
{
	const struct inst *insts = arg;
	int x = insts[*(const unsigned int *)a].number, y = insts[*(const unsigned int *)b].number;

	return x < y ? -1 : x > y;
}

/* The place of an instance among the first n that were learnt, or -1. */
static int domain_find(const struct domain *d, unsigned int n, int number)
{
	unsigned int low = 0, high = n;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		const struct inst *inst = &d->insts[d->order[middle]];

		if (inst->number == number)
			return d->order[middle];
		if (inst->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* Learn instances that are new. */
static void domain_refresh(const struct source *s, struct domain *d)
{
	int *numbers;
	char **names;
	int n = instances(s, d->indom, &numbers, &names);
	unsigned int known = d->n;

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++) {
		if (domain_find(d, known, numbers[i]) >= 0)
			continue;
		d->insts = grow(d->insts, d->n, sizeof(*d->insts));
		d->order = grow(d->order, d->n, sizeof(*d->order));
		d->insts[d->n] = (struct inst){ numbers[i], or_die(strdup(names[i])) };
		d->order[d->n] = d->n;
		d->n++;
	}
	qsort_r(d->order, d->n, sizeof(*d->order), compare_insts, d->insts);
	free(numbers);
	free(names);
}

static struct domain *domain_of(struct source *s, pmInDom indom)
{
	struct domain *d;

	for (unsigned int i = 0; i < s->ndomains; i++)
		if (s->domains[i]->indom == indom)
			return s->domains[i];
	d = or_die(calloc(1, sizeof(*d)));
	d->indom = indom;
	s->domains = grow(s->domains, s->ndomains, sizeof(*s->domains));
	s->domains[s->ndomains++] = d;
	if (indom != PM_INDOM_NULL) {
		domain_refresh(s, d);
		return d;
	}
	d->insts = grow(NULL, 0, sizeof(*d->insts));
	d->order = grow(NULL, 0, sizeof(*d->order));
	d->insts[0] = (struct inst){ PM_IN_NULL, "" };
	d->order[0] = 0;
	d->n = 1;
	return d;
}

/* A series' key of that name; of the first `length` characters of it. */
static struct key *find_key(const struct series *series, const char *name, size_t length)
{
	for (unsigned int i = 0; i < series->nkeys; i++)
		if (!strncmp(series->keys[i]->name, name, length) && !series->keys[i]->name[length])
			return series->keys[i];
	return NULL;
}

/* The labels of an instance, or NULL. */
static const pmLabelSet *labels_of(struct domain *d, int number)
{
	if (d->indom == PM_INDOM_NULL)
		return NULL;
	if (d->nlabelled != d->n) {
		if (d->nlabels > 0)
			pmFreeLabelSets(d->labels, d->nlabels);
		d->nlabels = pmGetInstancesLabels(d->indom, &d->labels);
		d->nlabelled = d->n;
	}
	for (int i = 0; i < d->nlabels; i++)
		if ((int)d->labels[i].inst == number)
			return &d->labels[i];
	return NULL;
}

/* The key that an instance, whose name begins with the key's, belongs to. */
static struct key *key_of(struct series *series, struct domain *d, const struct inst *inst,
			  size_t length)
{
	struct key *key = find_key(series, inst->name, length);

	if (key)
		return key;
	key = or_die(calloc(1, sizeof(*key)));
	key->name = or_die(strndup(inst->name, length));
	find_axes(key, series->prefix, labels_of(d, inst->number));
	if (series->has_by_size)
		key->values.by_size =
			or_die(calloc(ESTAT_SIZE_BUCKETS, sizeof(*key->values.by_size)));
	series->keys = grow(series->keys, series->nkeys, sizeof(*series->keys));
	series->keys[series->nkeys++] = key;
	return key;
}

/* The bucket with that lower bound, or -1. */
static int bucket_from(enum histogram kind, uint64_t low)
{
	for (unsigned int i = 0; i < histogram_buckets(kind); i++)
		if (bucket_edge(kind, i) == low)
			return i;
	return -1;
}

/* Cut the last part, a bucket, off the length of an instance's name. Its number, or -1. */
static int cut_bucket(enum histogram kind, const char *name, size_t *length)
{
	for (size_t i = *length; i >= 2; i--) {
		if (name[i - 1] != ':' || name[i - 2] != ':')
			continue;
		*length = i - 2;
		return bucket_from(kind, strtoull(name + i, NULL, 10));
	}
	return -1;
}

/* Where the values of an instance go, -2 if nowhere. */
static int new_slot(struct source *s, struct metric *m, const struct inst *inst)
{
	struct slot slot = { .field = m->field };
	size_t length = strlen(inst->name);
	int bucket = 0, size = 0;

	switch (m->field) {
	case FIELD_LATENCY:
		bucket = cut_bucket(HISTOGRAM_LATENCY, inst->name, &length);
		break;
	case FIELD_SIZE:
		bucket = cut_bucket(HISTOGRAM_SIZE, inst->name, &length);
		break;
	case FIELD_BY_SIZE:
		bucket = cut_bucket(HISTOGRAM_LATENCY, inst->name, &length);
		size = cut_bucket(HISTOGRAM_SIZE, inst->name, &length);
		break;
	default:
		break;
	}
	if (bucket < 0 || size < 0)
		return -2;
	slot.key = key_of(m->series, m->domain, inst, length);
	slot.cell = size * ESTAT_LATENCY_BUCKETS + bucket;
	s->slots = grow(s->slots, s->nslots, sizeof(*s->slots));
	s->now = grow(s->now, s->nslots, sizeof(*s->now));
	s->before = grow(s->before, s->nslots, sizeof(*s->before));
	s->now[s->nslots].ull = s->before[s->nslots].ull = 0;
	s->slots[s->nslots] = slot;
	return s->nslots++;
}

static int slot_of(struct source *s, struct metric *m, int number)
{
	struct domain *d = m->domain;
	int place = domain_find(d, d->n, number);

	if (place < 0) {
		domain_refresh(s, d);
		place = domain_find(d, d->n, number);
		if (place < 0)
			return -2;
	}
	while (m->nslots < d->n) {
		m->slots = grow(m->slots, m->nslots, sizeof(*m->slots));
		m->slots[m->nslots++] = -1;
	}
	if (m->slots[place] == -1)
		m->slots[place] = new_slot(s, m, &d->insts[place]);
	return m->slots[place];
}

/* Remember why an interval is to be left out. */
__attribute__((format(printf, 2, 3))) static void because(struct source *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
}

/* When the agent started. What a new one does not have yet is 0. */
static void take_agent(struct source *s, uint64_t start)
{
	if (s->agent && s->agent != start) {
		because(s, "estat's agent has restarted");
		s->valid = false;
		memset(s->now, 0, s->nslots * sizeof(*s->now));
	}
	s->agent = start;
}

/*
 * Keep what a fetch has of a metric. Where an archive has no values before these, they are
 * not known: the metric was not logged, or its module waited and now goes on where it was.
 */
static void take_metric(struct source *s, struct metric *m, const pmValueSet *set)
{
	int type = m->field == FIELD_SUMSQ ? PM_TYPE_DOUBLE : PM_TYPE_U64;

	m->seen = true;
	m->has_values = set->numval > 0;
	if (m->has_values && !m->had_values && s->archive && m->field < FIELD_COUNTER) {
		because(s, "not all was there before");
		s->valid = false;
	}
	for (int i = 0; i < set->numval; i++) {
		pmAtomValue atom;
		int slot;

		if (pmExtractValue(set->valfmt, &set->vlist[i], m->desc.type, &atom, type) < 0)
			continue;
		if (m->field == FIELD_AGENT) {
			take_agent(s, atom.ull);
			continue;
		}
		slot = slot_of(s, m, set->vlist[i].inst);
		if (slot >= 0)
			s->now[slot] = atom;
	}
}

/* Add a metric, if there is one. */
static bool add_metric(struct source *s, struct series *series, const char *name, int field)
{
	char *full = NULL;
	const char *lookup;
	struct metric m = { .field = field, .series = series };
	pmID pmid;

	if (asprintf(&full, "%s.%s", series->prefix, name) < 0)
		or_die(NULL);
	lookup = full;
	if (pmLookupName(1, &lookup, &pmid) != 1 || pmLookupDesc(pmid, &m.desc) < 0) {
		free(full);
		return false;
	}
	free(full);
	m.domain = domain_of(s, m.desc.indom);
	s->metrics = grow(s->metrics, s->nmetrics, sizeof(*s->metrics));
	s->pmids = grow(s->pmids, s->nmetrics, sizeof(*s->pmids));
	s->metrics[s->nmetrics] = m;
	s->pmids[s->nmetrics++] = pmid;
	if (field == FIELD_OPS) /* all keys that there were, ever */
		for (unsigned int i = 0; i < m.domain->n; i++)
			key_of(series, m.domain, &m.domain->insts[i],
			       strlen(m.domain->insts[i].name));
	return true;
}

struct series *source_add(struct source *s, const char *prefix, enum reads reads,
			  const char *const *counters)
{
	struct series *series = or_die(calloc(1, sizeof(*series)));
	unsigned int before;

	/* first of all, so that it is known before the others' values are taken */
	if (!s->nmetrics)
		add_metric(s, &(struct series){ .prefix = "estat.agent" }, "start", FIELD_AGENT);
	before = s->nmetrics;
	series->prefix = or_die(strdup(prefix));
	series->counters = counters;
	series->has_by_size = reads & READ_BY_SIZE; /* keys are made with room for it */
	if (reads & READ_BASIC) {
		add_metric(s, series, "ops", FIELD_OPS);
		add_metric(s, series, "errors", FIELD_ERRORS);
		series->has_bytes = add_metric(s, series, "bytes", FIELD_BYTES);
		add_metric(s, series, "latency_sum", FIELD_SUM);
		add_metric(s, series, "latency_sumsq", FIELD_SUMSQ);
	}
	for (int i = 0; counters && counters[i]; i++)
		add_metric(s, series, counters[i], FIELD_COUNTER + i);
	if (reads & READ_LATENCY)
		series->has_latency = add_metric(s, series, "latency", FIELD_LATENCY);
	if (reads & READ_SIZE)
		series->has_size = add_metric(s, series, "size", FIELD_SIZE);
	if (reads & READ_BY_SIZE)
		series->has_by_size = add_metric(s, series, "latency_by_size", FIELD_BY_SIZE);
	if (s->nmetrics == before) {
		free(series->prefix);
		free(series);
		return NULL;
	}
	s->series = grow(s->series, s->nseries, sizeof(*s->series));
	s->series[s->nseries++] = series;
	return series;
}

unsigned int source_texts(struct source *s, const char *metric, struct text **texts)
{
	struct domain *d;
	pmDesc desc;
	pmID pmid;
	pmResult *r;
	pcp_time end = pcp_time_of(s->finish);
	unsigned int n = 0;

	*texts = NULL;
	if (s->archive)
		pmSetMode(PM_MODE_BACK, &end, 0);
	if (pmLookupName(1, &metric, &pmid) != 1 || pmLookupDesc(pmid, &desc) < 0 ||
	    pmFetch(1, &pmid, &r) < 0)
		return 0;
	d = domain_of(s, desc.indom);
	for (int i = 0; i < r->vset[0]->numval; i++) {
		const pmValue *value = &r->vset[0]->vlist[i];
		int place = domain_find(d, d->n, value->inst);
		pmAtomValue atom;

		if (place < 0 ||
		    pmExtractValue(r->vset[0]->valfmt, value, desc.type, &atom, desc.type) < 0)
			continue;
		if (desc.type != PM_TYPE_STRING)
			atom.cp = or_die(strdup(pmAtomStr(&atom, desc.type)));
		*texts = grow(*texts, n, sizeof(**texts));
		(*texts)[n++] = (struct text){ d->insts[place].name, atom.cp };
	}
	pmFreeResult(r);
	return n;
}

const char *text_of(const struct text *texts, unsigned int n, const char *instance)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(texts[i].instance, instance))
			return texts[i].value;
	return NULL;
}

/* The metric with this number, or NULL. */
static struct metric *find_metric(const struct source *s, pmID pmid)
{
	for (unsigned int i = 0; i < s->nmetrics; i++)
		if (s->pmids[i] == pmid)
			return &s->metrics[i];
	return NULL;
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

	if (sts < 0) {
		because(s, "pmcd did not answer: %s", pmErrStr(sts));
		pmReconnectContext(s->context);
		s->time = clock_time();
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
				s->time = seconds_of(r->timestamp);
			first = false;
			good &= take(s, r);
		}
		pmFreeResult(r);
	}
	return good && !first;
}

static bool fetch(struct source *s)
{
	return s->archive ? fetch_archive(s) : fetch_live(s);
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

		if (less) {
			because(s, "a counter of %s was reset", s->slots[i].key->name);
			return false;
		}
	}
	return true;
}

static void add_slot(const struct slot *slot, uint64_t n, double sumsq)
{
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
		v->sumsq += sumsq;
		break;
	case FIELD_LATENCY:
		v->latency[slot->cell] += n;
		break;
	case FIELD_SIZE:
		v->size[slot->cell] += n;
		break;
	case FIELD_BY_SIZE:
		v->by_size[slot->cell / ESTAT_LATENCY_BUCKETS]
			  [slot->cell % ESTAT_LATENCY_BUCKETS] += n;
		break;
	default:
		v->counters[slot->field - FIELD_COUNTER] += n;
	}
}

static void add_differences(const struct source *s)
{
	for (unsigned int i = 0; i < s->nslots; i++)
		add_slot(&s->slots[i], s->now[i].ull - s->before[i].ull,
			 s->now[i].d - s->before[i].d);
}

bool source_begin(struct source *s)
{
	pcp_time start = pcp_time_of(s->start);

	if (s->archive)
		pmSetMode(PM_MODE_FORW, &start, 0);
	keep(s, fetch(s));
	s->due = s->began = s->time;
	return !at_end(s);
}

/*
 * Is it much longer since the moment before than it was between those before? Where one
 * pmlogger ends and the next begins, a step can be short.
 */
static bool has_gap(struct source *s, double step)
{
	double usual = s->step;

	s->step = step > usual / 2 ? step : usual / 2;
	if (!s->archive || usual <= 0 || step <= GAP * usual)
		return false;
	because(s, "the archive has a gap");
	return true;
}

/* Go on to the next moment and add what it has. False if it does not continue the one before. */
static bool advance(struct source *s, struct interval *interval)
{
	double before = s->time;
	bool good = fetch(s);
	bool continuous = good && s->valid && !has_gap(s, s->time - before) && continues(s);

	if (continuous) {
		add_differences(s);
		interval->seconds += s->time - before;
	}
	keep(s, good);
	return continuous;
}

/* Say that what was up to now is left out. */
static void note_left_out(const struct source *s, double from)
{
	char begin[64], end[64];

	print_time(begin, sizeof(begin), "%D - %H:%M:%S", from);
	print_time(end, sizeof(end), "%H:%M:%S %Z", s->time);
	note("%s to %s left out: %s", begin, end, s->why);
}

/* Steps of an archive, up to the time. */
static enum outcome step_archive(struct source *s, double until, bool all,
				 struct interval *interval)
{
	while (!stopped && !at_end(s) && (all || s->time < until)) {
		double before = s->time;

		if (advance(s, interval))
			continue;
		if (s->time > before)
			note_left_out(s, all ? before : s->began);
		if (!all)
			return INTERVAL_LEFT_OUT;
	}
	return interval->seconds > 0 ? INTERVAL_OK : INTERVAL_END;
}

enum outcome source_step(struct source *s, double seconds, struct interval *interval)
{
	enum outcome outcome;

	*interval = (struct interval){ .begin = s->began };
	if (at_end(s))
		return INTERVAL_END;
	if (s->archive) {
		double early = seconds * EARLY;

		outcome = step_archive(s, s->began + seconds - (early < 0.5 ? early : 0.5),
				       seconds <= 0, interval);
	} else {
		s->due += seconds;
		if (s->due + seconds < clock_time()) /* a fetch took too long: begin anew */
			s->due = clock_time() + seconds;
		sleep_until(s->due);
		outcome = advance(s, interval) ? INTERVAL_OK : INTERVAL_LEFT_OUT;
		if (outcome == INTERVAL_LEFT_OUT)
			note_left_out(s, s->began);
	}
	interval->end = s->began = s->time;
	return outcome;
}

void source_clear(struct source *s)
{
	for (unsigned int i = 0; i < s->nseries; i++)
		for (unsigned int k = 0; k < s->series[i]->nkeys; k++) {
			struct values *v = &s->series[i]->keys[k]->values;
			void *by_size = v->by_size;

			memset(v, 0, sizeof(*v));
			v->by_size = by_size;
			if (by_size)
				memset(by_size, 0, ESTAT_SIZE_BUCKETS * sizeof(*v->by_size));
		}
}
