// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "breakdown_text.h"
#include "sentence.h"
#include "source/modules.h"
#include "source/texts.h"

/* The most series that the sentence of breakdowns_explain() names. */
#define MOST_NAMED 4

/* "a", "a and b", or "a, b and c". The caller frees the text. */
static char *join_names(const char *const *names, unsigned int n)
{
	char *text = n > 1 ? join_texts(names, n - 1) : NULL;
	char *all = text ? xasprintf("%s and %s", text, names[n - 1]) : xalloc(strdup(names[0]));

	free(text);
	return all;
}

/*
 * What the source has of a series. Of the series with an axis, a sentence names only those with one
 * and the same value of this enum.
 */
enum about {
	ABOUT_OPERATIONS, /* the source has the operations of the series */
	/* the source has counters of the series, but these do not count operations */
	ABOUT_COUNTERS,
	/* the source lacks the series, or the series' module does not run */
	ABOUT_MISSING,
};

static enum about about(const struct breakdowns *b, const char *name)
{
	char *prefix = xasprintf("estat.%s", name), **children = NULL;
	int *kinds = NULL, n = pmGetChildrenStatus(prefix, &children, &kinds);
	bool counters = false, operations = false;

	for (int i = 0; i < n; i++) {
		counters |= kinds[i] == PMNS_LEAF_STATUS;
		operations |= !strcmp(children[i], "ops");
	}
	free(kinds);
	free(children);
	free(prefix);
	if (operations)
		return breakdowns_count(b, name) ? ABOUT_OPERATIONS : ABOUT_MISSING;
	return counters && (b->archive || breakdowns_run(b, name)) ? ABOUT_COUNTERS : ABOUT_MISSING;
}

/*
 * The command that shows the series `name`: by `axis` if --by has that axis, and only the keys that
 * the filters on `axis` select.
 */
static char *command_of(const struct breakdowns *b, const char *axis, const char *name)
{
	bool by = b->o->nby && !strcmp(b->o->by[0], axis);
	char *filters[MAX_FILTERS + 1] = { 0 }, *text;
	char *option = by ? xasprintf("--by %s", axis) : xalloc(strdup(""));
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->o->nfilters; i++)
		if (!strcmp(b->o->filters[i].axis, axis))
			filters[n++] = xasprintf("%s=%s", axis, b->o->filters[i].glob);
	text = table_to_type(name, option, filters);
	while (n)
		free(filters[--n]);
	free(option);
	return text;
}

/*
 * Set names[] to the names of at most MOST_NAMED series that have the axis, and *best to their enum
 * about. If at least one series with the axis belongs to a layer, series that belong to no layer
 * are left out. Of the series that are not left out, names[] gets only those with the lowest value
 * of enum about among them. Returns the number of names.
 */
static unsigned int find_named(const struct breakdowns *b, const char *axis,
			       const char *names[MOST_NAMED], enum about *best)
{
	const struct layers *layers = b->layers;
	bool belongs = false;
	unsigned int n = 0;

	*best = ABOUT_MISSING;
	for (unsigned int i = 0; i < layers->nseries; i++) {
		const struct text *series = &layers->series[i];
		bool of_layer;
		enum about is;

		if (!text_has(series->value, axis))
			continue;
		of_layer = breakdowns_layer(layers, series->instance) >= 0;
		if (belongs && !of_layer)
			continue;
		is = about(b, series->instance);
		if ((of_layer && !belongs) || is < *best) {
			n = 0;
			*best = is;
		}
		belongs |= of_layer;
		if (is == *best && n < MOST_NAMED)
			names[n++] = series->instance;
	}
	return n;
}

/* The sentence of breakdowns_explain() for axes[a]. */
static char *lacking_line(const struct breakdowns *b, unsigned int a, struct source *s)
{
	const char *names[MOST_NAMED] = { NULL }, *axis = b->axes[a];
	enum about best;
	unsigned int n = find_named(b, axis, names, &best);
	char *list, *command, *text;

	list = join_names(names, n);
	command = best == ABOUT_OPERATIONS ? command_of(b, axis, names[0])
		  : best == ABOUT_COUNTERS ? table_to_type(owner_of(s, names[0]), "", NULL)
					   : command_to_type("list", NULL, false);
	if (best == ABOUT_MISSING && s->archive)
		text = xasprintf(
			"No layer has the axis %s; %s %s it, but the archive lacks %s metrics.",
			axis, list, n > 1 ? "have" : "has", n > 1 ? "their" : "its");
	else if (best == ABOUT_MISSING)
		text = xasprintf(
			"No layer has the axis %s; %s %s it, but %s not count here: see `%s'.",
			axis, list, n > 1 ? "have" : "has", n > 1 ? "do" : "does", command);
	else
		text = xasprintf("No layer has the axis %s; %s %s it%s: see `%s'.", axis, list,
				 n > 1 ? "have" : "has",
				 best != ABOUT_COUNTERS ? ""
				 : n > 1                ? ", but count no operations"
							: ", but counts no operations",
				 command);
	free(command);
	free(list);
	return text;
}

