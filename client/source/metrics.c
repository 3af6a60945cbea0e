// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds metrics, the keys of their instances, and the value references. */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/histogram.h"
#include "devices.h"
#include "metrics.h"

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

/* Find or add the key whose name is the first `length` characters of the instance's name. */
static struct key *key_of(struct series *series, struct domain *d, const struct inst *inst,
			  size_t length)
{
	struct key *key = xalloc(calloc(1, sizeof(*key))), **found;

	key->name = xalloc(strndup(inst->name, length));
	found = xalloc(tsearch(key, &series->by_name, compare_keys));
	if (*found != key) {
		free(key->name);
		free(key);
		return *found;
	}
	find_axes(key, &series->layout, domain_labels(d, inst->number));
	if (series->by_size)
		key->values.by_size =
			xalloc(calloc(ESTAT_SIZE_BUCKETS, sizeof(*key->values.by_size)));
	series->keys = grow(series->keys, series->nkeys, sizeof(*series->keys));
	series->keys[series->nkeys++] = key;
	return key;
}

/* The bucket whose lower edge an instance's name such as "50-60" begins with; -1: none. */
static int bucket_from(enum histogram kind, const char *name)
{
	/* names of fine buckets have microseconds with decimals; fine_edge() returns nanoseconds */
	bool fine = kind == HISTOGRAM_FINE;
	uint64_t low = fine ? round(strtod(name, NULL) * 1000) : strtoull(name, NULL, 10);

	for (unsigned int i = 0; i < histogram_buckets(kind); i++)
		if ((fine ? fine_edge(i) : bucket_edge(kind, i)) == low)
			return i;
	return -1;
}

/*
 * Cut the last value, a bucket, off an instance's name by reducing *length. An instance of a total
 * is only a bucket. Returns the bucket's number; -1: the last value is no known bucket.
 */
static int cut_bucket(enum histogram kind, const char *name, size_t *length)
{
	for (size_t i = *length; i >= 2; i--) {
		if (name[i - 1] != ':' || name[i - 2] != ':')
			continue;
		*length = i - 2;
		return bucket_from(kind, name + i);
	}
	*length = 0;
	return bucket_from(kind, name);
}

static uint64_t *counter_of(struct values *v, enum field field, int bucket, int size)
{
	switch (field) {
	case FIELD_OPS:
		return &v->ops;
	case FIELD_ERRORS:
		return &v->errors;
	case FIELD_BYTES:
		return &v->bytes;
	case FIELD_SUM:
		return &v->sum_ns;
	case FIELD_LATENCY:
		return &v->latency[bucket];
	case FIELD_FINE:
		return &v->fine[bucket];
	case FIELD_SIZE:
		return &v->size[size];
	case FIELD_BY_SIZE:
		return &v->by_size[size][bucket];
	case FIELD_INFLIGHT:
		return &v->inflight;
	case FIELD_OLDEST:
		return &v->oldest;
	case FIELD_TOLD:
		return NULL;
	default:
		return field < FIELD_COUNTER ? NULL : &v->counters[field - FIELD_COUNTER];
	}
}

/*
 * Make the value reference of an instance. Returns its index; NO_REF: the instance's bucket is not
 * known.
 */
static int new_ref(struct source *s, struct metric *m, const struct inst *inst)
{
	struct value_ref ref = { .field = m->field, .series = m->series };
	size_t length = strlen(inst->name);
	int bucket = 0, size = 0;

	if (m->field == FIELD_LATENCY || m->field == FIELD_BY_SIZE)
		bucket = cut_bucket(HISTOGRAM_LATENCY, inst->name, &length);
	if (m->field == FIELD_FINE)
		bucket = cut_bucket(HISTOGRAM_FINE, inst->name, &length);
	if (m->field == FIELD_SIZE || m->field == FIELD_BY_SIZE)
		size = cut_bucket(HISTOGRAM_SIZE, inst->name, &length);
	if (bucket < 0 || size < 0)
		return NO_REF;
	ref.key = key_of(m->series, m->domain, inst, length);
	ref.counter = counter_of(&ref.key->values, m->field, bucket, size);
	s->refs = grow(s->refs, s->nrefs, sizeof(*s->refs));
	s->now = grow(s->now, s->nrefs, sizeof(*s->now));
	s->old = grow(s->old, s->nrefs, sizeof(*s->old));
	s->now[s->nrefs].ull = s->old[s->nrefs].ull = 0;
	s->refs[s->nrefs] = ref;
	return s->nrefs++;
}

