// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "data/series.h"
#include "lib/xalloc.h"
#include "metrics.h"
#include "units.h"

#define FOR_PROMETHEUS                                                                       \
	"A new key has the value 0 for 1.5 scrape intervals, so that Prometheus sees a 0;\n" \
	"see prometheus in estat.conf(5).\n"

static struct metric *add(struct metrics *m, const pmDesc *desc)
{
	struct metric *metric;

	m->metrics = grow(m->metrics, m->n, sizeof(*m->metrics));
	metric = &m->metrics[m->n++];
	*metric = (struct metric){ .desc = *desc, .exports = m->exports, .instant = -1 };
	metric->desc.pmid = pmID_build(m->domain, pmID_cluster(desc->pmid), pmID_item(desc->pmid));
	return metric;
}

static struct metric *add_agents(struct metrics *m, enum metric_kind kind, pmInDom indom,
				 const struct agent_metric *a)
{
	const pmDesc desc = { PMDA_PMID(0, a->item), a->type, indom, a->sem, a->units };
	struct metric *metric = add(m, &desc);

	metric->kind = kind;
	metric->first = a->oneline;
	metric->more = a->help;
	return metric;
}

void metrics_add_status(struct metrics *m, enum metric_kind kind, pmInDom indom,
			const struct agent_metric *a)
{
	struct metric *metric = add_agents(m, kind, indom, a);

	metric->name = xalloc(strdup(a->name));
}

void metrics_add_layer(struct metrics *m, pmInDom indom, const struct agent_metric *a)
{
	struct metric *metric = add_agents(m, METRIC_LAYER, indom, a);

	metric->name = xasprintf("estat.layer.%s", a->name);
}

/*
 * MODULE.SERIES.GROUP; without .SERIES if the series has the module's name, without .GROUP if the
 * group has no name.
 */
char *metrics_group_name(const struct module *m, const struct series_schema *s,
			 const struct group *group)
{
	bool further = !schema_is_own(m->edition->schema, s);

	return xasprintf("%s%s%s%s%s", m->edition->name, further ? "." : "", further ? s->name : "",
			 *group->name ? "." : "", group->name);
}

/* What a metric of keys and the metric of their total have in common. */
struct draft {
	const char *name;
	unsigned int item;
	enum metric_kind kind;
	pmUnits units;
	double share;
	const char *oneline; /* how the help text begins, see help.c */
	const char *more;    /* the end of the help text */
	struct series *series;
	unsigned int group;
	bool second; /* the PMID has the module's cluster + SECOND_CLUSTER */
	const struct field *field;
	int type, sem;
	int buckets; /* an enum bucket_indom_kind; -1: instances are keys */
};

/*
 * Metrics computed from a group's fields. Archives contain the PMID items, so never change an item.
 * For the items of fields see groups.c.
 */
static const struct draft derived[] = {
	{ "iops", 8, METRIC_RATE, PER_SECOND, 0, .oneline = "Operations a second in the interval" },
	{ "avg_latency", 9, METRIC_MEAN, MICROSEC, 0, .oneline = "Mean latency in the interval" },
	{ "stddev", 10, METRIC_DEVIATION, MICROSEC, 0,
	  .oneline = "Standard deviation of latency in the interval" },
	{ "p50", 11, METRIC_PERCENTILE, MICROSEC, 0.5,
	  .oneline = "Median latency in the interval" },
	{ "p90", 12, METRIC_PERCENTILE, MICROSEC, 0.9,
	  .oneline = "Latency that 90% of operations in the interval did not exceed" },
	{ "p99", 13, METRIC_PERCENTILE, MICROSEC, 0.99,
	  .oneline = "Latency that 99% of operations in the interval did not exceed" },
	{ "p999", 14, METRIC_PERCENTILE, MICROSEC, 0.999,
	  .oneline = "Latency that 99.9% of operations in the interval did not exceed" },
	{ "max", 15, METRIC_HIGHEST, MICROSEC, 0, .oneline = "Highest latency in the interval" },
	{ "throughput", 16, METRIC_THROUGHPUT, KBYTE_RATE, 0,
	  .oneline = "Kilobytes a second in the interval" },
};

static pmInDom indom_of(const struct draft *d, bool total)
{
	const struct bucket_indom *b;

	if (d->buckets < 0)
		return total ? PM_INDOM_NULL : d->series->keys;
	b = buckets_find(d->series, d->group, total, d->buckets);
	return b ? b->indom.it_indom : PM_INDOM_NULL;
}

