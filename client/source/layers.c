// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "layers.h"
#include "layout.h"
#include "texts.h"

/* The most consecutive layers that the source may lack. Ends the search if layers form a circle. */
#define DEPTH 6

/* Set layer->above, ->axis and ->values from a text such as "zpl zvol if priority=sync?". */
static void take_above(struct layer *layer, const char *above)
{
	char *text = xalloc(strdup(above)), *axis = strstr(text, " if "), *values;

	layer->above = text;
	values = axis ? strchr(axis + 4, '=') : NULL;
	if (!values)
		return;
	*axis = *values = '\0';
	layer->axis = axis + 4;
	layer->values = values + 1;
}

static void add_layer(struct layers *layers, const char *name, unsigned int rank, const char *above)
{
	if (layers->n == MAX_LAYERS)
		return;
	layers->layers[layers->n] = (struct layer){ .name = name, .rank = rank };
	take_above(&layers->layers[layers->n++], above);
}

/* Add the layers that the source declares; of an archive, at the end of the time window. */
static void find_declared(struct layers *layers, struct source *s)
{
	struct text *ranks, *above;
	unsigned int n = source_texts(s, "estat.layer.rank", &ranks);
	unsigned int nabove = source_texts(s, "estat.layer.above", &above);

	for (unsigned int i = 0; i < n; i++) {
		const char *name = ranks[i].instance, *text = text_of(above, nabove, name);

		add_layer(layers, name, strtoul(ranks[i].value, NULL, 10), text ? text : "");
	}
}

/* Does the source have a metric of operations or of latencies below this prefix? */
static bool has_metric(const char *prefix)
{
	pmID pmid;

	return find_pmid(prefix, "ops", &pmid) || find_pmid(prefix, "latency_sum", &pmid);
}

static int compare_ranks(const void *a, const void *b)
{
	const struct layer *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Has the series `name` the same operations as the layer, by more axes, as bio.cgroup has those of
 * bio?
 */
static bool is_variant(const char *name, const char *layer)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t before = dot - name;
		const char *after = strchr(dot + 1, '.') ?: "";

		if (strlen(layer) == before + strlen(after) && !strncmp(name, layer, before) &&
		    !strcmp(layer + before, after))
			return true;
	}
	return false;
}

/* How many of `axes` a text such as "disk::op" has. */
static unsigned int count_axes(const char *text, const char *const *axes)
{
	unsigned int n = 0;

	for (; *axes; axes++)
		n += text_has(text, *axes);
	return n;
}

/* Of the layer and its variants that which has most of `axes`; if equal, the layer or the first. */
static const char *best_series(const struct text *series, unsigned int n, const char *layer,
			       const char *const *axes)
{
	const char *best = layer, *own = text_of(series, n, layer);
	unsigned int most = own ? count_axes(own, axes) : 0;

	for (unsigned int i = 0; own && i < n; i++) {
		const char *name = series[i].instance;
		unsigned int found = count_axes(series[i].value, axes);
		char *prefix = xasprintf("estat.%s", name);

		if (found > most && is_variant(name, layer) && has_metric(prefix)) {
			most = found;
			best = name;
		}
		free(prefix);
	}
	return best;
}

static void add_series(struct layer *layer, struct source *s, bool by_key, bool stacked,
		       const char *name)
{
	enum reads all = READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX;
	char *keys = xasprintf("estat.%s", name), *total = xasprintf("%s.total", keys);

	if (has_metric(total) && !(by_key && has_metric(keys)))
		layer->total = source_add(s, total, all, NULL);
	layer->keys = source_add(s, keys,
				 READ_UNDER_WAY | READ_TOLD |
					 (layer->total && !stacked ? READ_BASIC | READ_MAX : all),
				 NULL);
	free(total);
	free(keys);
}

void layers_find(struct layers *layers, struct source *s, bool by_key, bool stacked,
		 const char *const *axes)
{
	struct text *series = NULL;
	pmID rank;
	unsigned int n = stacked || (axes && *axes) ? source_texts(s, "estat.module.axes", &series)
						    : 0;

	find_declared(layers, s);
	if (!layers->n && s->archive && find_pmid("estat.layer", "rank", &rank))
		source_has_nothing(s->where, "layers");
	if (!layers->n)
		die(EXIT_NO_DATA, "%s has metrics of no layer", source_name(s));
	qsort(layers->layers, layers->n, sizeof(layers->layers[0]), compare_ranks);
	for (unsigned int i = 0; i < layers->n; i++) {
		const char *name = layers->layers[i].name, *own = text_of(series, n, name);

		if (axes && *axes)
			name = best_series(series, n, name, axes);
		add_series(&layers->layers[i], s, by_key, stacked && own && text_has(own, "disk"),
			   name);
	}
	texts_free(series, n);
}

/* Has the series `name` the same operations as a layer, by more axes? */
static bool is_any_variant(const struct layers *layers, const char *name)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (is_variant(name, layers->layers[i].name))
			return true;
	return false;
}

char *layers_axes(const struct layers *layers, struct source *s)
{
	struct text *series;
	unsigned int nseries = source_texts(s, "estat.module.axes", &series), n = 0;
	const char **axes = NULL;
	char *text;

	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int a = 0; keys && a < keys->layout.naxes; a++) {
			axes = grow(axes, n, sizeof(*axes));
			axes[n++] = keys->layout.axes[a];
		}
	}
	for (unsigned int i = 0; i < nseries; i++) {
		char *prefix = xasprintf("estat.%s", series[i].instance);
		char *rest = series[i].value, *axis;
		bool counts = is_any_variant(layers, series[i].instance) && has_metric(prefix);

		while (counts && (axis = strsep(&rest, ":"))) {
			axes = grow(axes, n, sizeof(*axes));
			axes[n] = axis;
			n += *axis != '\0';
		}
		free(prefix);
	}
	text = join_texts(axes, sort_texts(axes, n));
	free(axes);
	texts_free(series, nseries);
	return text;
}

static int find_layer(const struct layers *layers, const char *name)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (!strcmp(layers->layers[i].name, name))
			return i;
	return -1;
}

/*
 * The layers of `names` that are in `present`. A name that is no layer of the source is replaced by
 * the layers next above it, by its label `above`, and so on for `depth` times.
 */
static layer_set named(const struct layers *layers, const char *names, layer_set present,
		       unsigned int depth)
{
	layer_set found = 0;

	while (*names && depth) {
		size_t length = strcspn(names, " ");
		char *name = xalloc(strndup(names, length));
		int i = find_layer(layers, name);
		char *above = i < 0 ? layout_label(name, "above") : NULL;

		if (i >= 0)
			found |= present & (layer_set)1 << i;
		else if (above)
			found |= named(layers, above, present, depth - 1);
		free(above);
		free(name);
		names += length + strspn(names + length, " ");
	}
	return found;
}

layer_set layers_above(const struct layers *layers, unsigned int i, layer_set present)
{
	/* layers nearer to the application have lower indexes */
	return named(layers, layers->layers[i].above, present, DEPTH) & (((layer_set)1 << i) - 1);
}

bool layer_is_awaited(const struct layer *layer, const struct key *key)
{
	const char *value = layer->axis ? key_axis(key, layer->axis) : NULL;

	return !value || !fnmatch(layer->values, value, FNM_EXTMATCH);
}