int ref_of(struct source *s, struct metric *m, int number)
{
	struct domain *d = m->domain;
	const struct inst *inst = domain_inst(s, d, number);

	if (!inst)
		return NO_REF;
	while (m->nrefs < d->n) {
		m->refs = grow(m->refs, m->nrefs, sizeof(*m->refs));
		m->refs[m->nrefs++] = UNKNOWN_REF;
	}
	if (m->refs[inst->index] == UNKNOWN_REF)
		m->refs[inst->index] = new_ref(s, m, inst);
	return m->refs[inst->index];
}

uint64_t *module_start(struct source *s, struct metric *m, int number)
{
	const struct inst *inst = domain_inst(s, m->domain, number);

	for (unsigned int i = 0; inst && i < s->nmodules; i++)
		if (!strcmp(inst->name, s->modules[i].name))
			return &s->modules[i].start;
	return NULL;
}

/* Read the metric prefix.name from now on, if the source has it. */
static void add_metric(struct source *s, struct series *series, const char *name, int field)
{
	struct metric m = { .field = field, .series = series };
	pmID pmid;

	if (!find_pmid(series->prefix, name, &pmid) || pmLookupDesc(pmid, &m.desc) < 0)
		return;
	if (field < FIELD_AGENT && !series->has)
		find_layout(s, series, m.desc.indom);
	m.domain = domain_of(s, m.desc.indom);
	s->metrics = grow(s->metrics, s->nmetrics, sizeof(*s->metrics));
	s->pmids = grow(s->pmids, s->nmetrics, sizeof(*s->pmids));
	s->metrics[s->nmetrics] = m;
	s->pmids[s->nmetrics++] = pmid;
	if (field < FIELD_AGENT)
		series->has |= 1U << field;
	if (field == FIELD_OPS) /* make a key also of an instance that has no value now */
		for (unsigned int i = 0; i < m.domain->n; i++)
			key_of(series, m.domain, &m.domain->insts[i],
			       strlen(m.domain->insts[i].name));
}

/* Add to s->modules the module whose name is the first `length` characters of `name`. */
static void add_module(struct source *s, const char *name, size_t length)
{
	for (unsigned int i = 0; i < s->nmodules; i++)
		if (!strncmp(s->modules[i].name, name, length) && !s->modules[i].name[length])
			return;
	s->modules = grow(s->modules, s->nmodules, sizeof(*s->modules));
	s->modules[s->nmodules].name = xalloc(strndup(name, length));
	s->modules[s->nmodules++].start = 0;
}

/* Add all modules that can own a series: for estat.bio.cgroup the modules bio and bio.cgroup. */
static void add_modules(struct source *s, const char *prefix)
{
	const char *name = strchr(prefix, '.') + 1, *end = name;

	do {
		end += strcspn(end, ".");
		add_module(s, name, end - name);
	} while (*end++);
}

static const struct {
	enum reads reads;
	const char *metric;
} fields[FIELD_COUNTER] = {
	[FIELD_OPS] = { READ_BASIC, "ops" },
	[FIELD_ERRORS] = { READ_BASIC, "errors" },
	[FIELD_BYTES] = { READ_BASIC, "bytes" },
	[FIELD_SUM] = { READ_BASIC, "latency_sum" },
	[FIELD_SUMSQ] = { READ_BASIC, "latency_sumsq" },
	[FIELD_LATENCY] = { READ_LATENCY, "latency" },
	[FIELD_SIZE] = { READ_SIZE, "size" },
	[FIELD_BY_SIZE] = { READ_BY_SIZE, "latency_by_size" },
	[FIELD_FINE] = { READ_FINE, "latency_fine" },
	[FIELD_MAX] = { READ_MAX, "max" },
	[FIELD_INFLIGHT] = { READ_UNDER_WAY, "inflight" },
	[FIELD_OLDEST] = { READ_UNDER_WAY, "oldest" },
	[FIELD_TOLD] = { READ_TOLD, "oldest_op" },
};