/* Type and units of the metric of a gauge or of a parameter, by the gauge's or parameter's unit. */
static const struct amount {
	int type;
	pmUnits units;
} amounts[] = {
	[UNIT_COUNT] = { PM_TYPE_U64, COUNT },   [UNIT_BYTES] = { PM_TYPE_U64, BYTES },
	[UNIT_NSEC] = { PM_TYPE_U64, NANOSEC },  [UNIT_SHARE] = { PM_TYPE_DOUBLE, NONE },
	[UNIT_USEC] = { PM_TYPE_U64, MICROSEC },
};

/* Add a metric of keys and, if there is one, the metric of their total. */
static void add_pair(struct metrics *m, const struct draft *d)
{
	const struct group *group = &d->series->schema->groups[d->group];
	unsigned int cluster =
		d->series->module->edition->schema->cluster + (d->second ? SECOND_CLUSTER : 0);
	unsigned int item =
		schema_group_number(d->series->schema, d->group) * ITEMS_PER_GROUP + d->item;
	char *prefix = metrics_group_name(d->series->module, d->series->schema, group);

	/* gauges have no total, except those that a walk sets; texts have none */
	bool has_total = d->kind != METRIC_GAUGE && d->kind != METRIC_TOLD;

	for (int total = 0; total <= has_total; total++) {
		pmDesc desc = {
			.pmid = PMDA_PMID(cluster, item + total * ITEMS_TOTAL),
			.type = d->type,
			.indom = indom_of(d, total),
			.sem = d->sem,
			.units = d->units,
		};
		struct metric *metric = add(m, &desc);

		metric->kind = d->kind;
		metric->name = xasprintf("estat.%s.%s%s", prefix, total ? "total." : "", d->name);
		metric->first = d->oneline;
		metric->more = d->more;
		metric->series = d->series;
		metric->group = group;
		metric->field = d->field;
		metric->share = d->share;
		metric->total = total;
		if (d->buckets >= 0)
			metric->buckets = buckets_find(d->series, d->group, total, d->buckets);
		if (d->kind >= METRIC_RATE)
			metric->instant = m->ninstants++;
	}
	free(prefix);
}

/* Add the metric oldest_op, whose values told_text() makes. */
static void add_told(struct metrics *m, struct draft d)
{
	if (!d.series->module->edition->schema->tells)
		return;
	d.name = "oldest_op";
	d.item = 3;
	d.second = true;
	d.kind = METRIC_TOLD;
	d.units = (pmUnits)NONE;
	d.type = PM_TYPE_STRING;
	d.oneline = "What is known of the oldest operation under way";
	d.more =
		"Words such as sector=2048 bytes=4096 pid=71 command=dd file=log cgroup=/a, those\n"
		"that the module knows: the first sector, in units of 512 bytes, and the bytes;\n"
		"of a disk's request, of what has not completed; the process, by its number in\n"
		"the initial PID namespace, and its name; the last name of the file's path; the\n"
		"path of the cgroup; of a journal's commit, or of a txg, transaction=7, its\n"
		"number. \\040 is a blank, \\134 a backslash; control characters are \\134NNN,\n"
		"octal. No value if the operation is younger than 0.1 s. A fetch tells of at most\n"
		"16 operations of a module.";
	add_pair(m, &d);
}

static void add_field(struct metrics *m, struct draft d, const struct field *f)
{
	d.name = f->name;
	d.field = f;
	d.item = f->item;
	d.kind = METRIC_FIELD;
	d.oneline = *f->help ? f->help : f->name;
	switch (f->kind) {
	case FIELD_COUNT:
		break;
	case FIELD_BYTES:
		d.units = (pmUnits)BYTES;
		break;
	case FIELD_NSEC:
		d.units = (pmUnits)NANOSEC;
		break;
	case FIELD_SUMSQ:
		d.kind = METRIC_SUMSQ;
		d.type = PM_TYPE_DOUBLE;
		d.units = (pmUnits)MICROSEC2;
		break;
	case FIELD_LATENCY:
	case FIELD_SIZE:
		d.kind = METRIC_HISTOGRAM;
		d.buckets = f->kind == FIELD_LATENCY ? BUCKETS_LATENCY : BUCKETS_SIZE;
		d.more =
			"Instances are buckets: the lower bound belongs to a bucket, the upper does"
			"\nnot. They run from the lowest to the highest bucket ever hit; with\n"
			"all_buckets in estat.conf, they are all buckets.\n";
		break;
	case FIELD_GAUGE:
		d.kind = METRIC_GAUGE;
		d.type = amounts[f->unit].type;
		d.units = amounts[f->unit].units;
		d.sem = PM_SEM_DISCRETE;
		d.more = "The value that was set last; no value before the first time.";
		break;
	case FIELD_UNDER_WAY:
	case FIELD_OLDEST:
		d.kind = METRIC_WALKED;
		d.units = amounts[f->unit].units;
		d.sem = PM_SEM_INSTANT;
		d.more = "At the time of the fetch. A key has no value before its first operation "
			 "that a\nfetch saw under way. If estat.module.walk_truncated grows, "
			 "operations are left out.";
		break;
	case FIELD_AGES:
		if (!d.series->schema->groups[d.group].sum)
			return;
		d.kind = METRIC_WALKED_TIME;
		d.units = (pmUnits)NANOSEC;
		d.more = "The sum of the latencies, plus the ages of the operations under way.\n"
			 "The mean number under way is the counter's growth, divided by the\n"
			 "interval. The counter does not fall: if an operation fails or its end\n"
			 "is missed, its age stays counted, and time that other operations add\n"
			 "until the next fetch can be lost.\n";
		break;
	case FIELD_MAX:
		return; /* the field has no metric: the instant metric `max` uses the field */
	}
	add_pair(m, &d);
	if (f->kind == FIELD_OLDEST)
		add_told(m, d);
}