static bool has_axis(const struct breakdowns *b, const char *axis)
{
	for (unsigned int i = 0; i < b->n; i++)
		if (!strcmp(b->breakdowns[i].axis, axis))
			return true;
	return layers_have(b->layers, axis);
}

void breakdowns_explain(struct breakdowns *b, struct source *s)
{
	for (unsigned int a = 0; a < b->naxes; a++)
		if (!has_axis(b, b->axes[a]))
			b->lines[a] = lacking_line(b, a, s);
}

char *breakdowns_note(const struct breakdowns *b, unsigned int a)
{
	const char **names = NULL;
	unsigned int n = 0, nrows = 0;
	char *list, *text;

	if (b->lines[a])
		return xalloc(strdup(b->lines[a]));
	for (unsigned int i = 0; i < b->n; i++)
		if (!strcmp(b->breakdowns[i].axis, b->axes[a]) && !b->breakdowns[i].same)
			nrows += b->breakdowns[i].nrows;
	for (unsigned int i = 0; i < b->n; i++) {
		const struct breakdown *breakdown = &b->breakdowns[i];

		if (strcmp(breakdown->axis, b->axes[a]) || breakdown->same ||
		    (nrows && !breakdown->nrows))
			continue;
		names = grow(names, n, sizeof(*names));
		names[n++] = breakdown->series.name;
	}
	if (!n) {
		free(names);
		return NULL;
	}
	list = join_names(names, n);
	text = nrows ? xasprintf("The rows by %s are of %s, which count%s other operations than "
				 "the layers.",
				 b->axes[a], list, n > 1 ? "" : "s")
		     : xasprintf("No operation of %s, which %s the axis %s, has ended.", list,
				 n > 1 ? "have" : "has", b->axes[a]);
	free(list);
	free(names);
	return text;
}

/* The command line's filters: "op=read and fs=ext4"; NULL: there are none. */
static char *filters_text(const struct options *o)
{
	char *filters[MAX_FILTERS] = { 0 }, *text;
	unsigned int n = o->nfilters;

	for (unsigned int i = 0; i < n; i++)
		filters[i] = xasprintf("%s=%s", o->filters[i].axis, o->filters[i].glob);
	text = n ? join_names((const char *const *)filters, n) : NULL;
	while (n)
		free(filters[--n]);
	return text;
}

/* Has a layer the axes of all filters? */
static bool any_has_all(const struct stack *stack)
{
	for (unsigned int i = 0; i < stack->n; i++)
		if (!target_lacks(stack->target, stack->levels[i].layer))
			return true;
	return false;
}

char *breakdowns_no_step(const struct breakdowns *b, const struct stack *stack,
			 const struct verdict *v)
{
	char *filters = v->nsteps ? NULL : filters_text(b->o), *text;

	if (!filters)
		return NULL;
	if (any_has_all(stack))
		text = nothing_ended(stack, filters);
	else
		text = xasprintf("What takes the time of %s is not known: no layer has %s.",
				 filters, b->o->nfilters > 1 ? "all these axes" : "this axis");
	free(filters);
	return text;
}

/*
 * Set commands[] to command lines that show the series whose rows are apart, see
 * breakdown_is_apart(). Returns the number of command lines.
 */
static unsigned int breakdowns_next(const struct breakdowns *b, char *commands[MAX_NEXT])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->n && n < MAX_NEXT; i++)
		if (b->breakdowns[i].nrows && breakdown_is_apart(&b->breakdowns[i]))
			commands[n++] =
				command_of(b, b->breakdowns[i].axis, b->breakdowns[i].series.name);
	return n;
}

unsigned int breakdowns_or_next(const struct breakdowns *b, const struct who *who,
				const struct verdict *v, const struct stack *stack,
				char *commands[MAX_NEXT])
{
	unsigned int n = next_commands(who, v, stack, commands);

	return n ? n : breakdowns_next(b, commands);
}
