// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "breakdown.h"
#include "facts.h"
#include "source/filter.h"
#include "source/texts.h"

bool breakdowns_run(const struct breakdowns *b, const char *name)
{
	const char *status = owner_text(b->statuses, b->nstatuses, name);

	return !status || !strcmp(status, "running") || !strcmp(status, "blind");
}

bool breakdowns_count(const struct breakdowns *b, const char *name)
{
	const char *error = owner_text(b->errors, b->nerrors, name);
	char *prefix = xasprintf("estat.%s", name), *lacks = xasprintf("no %s: ", prefix);
	pmID pmid;
	bool found = find_pmid(prefix, "ops", &pmid) && (b->archive || breakdowns_run(b, name)) &&
		     !(error && strstr(error, lacks));

	free(lacks);
	free(prefix);
	return found;
}

/* Has the series `name` the same operations as the layer? */
static bool is_same(const char *name, const char *layer)
{
	for (const struct variant *v = variants; v->series; v++)
		if (!strcmp(v->series, name) && !strcmp(v->layer, layer))
			return true;
	return !strcmp(name, layer);
}

/* How many words, separated by dots, two names have in common at their beginnings. */
static unsigned int common_words(const char *a, const char *b)
{
	unsigned int n = 0;

	while (*a && *b) {
		size_t length = strcspn(a, ".");

		if (length != strcspn(b, ".") || strncmp(a, b, length))
			break;
		n++;
		a += length + (a[length] == '.');
		b += length + (b[length] == '.');
	}
	return n;
}

static unsigned int words(const char *name)
{
	return common_words(name, name);
}

int breakdowns_layer(const struct layers *layers, const char *name)
{
	const char *known = fact_layer(name);
	unsigned int most = 0;
	int best = -1;

	for (unsigned int i = 0; i < layers->n; i++) {
		const char *layer = layers->layers[i].name;
		unsigned int common = common_words(name, layer);

		if (known ? !strcmp(known, layer)
			  : common > most || (best >= 0 && common && common == most &&
					      words(layer) < words(layers->layers[best].name))) {
			best = i;
			most = common;
		}
	}
	return best;
}

static void add(struct breakdowns *b, unsigned int layer, const char *axis, const char *name,
		struct series *keys)
{
	const struct layer *of = &b->layers->layers[layer];
	struct breakdown new = {
		.layer = layer,
		.series = { .name = name, .rank = of->rank, .above = of->above, .keys = keys },
		.axis = axis,
		.own = keys == of->keys,
		.same = is_same(name, of->name),
	};

	b->breakdowns = grow(b->breakdowns, b->n, sizeof(*b->breakdowns));
	b->breakdowns[b->n++] = new;
}

static void add_series(struct breakdowns *b, unsigned int layer, const char *axis, const char *name,
		       struct source *s)
{
	char *prefix = xasprintf("estat.%s", name);
	struct series *keys =
		source_share(s, prefix, READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX);

	if (keys && (keys->nkeys || breakdowns_run(b, name)))
		add(b, layer, axis, name, keys);
	free(prefix);
}

/* The number of filters whose axis the series has. */
static unsigned int count_filters(const struct breakdowns *b, const struct text *series)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->o->nfilters; i++)
		n += text_has(series->value, b->o->filters[i].axis);
	return n;
}

/*
 * The series that has the layer's operations and the axis, and for which breakdowns_count() is
 * true. If there are several, the result is the series that has the axes of most filters. NULL:
 * there is none.
 */
static const struct text *same_series(const struct breakdowns *b, unsigned int layer,
				      const char *axis)
{
	const struct text *best = NULL;

	for (unsigned int i = 0; i < b->layers->nseries; i++) {
		const struct text *series = &b->layers->series[i];

		if (is_same(series->instance, b->layers->layers[layer].name) &&
		    text_has(series->value, axis) && breakdowns_count(b, series->instance) &&
		    (!best || count_filters(b, series) > count_filters(b, best)))
			best = series;
	}
	return best;
}

/* Add the breakdowns of a layer by an axis. `by`: --by has the axis; else only filters have it. */
static void add_layer(struct breakdowns *b, unsigned int layer, const char *axis, bool by,
		      struct source *s)
{
	const struct layers *layers = b->layers;
	const struct layer *of = &layers->layers[layer];
	const struct text *same;

	if (keys_have(of->keys, axis)) {
		if (by)
			add(b, layer, axis, of->keys->prefix + strlen("estat."), of->keys);
		return;
	}
	same = same_series(b, layer, axis);
	if (same) {
		add_series(b, layer, axis, same->instance, s);
		return;
	}
	for (unsigned int i = 0; i < layers->nseries; i++) {
		const char *name = layers->series[i].instance;

		if (text_has(layers->series[i].value, axis) && layers_named(layers, name) < 0 &&
		    breakdowns_layer(layers, name) == (int)layer && breakdowns_count(b, name))
			add_series(b, layer, axis, name, s);
	}
}

