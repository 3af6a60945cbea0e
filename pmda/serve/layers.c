// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "layers.h"
#include "lib/xalloc.h"
#include "units.h"
#include "value.h"

/* PMID items in cluster 0, above those of status.c. */
#define RANK  64
#define ABOVE 74
#define TWICE 75

/*
 * The value of estat.layer.NAME is that of the group's metric estat.GROUP.total.NAME. No group has
 * the metrics `rank`, `above` and `twice`, so layers_value() makes their values.
 */
static const struct agent_metric leaves[LAYER_METRICS] = {
	{ RANK, "rank", PM_TYPE_U32, PM_SEM_DISCRETE, NONE,
	  .oneline = "Position of a layer in the stack: a lower number is nearer to the program" },
	{ 65, "ops", PM_TYPE_U64, PM_SEM_COUNTER, COUNT, .oneline = "Operations that succeeded" },
	{ 66, "errors", PM_TYPE_U64, PM_SEM_COUNTER, COUNT, .oneline = "Operations that failed" },
	{ 67, "bytes", PM_TYPE_U64, PM_SEM_COUNTER, BYTES, .oneline = "Bytes transferred" },
	{ 68, "iops", PM_TYPE_DOUBLE, PM_SEM_INSTANT, PER_SECOND,
	  .oneline = "Operations a second in the interval" },
	{ 69, "throughput", PM_TYPE_DOUBLE, PM_SEM_INSTANT, KBYTE_RATE,
	  .oneline = "Kilobytes a second in the interval" },
	{ 70, "avg_latency", PM_TYPE_DOUBLE, PM_SEM_INSTANT, MICROSEC,
	  .oneline = "Mean latency in the interval" },
	{ 71, "p50", PM_TYPE_DOUBLE, PM_SEM_INSTANT, MICROSEC,
	  .oneline = "Median latency in the interval" },
	{ 72, "p99", PM_TYPE_DOUBLE, PM_SEM_INSTANT, MICROSEC,
	  .oneline = "Latency that 99% of operations in the interval did not exceed" },
	{ 73, "max", PM_TYPE_DOUBLE, PM_SEM_INSTANT, MICROSEC,
	  .oneline = "Highest latency in the interval" },
	{ ABOVE, "above", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  .oneline = "The layers whose operations wait for this layer's; with if AXIS=GLOB, only "
		     "for those that match" },
	{ TWICE, "twice", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  .oneline = "Disks whose operations are in a layer's values twice: they stand on other "
		     "disks of the layer" },
};

void layers_add_metrics(struct metrics *metrics, pmInDom indom)
{
	for (unsigned int i = 0; i < LAYER_METRICS; i++)
		metrics_add_layer(metrics, indom, &leaves[i]);
}

/* A layer's instance number has rank, cluster and group number, because ranks can be equal. */
static int instance_of(const struct series *s, unsigned int group)
{
	return s->schema->positions[group].rank << 16 | s->module->edition->schema->cluster << 4 |
	       schema_group_number(s->schema, group);
}

/*
 * The last part of the name estat.GROUP.total.NAME of the metric that add_layer() copies for
 * `leaf`. `twice` gets a copy of `ops`, so that a fetch of `twice` folds the layer's series.
 */
static const char *folds(const struct agent_metric *leaf)
{
	return leaf->item == TWICE ? "ops" : leaf->name;
}

static void add_layer(struct exports *exports, const struct series *s, unsigned int group)
{
	const struct group *g = &s->schema->groups[group];
	struct layer *layer;

	exports->layers = grow(exports->layers, exports->nlayers, sizeof(*exports->layers));
	layer = &exports->layers[exports->nlayers++];
	*layer = (struct layer){ .inst = instance_of(s, group),
				 .name = metrics_group_name(s->module, s->schema, g),
				 .above = s->schema->positions[group].above,
				 .series = s };
	for (unsigned int i = 0; i < LAYER_METRICS; i++)
		metrics_copy_total(&exports->metrics, s, g, folds(&leaves[i]), &layer->metrics[i]);
}

void layers_begin(struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++)
		for (unsigned int g = 0; g < exports->series[i]->schema->ngroups; g++)
			if (exports->series[i]->schema->positions[g].rank)
				add_layer(exports, exports->series[i], g);
}

void layers_end(struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nlayers; i++) {
		free(exports->layers[i].name);
		free(exports->layers[i].twice);
	}
	free(exports->layers);
}

static int by_inst(const void *a, const void *b)
{
	const struct layer *const *x = a, *const *y = b;

	return (*x)->inst - (*y)->inst;
}

