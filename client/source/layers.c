// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "filter.h"
#include "layers.h"
#include "layout.h"
#include "texts.h"

/*
 * named() calls itself at most to this depth, so named() ends even if layers form a cycle. named()
 * finds the layers above a layer if the source lacks at most DEPTH - 1 layers in a row.
 */
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

/*
 * Add the layers that the source declares; of an archive, those declared at the end of the time
 * window.
 */
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

/* How many of `axes` a text such as "disk::op" has. */
static unsigned int count_axes(const char *text, const char *const *axes)
{
	unsigned int n = 0;

	for (; *axes; axes++)
		n += text_has(text, *axes);
	return n;
}

/*
 * The series, of the layer and its variants, that has the most of `axes`. If several series have
 * the most, the result is the layer if it is one of these, else the first of these in `variants`.
 */
static const char *best_series(const struct layers *layers, const char *layer,
			       const char *const *axes, const struct variant *variants)
{
	const char *best = layer, *own = text_of(layers->series, layers->nseries, layer);
	unsigned int most = own ? count_axes(own, axes) : 0;

	for (; own && variants->series; variants++) {
		const char *has = text_of(layers->series, layers->nseries, variants->series);
		char *prefix = xasprintf("estat.%s", variants->series);
		unsigned int found = has ? count_axes(has, axes) : 0;

		if (found > most && !strcmp(variants->layer, layer) && has_metric(prefix)) {
			most = found;
			best = variants->series;
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

/* The axes of a layer's keys, such as "disk::op". The caller frees the text. */
static char *axes_text(const struct layer *layer)
{
	char *text = xalloc(strdup(""));

	for (unsigned int a = 0; layer->keys && a < layer->keys->layout.naxes; a++) {
		char *before = text;

		text = xasprintf("%s%s%s", before, a ? "::" : "", layer->keys->layout.axes[a]);
		free(before);
	}
	return text;
}

/*
 * Add to layers->series each layer that it lacks: an archive can be without estat.module.axes, from
 * which layers->series is read.
 */
static void add_lacking(struct layers *layers)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct layer *layer = &layers->layers[i];

		if (text_of(layers->series, layers->nseries, layer->name))
			continue;
		layers->series = grow(layers->series, layers->nseries, sizeof(*layers->series));
		layers->series[layers->nseries++] =
			(struct text){ xalloc(strdup(layer->name)), axes_text(layer) };
	}
}

void layers_find(struct layers *layers, struct source *s, bool by_key, bool stacked,
		 const char *const *axes, const struct variant *variants)
{
	pmID rank;

	layers->nseries = source_texts(s, "estat.module.axes", &layers->series);
	find_declared(layers, s);
	if (!layers->n && s->archive && find_pmid("estat.layer", "rank", &rank))
		source_has_nothing(s->where, "layers");
	if (!layers->n)
		die(EXIT_NO_DATA, "%s has metrics of no layer", source_name(s));
	qsort(layers->layers, layers->n, sizeof(layers->layers[0]), compare_ranks);
	for (unsigned int i = 0; i < layers->n; i++) {
		const char *name = layers->layers[i].name;
		const char *own = text_of(layers->series, layers->nseries, name);

		add_series(&layers->layers[i], s, by_key, stacked && own && text_has(own, "disk"),
			   best_series(layers, name, axes, variants));
	}
	add_lacking(layers);
}

int layers_named(const struct layers *layers, const char *name)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (!strcmp(layers->layers[i].name, name))
			return i;
	return -1;
}

bool layers_have(const struct layers *layers, const char *axis)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (keys_have(layers->layers[i].keys, axis))
			return true;
	return false;
}

char *layers_axes(const struct layers *layers)
{
	const char **axes = NULL;
	char **words = NULL, *text;
	unsigned int n = 0;

	for (unsigned int i = 0; i < layers->nseries; i++) {
		const char *rest = layers->series[i].value;
		char *word;

		while ((word = text_word(&rest))) {
			axes = grow(axes, n, sizeof(*axes));
			words = grow(words, n, sizeof(*words));
			axes[n] = words[n] = word;
			n++;
		}
	}
	text = join_texts(axes, sort_texts(axes, n));
	while (n)
		free(words[--n]);
	free(words);
	free(axes);
	return text;
}

/*
 * The layers that are in `present` and in `names`, a list separated by blanks. If a name is no
 * layer of the source, the names in the label `above` of that name are taken instead. `depth`: how
 * many calls of named() may be nested, this call included; 0: the result is empty.
 */
static layer_set named(const struct layers *layers, const char *names, layer_set present,
		       unsigned int depth)
{
	layer_set found = 0;

	while (*names && depth) {
		size_t length = strcspn(names, " ");
		char *name = xalloc(strndup(names, length));
		int i = layers_named(layers, name);
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