/* Exit if no series has the axis; else add the axis, once. */
static void add_axis(struct breakdowns *b, const char *axis)
{
	bool known = false;

	for (unsigned int i = 0; i < b->layers->nseries; i++)
		known |= text_has(b->layers->series[i].value, axis);
	if (!known)
		die(EXIT_USAGE, "no module has an axis %s; the axes are: %s", axis,
		    layers_axes(b->layers));
	for (unsigned int i = 0; i < b->naxes; i++)
		if (!strcmp(b->axes[i], axis))
			return;
	b->axes[b->naxes++] = axis;
}

void breakdowns_find(struct breakdowns *b, const struct layers *layers, const struct options *o,
		     struct source *s)
{
	*b = (struct breakdowns){ .layers = layers, .o = o, .archive = s->archive };
	b->nstatuses = source_texts(s, "estat.module.status", &b->statuses);
	b->nerrors = source_texts(s, "estat.module.error", &b->errors);
	b->nprobes = source_texts(s, "estat.module.probes", &b->probes);
	if (o->nby)
		add_axis(b, o->by[0]);
	for (unsigned int i = 0; i < o->nfilters; i++)
		add_axis(b, o->filters[i].axis);
	for (unsigned int a = 0; a < b->naxes; a++)
		for (unsigned int i = 0; i < layers->n; i++)
			add_layer(b, i, b->axes[a], !a && o->nby, s);
}

/*
 * Is the module of the series not attached yet, so that no keys of the series are known? False for
 * an archive.
 */
static bool is_unattached(const struct breakdowns *b, const struct series *keys)
{
	const char *attached = owner_text(b->probes, b->nprobes, keys->prefix + strlen("estat."));

	return !b->archive && !keys->nkeys && attached && !strcmp(attached, "0");
}

/* What is known of the values on a filter's axis. */
struct matches {
	bool any; /* a series has a value on the filter's axis */
	/*
	 * a value matches the filter's glob; or a series with the filter's axis has no keys, and
	 * the series' module is not attached yet
	 */
	bool found;
};

static void find_matches(struct matches *matches, const struct breakdowns *b,
			 const struct series *keys, const struct filter *filter)
{
	if (!keys_have(keys, filter->axis))
		return;
	matches->any |= keys->nkeys > 0;
	matches->found |= series_matches(keys, filter->axis, filter->glob) ||
			  is_unattached(b, keys);
}

/*
 * The values on an axis, as values_told() lists them: a line for each layer that has the axis, with
 * the layer's name, then a line for each breakdown by the axis, with the name of the breakdown's
 * series. A breakdown of the layer's own series gets no line.
 */
static char *all_values(const struct breakdowns *b, const char *axis)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < b->layers->n; i++) {
		const struct series *keys = b->layers->layers[i].keys;

		if (keys_have(keys, axis))
			fprintf(f, "\n  %s: %s", b->layers->layers[i].name,
				values_told(keys, axis));
	}
	for (unsigned int i = 0; i < b->n; i++)
		if (!b->breakdowns[i].own && !strcmp(b->breakdowns[i].axis, axis))
			fprintf(f, "\n  %s: %s", b->breakdowns[i].series.name,
				values_told(b->breakdowns[i].series.keys, axis));
	fclose(f);
	return xalloc(text);
}

void breakdowns_check(const struct breakdowns *b, struct source *s)
{
	for (unsigned int i = 0; i < b->o->nfilters; i++) {
		const struct filter *filter = &b->o->filters[i];
		struct matches matches = { 0 };

		for (unsigned int k = 0; k < b->layers->n; k++)
			find_matches(&matches, b, b->layers->layers[k].keys, filter);
		for (unsigned int k = 0; k < b->n; k++)
			find_matches(&matches, b, b->breakdowns[k].series.keys, filter);
		if (matches.any && !matches.found)
			die(EXIT_NO_DATA, "%s has never seen the %s %s; seen were:%s",
			    source_name(s), filter->axis, filter->glob,
			    all_values(b, filter->axis));
	}
}

void breakdowns_read(struct breakdowns *b, const struct stack *stack, double seconds)
{
	for (unsigned int i = 0; i < b->n; i++) {
		struct breakdown *breakdown = &b->breakdowns[i];

		free(breakdown->rows);
		stack_read_level(&breakdown->level, stack, b->layers, &breakdown->series, seconds);
		breakdown->nrows =
			rows_by(stack, &breakdown->level, breakdown->axis, &breakdown->rows);
	}
}

bool breakdown_is_apart(const struct breakdown *breakdown)
{
	return !breakdown->own && !(breakdown->same && !breakdown->level.all);
}
