// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalog OBJECT...: print what the agent and the modules in these BPF objects export, as JSON.
 * From this catalog the build makes reports, rules and dashboards for PCP, Prometheus and Grafana,
 * pages of docs/, and the list of PMIDs and instance domains.
 *
 *	"metrics"	array of the agent's metrics
 *	"modules"	array of "name", "cluster", "on_demand", "series", "events" (the metrics of
 *			event records), "last" (those of the last records) and "events_layout"
 *	  "series"	array of "name", "help", "layout" (the text of ESTAT_LAYOUT), "view",
 *			"axes", "values" (AXIS: its enumerators), "indom" and "groups"
 *	    "groups"	array of "name", "help", "metrics", "rank" and "above" (both are
 *			null if the group is no layer)
 *
 * The names of metrics of series begin with the names of their series and group. A metric has
 * "name", "leaf" (the name after the group's and, of a total, after `total`), "kind", "total",
 * "pmid", "indom", "instances" (keys, buckets, none, or places: positions in the ring of the last
 * records), "type", "semantics", "units", and the texts of pminfo -tT: "oneline" and "help". Of
 * estat.module.*, except .axes, and of estat.layer.*, the catalog lacks "indom" and "instances"
 * (null, "none"): the agent gives these metrics instances.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "schema/axis.h"
#include "schema/schema.h"
#include "serve/devices.h"
#include "serve/exports.h"
#include "serve/help.h"
#include "serve/layers.h"
#include "serve/status.h"

static const char *const kinds[] = {
	[METRIC_FIELD] = "counter",
	[METRIC_SUMSQ] = "sumsq",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_BY_SIZE] = "histogram_by_size",
	[METRIC_FINE] = "histogram_fine",
	[METRIC_BELOW] = "cumulative",
	[METRIC_BELOW_SUM] = "cumulative_sum",
	[METRIC_BELOW_COUNT] = "cumulative_count",
	[METRIC_GAUGE] = "gauge",
	[METRIC_WALKED] = "gauge",
	[METRIC_WALKED_TIME] = "counter",
	[METRIC_TOLD] = "text",
	[METRIC_RATE] = "rate",
	[METRIC_THROUGHPUT] = "throughput",
	[METRIC_MEAN] = "mean",
	[METRIC_DEVIATION] = "deviation",
	[METRIC_PERCENTILE] = "percentile",
	[METRIC_HIGHEST] = "highest",
	[METRIC_STATUS] = "status",
	[METRIC_LAYER] = "layer",
	[METRIC_LAYOUT] = "layout",
	[METRIC_DEVICE] = "device",
	[METRIC_EVENTS] = "events",
	[METRIC_PARAMETER] = "parameter",
	[METRIC_LAST] = "last",
};

static json_t *number_or_null(pmInDom indom)
{
	return indom == PM_INDOM_NULL ? json_null() : json_integer(pmInDom_serial(indom));
}

static const char *instances(const struct metric *m)
{
	if (m->desc.indom == PM_INDOM_NULL)
		return "none";
	return m->kind == METRIC_LAST ? "places" : m->buckets ? "buckets" : "keys";
}

static const char *leaf(const struct metric *m)
{
	const char *dot = strrchr(m->name, '.');

	if (m->kind == METRIC_BELOW || m->kind == METRIC_BELOW_SUM || m->kind == METRIC_BELOW_COUNT)
		dot = memrchr(m->name, '.', dot - m->name);
	return dot + 1;
}

static json_t *metric_json(const struct metric *m)
{
	json_t *json = json_pack("{so so ss}", "pmid",
				 json_sprintf("%u.%u", pmID_cluster(m->desc.pmid),
					      pmID_item(m->desc.pmid)),
				 "indom", number_or_null(m->desc.indom), "instances", instances(m));
	char *oneline = help_oneline(m), *help = help_text(m);
	const char *const texts[][2] = {
		{ "name", m->name },
		{ "leaf", leaf(m) },
		{ "kind", kinds[m->kind] },
		{ "type", pmTypeStr(m->desc.type) },
		{ "semantics", pmSemStr(m->desc.sem) },
		{ "units", pmUnitsStr(&m->desc.units) },
		{ "oneline", oneline },
		{ "help", help },
	};

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_object_set_new(json, texts[i][0], json_string(texts[i][1]));
	free(oneline);
	free(help);
	json_object_set_new(json, "total", json_boolean(m->total));
	return xalloc(json);
}

/*
 * The metrics of a group as JSON. If `s` and `group` are NULL, the metrics that belong to no
 * series, without those of last records.
 */
static json_t *metrics_json(const struct metrics *metrics, const struct series *s,
			    const struct group *group)
{
	json_t *array = json_array();

	for (const struct metric *m = metrics->metrics; m < metrics->metrics + metrics->n; m++)
		if (m->series == s && m->group == group && m->kind != METRIC_LAST)
			json_array_append_new(array, metric_json(m));
	return array;
}

/* The metrics of a module's last records as JSON. */
static json_t *last_json(const struct metrics *metrics)
{
	json_t *array = json_array();

	for (const struct metric *m = metrics->metrics; m < metrics->metrics + metrics->n; m++)
		if (m->kind == METRIC_LAST)
			json_array_append_new(array, metric_json(m));
	return array;
}