enum part metric_part(enum metric_kind kind)
{
	switch (kind) {
	case METRIC_RATE:
		return PART_OPS;
	case METRIC_THROUGHPUT:
		return PART_BYTES;
	case METRIC_MEAN:
	case METRIC_DEVIATION:
		return PART_SUMS;
	default:
		return PART_LATENCY;
	}
}

/* Has the group `g` the fields from which metrics of this kind are computed? */
static bool computable(const struct group *g, enum metric_kind kind)
{
	return part_is_there(g, metric_part(kind)) && (kind != METRIC_DEVIATION || g->sumsq);
}

void metrics_copy_total(struct metrics *m, const struct series *s, const struct group *group,
			const char *name, struct metric *copy)
{
	for (const struct metric *metric = m->metrics; metric < m->metrics + m->n; metric++) {
		if (metric->series != s || metric->group != group || !metric->total ||
		    strcmp(strrchr(metric->name, '.') + 1, name))
			continue;
		*copy = *metric;
		if (copy->instant >= 0)
			copy->instant = m->ninstants++;
		return;
	}
}

/*
 * Metrics of the histograms that estat.conf switches on. `needs`: the bucket domain that a group
 * has if the histogram is on. Archives contain the PMID items, so never change an item.
 */
static const struct optional {
	enum bucket_indom_kind needs;
	struct draft draft;
} optionals[] = {
	{ BUCKETS_BY_SIZE,
	  { "latency_by_size", 5, METRIC_BY_SIZE, COUNT, .type = PM_TYPE_U64,
	    .buckets = BUCKETS_BY_SIZE,
	    .oneline = "Histogram of latency by size: number of operations",
	    .more = "Instances are a size bucket (bytes) and a latency bucket "
		    "(microseconds).\n" } },
	{ BUCKETS_FINE,
	  { "latency_fine", 31, METRIC_FINE, COUNT, .type = PM_TYPE_U64, .buckets = BUCKETS_FINE,
	    .oneline = "Histogram of latency in fine buckets: number of operations by microseconds",
	    .more = "Thirty buckets a decade, as the module counts them. Percentiles computed\n"
		    "from them are within 11.2% from 1 us to 10 s, for any interval.\n" } },
	{ BUCKETS_BELOW,
	  { "latency_seconds.bucket", 0, METRIC_BELOW, COUNT, .type = PM_TYPE_U64, .second = true,
	    .buckets = BUCKETS_BELOW,
	    .oneline = "Histogram of latency: operations that took less than le seconds",
	    .more = FOR_PROMETHEUS } },
	{ BUCKETS_BELOW,
	  { "latency_seconds.sum", 1, METRIC_BELOW_SUM, SEC, .type = PM_TYPE_DOUBLE, .second = true,
	    .buckets = -1, .oneline = "Sum of the latencies in the histogram, in seconds",
	    .more = FOR_PROMETHEUS } },
	{ BUCKETS_BELOW,
	  { "latency_seconds.count", 2, METRIC_BELOW_COUNT, COUNT, .type = PM_TYPE_U64,
	    .second = true, .buckets = -1, .oneline = "Operations in the histogram of latency",
	    .more = FOR_PROMETHEUS } },
};

static void add_optional(struct metrics *m, const struct optional *o, struct series *s,
			 unsigned int group)
{
	const struct group *g = &s->schema->groups[group];
	struct draft d = o->draft;

	d.series = s;
	d.group = group;
	d.sem = PM_SEM_COUNTER;
	d.field = d.kind == METRIC_BELOW_SUM ? g->sum : g->latency;
	if (d.field && buckets_find(s, group, false, o->needs))
		add_pair(m, &d);
}

