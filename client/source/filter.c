// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "filter.h"
#include "title.h"

#define DEFAULT_POOL "domain0"

/* The most values that values_told() lists. A host can have thousands of disks or cgroups. */
#define MOST_TOLD 16

bool matches_filters(const struct options *o, const struct key *key, const char *axis)
{
	const char *value = key_axis(key, axis);

	for (unsigned int i = 0; value && i < o->nfilters; i++)
		if (!strcmp(o->filters[i].axis, axis) && !fnmatch(o->filters[i].glob, value, 0))
			return true;
	return false;
}

bool selected(const struct options *o, const struct key *key)
{
	for (unsigned int i = 0; i < o->nfilters; i++)
		if (!matches_filters(o, key, o->filters[i].axis))
			return false;
	return true;
}

bool selects_all(const struct options *o, const struct series *series)
{
	for (unsigned int k = 0; k < series->nkeys; k++)
		if (!selected(o, series->keys[k]))
			return false;
	return true;
}

void add_total(const struct options *o, const struct series *series, struct values *into)
{
	const struct series *total = series->total;
	unsigned int lacks = series_lacks(series);

	if (total && selects_all(o, series)) {
		lacks &= series_lacks(total);
		for (unsigned int k = 0; k < total->nkeys; k++)
			values_add(into, &total->keys[k]->values);
	}
	into->lacks |= lacks;
}

/*
 * A list of at most `most` values on an axis; if there are more, also how many more, and a command
 * that lists all. `axis` NULL: a list of the names of the axes.
 */
static char *list_values(const struct series *series, const char *axis, unsigned int most)
{
	const char **values = xalloc(calloc(series->nkeys * MAX_AXES + 1, sizeof(*values)));
	char *text, *help, *command, *all;
	unsigned int n = 0;

	for (unsigned int k = 0; k < series->nkeys; k++)
		for (unsigned int i = 0; i < series->keys[k]->naxes; i++) {
			const struct axis *a = &series->keys[k]->axes[i];

			if (!axis || !strcmp(a->name, axis))
				values[n++] = axis ? a->value : a->name;
		}
	n = sort_texts(values, n);
	text = join_texts(values, n < most ? n : most);
	free(values);
	if (n <= most)
		return text;
	help = xasprintf("help %s", series->prefix + strlen("estat."));
	command = command_to_type(help, NULL, false);
	all = xasprintf("%s and %u more: see `%s'", text, n - most, command);
	free(text);
	free(help);
	free(command);
	return all;
}

char *values_seen(const struct series *series, const char *axis)
{
	return list_values(series, axis, UINT_MAX);
}

char *values_told(const struct series *series, const char *axis)
{
	return list_values(series, axis, MOST_TOLD);
}

bool series_matches(const struct series *series, const char *axis, const char *glob)
{
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *value = key_axis(series->keys[k], axis);

		if (value && !fnmatch(glob, value, 0))
			return true;
	}
	return false;
}

static void check_filter(const struct source *s, const struct series *series,
			 const struct filter *filter)
{
	if (series_matches(series, filter->axis, filter->glob))
		return;
	if (series->nkeys && !series_matches(series, filter->axis, "*"))
		die(EXIT_USAGE, "%s has no axis %s; it has: %s", series->prefix, filter->axis,
		    values_seen(series, NULL));
	if (s->awaited)
		return;
	die(EXIT_NO_DATA, "%s has never seen the %s %s; seen were: %s", series->prefix,
	    filter->axis, filter->glob, values_told(series, filter->axis));
}

void check_selection(struct options *o, const struct source *s, const struct series *series)
{
	bool chosen = false, others = false;

	for (unsigned int i = 0; i < o->nfilters; i++)
		check_filter(s, series, &o->filters[i]);
	if (o->nfilters == MAX_FILTERS)
		return;
	for (unsigned int i = 0; i < o->nby; i++)
		if (!strcmp(o->by[i], "pool"))
			return;
	for (unsigned int i = 0; i < o->nfilters; i++)
		if (!strcmp(o->filters[i].axis, "pool"))
			return;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *pool = key_axis(series->keys[k], "pool");

		if (!pool)
			return;
		chosen |= !strcmp(pool, DEFAULT_POOL);
		others |= strcmp(pool, DEFAULT_POOL);
	}
	if (!chosen)
		return;
	o->filters[o->nfilters++] = (struct filter){ "pool", DEFAULT_POOL };
	if (others)
		note("of the pools %s, only %s is shown; for another: -a POOL, for all: --filter "
		     "'pool=*'",
		     values_told(series, "pool"), DEFAULT_POOL);
}

/*
 * For `-a lun`: add to --by each axis that titles of rows lack, but never the axis pool. Returns
 * false if no axis is added.
 */
static bool add_rest(struct options *o, const struct layout *layout)
{
	unsigned int before = o->nby;

	for (unsigned int i = 0; layout->name && i < layout->naxes && o->nby < MAX_BY; i++) {
		char *axis = layout->axes[i];

		if (strcmp(axis, "pool") && !title_has(layout->name, axis) &&
		    !title_has(layout->axis, axis))
			o->by[o->nby++] = axis;
	}
	return o->nby > before;
}

static bool has_axis(const struct layout *layout, const char *axis)
{
	for (unsigned int i = 0; i < layout->naxes; i++)
		if (!strcmp(layout->axes[i], axis))
			return true;
	return false;
}

bool keys_have(const struct series *series, const char *axis)
{
	return series && (has_axis(&series->layout, axis) ||
			  (series->nkeys && key_axis(series->keys[0], axis)));
}

void use_argument(struct options *o, const struct series *series)
{
	const struct layout *layout = &series->layout;

	for (unsigned int i = 0; i < o->nby; i++)
		if (!has_axis(layout, o->by[i]))
			die(EXIT_USAGE, "%s has no axis %s; it has: %s", series->prefix, o->by[i],
			    values_seen(series, NULL));
	if (!o->argument)
		return;
	if (has_axis(layout, "pool") && o->nfilters == MAX_FILTERS)
		die(EXIT_USAGE, "more than %d filters: the pool is one, too", MAX_FILTERS);
	else if (has_axis(layout, "pool"))
		o->filters[o->nfilters++] = (struct filter){ "pool", o->argument };
	else if (o->given['p'] && !o->given['a'])
		die(EXIT_USAGE, "%s takes no -p: it has no pools", o->name);
	else if (!add_rest(o, layout))
		die(EXIT_USAGE, "%s takes no -a %s", o->name, o->argument);
	else if (strcmp(o->argument, "lun"))
		die(EXIT_USAGE, "%s takes no -a %s, but -a lun", o->name, o->argument);
}