struct series *source_add(struct source *s, const char *prefix, enum reads reads,
			  const char *const *counters)
{
	struct series *series = xalloc(calloc(1, sizeof(*series)));
	unsigned int before;

	/*
	 * add the modules before the next fetch, because a fetch ignores estat.module.start of
	 * modules that s->modules lacks
	 */
	add_modules(s, prefix);
	if (!s->nmetrics) {
		add_metric(s, &(struct series){ .prefix = "estat.module" }, "start", FIELD_MODULE);
		/*
		 * read after estat.module.start, so that s->why names the agent's restart if both
		 * changed
		 */
		add_metric(s, &(struct series){ .prefix = "estat.agent" }, "start", FIELD_AGENT);
	}
	before = s->nmetrics;
	series->prefix = xalloc(strdup(prefix));
	series->since = NAN;
	series->by_size = reads & READ_BY_SIZE; /* key_of() reads by_size */
	for (int i = 0; i < FIELD_COUNTER; i++)
		if (reads & fields[i].reads)
			add_metric(s, series, fields[i].metric, i);
	for (int i = 0; counters && counters[i]; i++)
		add_metric(s, series, counters[i], FIELD_COUNTER + i);
	if (s->nmetrics == before) {
		free(series->prefix);
		free(series);
		return NULL;
	}
	s->series = grow(s->series, s->nseries, sizeof(*s->series));
	s->series[s->nseries++] = series;
	return series;
}

struct series *source_share(struct source *s, const char *prefix, enum reads reads)
{
	for (unsigned int i = 0; i < s->nseries; i++)
		if (!strcmp(s->series[i]->prefix, prefix))
			return s->series[i];
	return source_add(s, prefix, reads, NULL);
}

struct series *source_add_missed(struct source *s)
{
	static const char *const counters[] = { "missed", "dropped", "walk_truncated", NULL };
	struct series *series = source_add(s, "estat.module", 0, counters);

	if (series)
		series->auxiliary = true;
	return series;
}

/* The source's graph of devices. The first call reads it. */
static struct devices *graph_of(struct source *s)
{
	if (!s->graph) {
		s->graph = xalloc(malloc(sizeof(*s->graph)));
		devices_read(s->graph, s);
	}
	return s->graph;
}

void source_renew_graph(struct source *s)
{
	if (!s->graph || s->archive || !devices_changed(s->graph, s))
		return;
	devices_free(s->graph);
	devices_read(s->graph, s);
}

struct series *source_require(struct source *s, const char *prefix, enum reads reads,
			      const char *const *counters)
{
	struct series *series = source_add(s, prefix, reads, counters);

	if (!series)
		die(EXIT_NO_DATA, "%s no longer has %s", source_name(s), prefix);
	for (unsigned int i = 0; i < series->layout.naxes; i++)
		if (!strcmp(series->layout.axes[i], "disk"))
			series->graph = graph_of(s);
	return series;
}

void source_add_total(struct source *s, struct series *series)
{
	/*
	 * Read the total's maximum only if keys have none. A maximum that the agent exports is
	 * exact if no operation before the interval took longer; else it can be too high. A key has
	 * fewer operations before the interval than the total, so a key's maximum is exact more
	 * often.
	 */
	enum reads max = has(series, FIELD_MAX) ? 0 : READ_MAX;
	char *prefix;

	if (has(series, FIELD_LATENCY))
		return;
	prefix = xasprintf("%s.total", series->prefix);
	series->total = source_add(s, prefix, READ_LATENCY | READ_FINE | max, NULL);
	if (series->total)
		series->total->auxiliary = true;
	free(prefix);
}

bool find_pmid(const char *prefix, const char *name, pmID *pmid)
{
	char *full = xasprintf("%s%s%s", prefix, *name ? "." : "", name);
	bool found = pmLookupName(1, (const char *[]){ full }, pmid) == 1;

	free(full);
	return found;
}

struct metric *find_metric(const struct source *s, pmID pmid)
{
	for (unsigned int i = 0; i < s->nmetrics; i++)
		if (s->pmids[i] == pmid)
			return &s->metrics[i];
	return NULL;
}