static void add_group(struct metrics *m, struct series *s, unsigned int index)
{
	const struct group *group = &s->schema->groups[index];
	struct draft d = {
		.series = s,
		.group = index,
		.type = PM_TYPE_U64,
		.sem = PM_SEM_COUNTER,
		.units = COUNT,
		.buckets = -1,
		.more = "",
	};

	for (unsigned int i = 0; i < group->nfields; i++)
		add_field(m, d, &group->fields[i]);
	for (unsigned int i = 0; i < sizeof(optionals) / sizeof(optionals[0]); i++)
		add_optional(m, &optionals[i], s, index);
	for (unsigned int i = 0; i < sizeof(derived) / sizeof(derived[0]); i++) {
		if (!computable(group, derived[i].kind))
			continue;
		d = derived[i];
		d.series = s;
		d.group = index;
		d.type = PM_TYPE_DOUBLE;
		d.sem = PM_SEM_INSTANT;
		d.buckets = -1;
		d.more = METRICS_INTERVAL;
		add_pair(m, &d);
	}
}

void metrics_add_series(struct metrics *m, struct series *series)
{
	for (unsigned int g = 0; g < series->schema->ngroups; g++)
		add_group(m, series, g);
}

_Static_assert(RING_ITEM == SCHEMA_MAX_GROUPS * ITEMS_PER_GROUP, "rings follow the groups");

/*
 * Add a metric of a ring of records. `cluster`, SECOND_CLUSTER or 0, is added to the module's
 * cluster.
 */
static struct metric *add_of_ring(struct metrics *m, const struct ring_reader *r,
				  unsigned int cluster, unsigned int item, int type, pmUnits units)
{
	pmDesc desc = {
		.pmid = PMDA_PMID(r->module->edition->schema->cluster + cluster, RING_ITEM + item),
		.type = type,
		.indom = PM_INDOM_NULL,
		.sem = PM_SEM_DISCRETE,
		.units = units,
	};

	return add(m, &desc);
}

/* Add the metric of a parameter, estat.MODULE.RING.PARAMETER. */
static struct metric *add_parameter(struct metrics *m, const struct ring_reader *r,
				    unsigned int cluster, const char *ring,
				    const struct parameter *p)
{
	struct metric *metric = add_of_ring(m, r, cluster, p->item, ring_type(p),
					    p->text ? (pmUnits)NONE : amounts[p->unit].units);

	metric->kind = METRIC_PARAMETER;
	metric->name = xasprintf("estat.%s.%s.%s", r->module->edition->name, ring, p->axis.name);
	metric->first = *p->help ? p->help : p->axis.name;
	return metric;
}

void metrics_add_events(struct metrics *m, struct events *e)
{
	struct metric *metric = add_of_ring(m, &e->reader, 0, 0, PM_TYPE_EVENT, (pmUnits)NONE);

	metric->kind = METRIC_EVENTS;
	metric->desc.sem = PM_SEM_INSTANT;
	metric->name = xasprintf("estat.%s.events", e->reader.module->edition->name);
	metric->events = e;
	for (unsigned int i = 0; i < e->reader.schema->nparameters; i++)
		add_parameter(m, &e->reader, 0, "event", &e->reader.schema->parameters[i]);
}

static void make_last(struct metrics *m, struct metric *metric, struct last *l,
		      const struct parameter *p)
{
	metric->kind = METRIC_LAST;
	metric->desc.indom = pmInDom_build(m->domain, SERIAL_LAST);
	metric->last = l;
	metric->parameter = p;
}

void metrics_add_last(struct metrics *m, struct last *l)
{
	const struct ring_reader *r = &l->reader;
	struct metric *age = add_of_ring(m, r, SECOND_CLUSTER, 0, PM_TYPE_U64, (pmUnits)MICROSEC);

	make_last(m, age, l, NULL);
	age->desc.sem = PM_SEM_INSTANT;
	age->name = xasprintf("estat.%s.last.age", r->module->edition->name);
	age->first = "Time since the record";
	for (unsigned int i = 0; i < r->schema->nparameters; i++) {
		const struct parameter *p = &r->schema->parameters[i];

		make_last(m, add_parameter(m, r, SECOND_CLUSTER, "last", p), l, p);
	}
}

void metrics_free(struct metrics *m)
{
	for (unsigned int i = 0; i < m->n; i++)
		free(m->metrics[i].name);
	free(m->metrics);
}
