// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a pool, a disk or a mount is called by the layers.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "place.h"

/* The name of a disk is that of its partitions, too, and that of a pool of its datasets. */
static bool is_in(const char *value, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(value, name, length))
		return false;
	value += length;
	if (!*value || *value == '/')
		return true;
	if (isdigit((unsigned char)name[length - 1]) && *value++ != 'p')
		return false;
	return *value && strspn(value, "0123456789") == strlen(value);
}

/* Has the key one of the names on this axis? */
static bool is_named(const struct place *place, const struct key *key, unsigned int axis)
{
	for (unsigned int i = 0; i < place->n; i++)
		if (is_in(key->axes[axis].value, place->names[i]) ||
		    (!strcmp(key->axes[axis].name, "disk") && key->device &&
		     !strcmp(key->device, place->names[i])))
			return true;
	return false;
}

static bool has_name(const struct place *place, const struct key *key)
{
	for (unsigned int a = 0; a < key->naxes; a++)
		if (is_named(place, key, a))
			return true;
	return false;
}

static bool has_axis(const struct series *series, const char *axis)
{
	for (unsigned int i = 0; i < series->shown.naxes; i++)
		if (!strcmp(series->shown.axes[i], axis))
			return true;
	return series->nkeys && key_axis(series->keys[0], axis);
}

/* Is a name, of any layer, on an axis that this one has, too? */
static bool knows_names(const struct place *place, const struct layers *layers,
			const struct series *series)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int k = 0; keys && k < keys->nkeys; k++)
			for (unsigned int a = 0; a < keys->keys[k]->naxes; a++)
				if (has_axis(series, keys->keys[k]->axes[a].name) &&
				    is_named(place, keys->keys[k], a))
					return true;
	}
	return false;
}

bool place_restricts(const struct place *place)
{
	return place->said || place->o->nfilters;
}

bool place_known(const struct place *place, const struct layers *layers, const struct layer *layer)
{
	return !place->said || (layer->keys && knows_names(place, layers, layer->keys));
}

bool place_filtered(const struct place *place, const struct layer *layer)
{
	for (unsigned int i = 0; i < place->o->nfilters; i++)
		if (!layer->keys || !has_axis(layer->keys, place->o->filters[i].axis))
			return false;
	return true;
}

/* Does one of the filters of this axis let the key pass? */
static bool passes(const struct options *o, const struct key *key, const char *axis)
{
	const char *value = key_axis(key, axis);

	for (unsigned int i = 0; value && i < o->nfilters; i++)
		if (!strcmp(o->filters[i].axis, axis) && !fnmatch(o->filters[i].glob, value, 0))
			return true;
	return !value;
}

bool place_has(const struct place *place, const struct key *key, bool known)
{
	for (unsigned int i = 0; i < place->o->nfilters; i++)
		if (!passes(place->o, key, place->o->filters[i].axis))
			return false;
	return !place->said || !known || has_name(place, key);
}

void place_find(struct place *place, const char *said, const struct options *o,
		const struct source *s)
{
	*place = (struct place){ .said = said, .o = o };
	(void)s;
	if (said)
		place->names[place->n++] = said;
}

static bool any_has_axis(const struct layers *layers, const char *axis)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (layers->layers[i].keys && has_axis(layers->layers[i].keys, axis))
			return true;
	return false;
}

/* What keys there are, but for what their operations are. */
static char *all_values(const struct layers *layers)
{
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));

	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int a = 0; keys && a < keys->shown.naxes; a++)
			if (strcmp(keys->shown.axes[a], "op"))
				fprintf(f, "\n  %s %s: %s", layers->layers[i].name,
					keys->shown.axes[a],
					values_seen(keys, keys->shown.axes[a]));
	}
	fclose(f);
	return or_die(text);
}

void place_check(const struct place *place, const struct layers *layers)
{
	bool known = !place->said;

	for (unsigned int i = 0; i < layers->n; i++)
		known |= place_known(place, layers, &layers->layers[i]);
	if (!known)
		die(EXIT_NO_DATA, "no layer has seen %s; seen were:%s", place->said,
		    all_values(layers));
	for (unsigned int i = 0; i < place->o->nfilters; i++)
		if (!any_has_axis(layers, place->o->filters[i].axis))
			die(EXIT_USAGE, "no layer has an axis %s", place->o->filters[i].axis);
}