static json_t *group_json(const struct metrics *metrics, const struct series *s,
			  const struct group *group, const char *series_name)
{
	const struct position *position = &s->schema->positions[group - s->schema->groups];

	return xalloc(
		json_pack("{so ss so so so}", "name",
			  json_sprintf("%s%s%s", series_name, *group->name ? "." : "", group->name),
			  "help", *group->help ? group->help : s->schema->help, "rank",
			  position->rank ? json_integer(position->rank) : json_null(), "above",
			  position->rank ? json_string(position->above) : json_null(), "metrics",
			  metrics_json(metrics, s, group)));
}

/*
 * A JSON object with a member for each axis whose type is an enum: the member's name is the axis's,
 * its value is an array of the enumerators.
 */
static json_t *values_json(const struct schema *schema, const struct series_schema *s)
{
	json_t *values = json_object(), *texts;
	char text[AXIS_TEXT_LEN];

	for (const struct axis *a = s->axes; a < s->axes + s->naxes; a++) {
		if (a->kind != AXIS_ENUM)
			continue;
		texts = json_array();
		for (unsigned int i = 0; i < btf_vlen(a->type); i++) {
			enumerator_text(schema, a, i, text);
			json_array_append_new(texts, json_string(text));
		}
		json_object_set_new(values, a->name, texts);
	}
	return values;
}

static json_t *series_json(const struct metrics *metrics, const struct series *s)
{
	const char *module = s->module->edition->name, *series = s->schema->name;
	json_t *axes = json_array(), *groups = json_array();
	char name[2 * ESTAT_NAME_LEN + 8];

	snprintf(name, sizeof(name),
		 schema_is_own(s->module->edition->schema, s->schema) ? "estat.%s" : "estat.%s.%s",
		 module, series);
	for (unsigned int i = 0; i < s->schema->naxes; i++)
		json_array_append_new(axes, json_string(s->schema->axes[i].name));
	for (unsigned int i = 0; i < s->schema->ngroups; i++)
		json_array_append_new(groups, group_json(metrics, s, &s->schema->groups[i], name));
	return xalloc(json_pack("{ss ss ss sb so so so so}", "name", name, "help", s->schema->help,
				"layout", s->schema->layout, "view", s->table != s->schema, "axes",
				axes, "values", values_json(s->module->edition->schema, s->schema),
				"indom", number_or_null(s->keys), "groups", groups));
}

static json_t *module_json(struct schema *schema)
{
	struct edition e = {
		.schema = schema,
		.settings = { .latency_by_size = true, .latency_fine = true, .prometheus = 1 },
	};
	struct module m = { .edition = &e, .now.edition = &e };
	json_t *series = json_array(), *json;
	struct exports *exports;

	strcpy(e.name, schema->name);
	m.now.memory.maps = xalloc(calloc(schema->ntables, sizeof(struct series_maps)));
	exports = exports_new(&m, 0);
	for (unsigned int i = 0; i < exports->nseries; i++)
		json_array_append_new(series, series_json(&exports->metrics, exports->series[i]));
	json = xalloc(json_pack(
		"{ss si sb so so so ss}", "name", e.name, "cluster", (int)schema->cluster,
		"on_demand", schema->on_demand, "series", series, "events",
		metrics_json(&exports->metrics, NULL, NULL), "last", last_json(&exports->metrics),
		"events_layout",
		schema->rings[RING_EVENTS].layout ? schema->rings[RING_EVENTS].layout : ""));
	exports_free(exports);
	free(m.now.memory.maps);
	return json;
}

/*
 * The module in a BPF object, as JSON. If the object cannot be opened, or has no valid schema,
 * prints a message and returns NULL.
 */
static json_t *object_json(const char *path)
{
	struct bpf_object *object = bpf_object__open(path);
	char error[512] = "cannot be opened";
	struct schema *schema = object ? schema_read(object, error, sizeof(error)) : NULL;
	json_t *json = schema ? module_json(schema) : NULL;

	if (schema)
		schema_free(schema);
	else
		fprintf(stderr, "%s: %s\n", path, error);
	bpf_object__close(object);
	return json;
}

int main(int argc, char **argv)
{
	struct agent agent = { .module_indom = PM_INDOM_NULL };
	json_t *modules = json_array(), *catalog;
	int status = EXIT_SUCCESS;

	status_add_metrics(&agent);
	layers_add_metrics(&agent.metrics, PM_INDOM_NULL);
	layouts_add_metric(&agent.metrics, agent.domain);
	devices_add_metrics(&agent.metrics, agent.domain);
	for (int i = 1; i < argc; i++)
		if (json_array_append_new(modules, object_json(argv[i])))
			status = EXIT_FAILURE;
	catalog = xalloc(json_pack("{so so}", "metrics", metrics_json(&agent.metrics, NULL, NULL),
				   "modules", modules));
	if (json_dumpf(catalog, stdout, JSON_INDENT(1)) < 0 || fputc('\n', stdout) == EOF ||
	    fflush(stdout) == EOF) {
		perror("catalog");
		status = EXIT_FAILURE;
	}
	json_decref(catalog);
	return status;
}