void layers_refresh(struct layers *l)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < l->n; i++)
		if (module_runs(l->layers[i]->series->module))
			l->names[n++] = (pmdaInstid){ l->layers[i]->inst, l->layers[i]->name };
	l->indom->it_numinst = n;
}

void layers_build(struct layers *l, struct module *const *module, unsigned int n, pmdaIndom *indom)
{
	for (unsigned int i = 0; i < n; i++) {
		struct exports *exports = module[i]->exports;

		for (unsigned int j = 0; exports && j < exports->nlayers; j++) {
			l->layers = grow(l->layers, l->n, sizeof(*l->layers));
			l->layers[l->n++] = &exports->layers[j];
		}
	}
	if (l->n)
		qsort(l->layers, l->n, sizeof(*l->layers), by_inst);
	l->names = xalloc(calloc(l->n + 1, sizeof(*l->names)));
	l->indom = indom;
	indom->it_set = l->names;
	layers_refresh(l);
}

bool layers_need_graph(const struct metric *m)
{
	return m->kind == METRIC_LAYER && pmID_item(m->desc.pmid) == TWICE;
}

/* The index of the axis `disk`; the number of axes if the series has no such axis. */
static unsigned int disk_axis(const struct series_schema *schema)
{
	unsigned int i = 0;

	while (i < schema->naxes && strcmp(schema->axes[i].name, "disk"))
		i++;
	return i;
}

/* The value of an axis in an instance name. The caller frees the text. */
static char *value_on(const char *name, unsigned int axis)
{
	const char *end;

	while (axis-- && (end = strstr(name, "::")))
		name = end + strlen("::");
	end = strstr(name, "::");
	return xalloc(end ? strndup(name, end - name) : strdup(name));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Set *disks to the names of the series' disks, sorted, each name once. Returns how many names. */
static unsigned int find_disks(const struct series *s, char ***disks)
{
	unsigned int axis = disk_axis(s->schema), n = 0, once = 0;
	char **all = NULL;

	for (unsigned int row = 1; axis < s->schema->naxes && row < s->nrows; row++) {
		if (!s->rows[row].name || s->rows[row].gone)
			continue;
		all = grow(all, n, sizeof(*all));
		all[n++] = value_on(s->rows[row].name, axis);
	}
	if (n)
		qsort(all, n, sizeof(*all), by_text);
	for (unsigned int i = 0; i < n; i++)
		if (once && !strcmp(all[once - 1], all[i]))
			free(all[i]);
		else
			all[once++] = all[i];
	*disks = all;
	return once;
}

/*
 * The disks of the series that stand on other disks of the series, separated by blanks. The caller
 * frees the text.
 */
static char *find_twice(const struct series *s)
{
	char **disks, *text = NULL;
	unsigned int n = find_disks(s, &disks);
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < n; i++)
		if (devices_stand(disks[i], disks, n))
			fprintf(f, "%s%s", ftell(f) ? " " : "", disks[i]);
	fclose(f);
	for (unsigned int i = 0; i < n; i++)
		free(disks[i]);
	free(disks);
	return xalloc(text);
}

static char *twice(struct layer *layer)
{
	free(layer->twice);
	return layer->twice = find_twice(layer->series);
}

static struct layer *find(const struct layers *l, int inst)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->layers[i]->inst == inst)
			return l->layers[i];
	return NULL;
}

struct metric *layers_metric(const struct layers *l, unsigned int i, const struct metric *m)
{
	struct metric *of_layer = &l->layers[i]->metrics[pmID_item(m->desc.pmid) - RANK];

	return of_layer->name ? of_layer : NULL;
}

int layers_value(const struct layers *l, const struct metric *m, unsigned int inst,
		 pmAtomValue *atom)
{
	struct layer *layer = find(l, inst);
	unsigned int item = pmID_item(m->desc.pmid);
	const struct metric *copy;

	if (!layer)
		return PM_ERR_INST;
	copy = &layer->metrics[item - RANK];
	if (item == RANK)
		atom->ul = inst >> 16;
	else if (item == ABOVE)
		atom->cp = (char *)layer->above;
	else if (item == TWICE)
		atom->cp = twice(layer);
	else if (!copy->name || !module_is_attached(layer->series->module))
		return PMDA_FETCH_NOVALUES;
	else
		return metric_value(copy, 0, atom);
	return PMDA_FETCH_STATIC;
}

int layers_label(const struct layers *l, unsigned int inst, pmLabelSet **set)
{
	const struct layer *layer = find(l, inst);

	return layer ? pmdaAddLabels(set, "{\"layer\":\"%s\"}", layer->name) : 0;
}
