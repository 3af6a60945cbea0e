// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "lib/xalloc.h"
#include "source/filter.h"
#include "source/sorted.h"
#include "source/texts.h"
#include "who.h"

/* A cgroup, command or client with less than this share of the operations' time is not named. */
#define LEAST 0.2

/*
 * The first step's operations stand for all of their kind if they have at least this share of the
 * kind's time in the layer.
 */
#define MOST 0.9

void who_read(struct who *who, struct source *s)
{
	for (unsigned int i = 0; i < USERS_FACTS; i++) {
		char *prefix = xasprintf("estat.%s", users_facts[i].series);

		who->series[i] = source_share(s, prefix, READ_BASIC);
		free(prefix);
	}
}

/* The last of the verdict's steps that is in `layer` and has a place; NULL: there is none. */
static const struct step *disk_step(const struct verdict *v, const struct stack *stack,
				    const char *layer)
{
	for (unsigned int i = v->nsteps; i-- > 0;)
		if (v->steps[i].place &&
		    !strcmp(stack->levels[v->steps[i].layer].layer->name, layer))
			return &v->steps[i];
	return NULL;
}

/* Is the key of the disk (NULL: any disk), and of one of the kinds? */
static bool belongs_to(const struct key *key, const char *disk, kind_set kinds)
{
	const char *value = disk ? key_axis(key, "disk") : NULL;

	return KIND_BIT(kind_of(key)) & kinds && (!disk || (value && !strcmp(value, disk)));
}

/*
 * Add the user by `axis` whose share of the waiting time is the largest, if that share is at least
 * LEAST. Add nothing if that user is cgroup /, which has the kernel's threads.
 */
static void add_user(struct user *users, unsigned int *n, const struct series *series,
		     const char *axis, const char *disk, kind_set kinds)
{
	const struct key **keys = keys_by(series, axis);
	struct user user = { .axis = axis };
	double all = 0, most = 0, sum = 0;
	const char *before = "";

	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *name = key_axis(keys[k], axis);

		if (!name || !belongs_to(keys[k], disk, kinds))
			continue;
		sum = (strcmp(name, before) ? 0 : sum) + keys[k]->values.sum_ns;
		all += keys[k]->values.sum_ns;
		before = name;
		if (sum > most) {
			most = sum;
			user.name = name;
		}
	}
	free(keys);
	if (!(most > 0) || most < LEAST * all || !strcmp(user.name, "/"))
		return;
	user.share = most / all;
	users[(*n)++] = user;
}

/*
 * Is the output about operations that hang, because the operations that ended are not slow? Then
 * who_find() names no users, and next_commands() suggests series that tell the users of the layer
 * in which operations hang.
 */
static bool is_about_hang(const struct verdict *v, const struct stack *stack)
{
	return stack->hang.key && !v->slow;
}

/*
 * Have the operations of the first step most of the time of their kind in the layer, and is there
 * neither a target nor a filter? If so, a series that lacks places can tell the operations' users.
 */
static bool is_all_of_kind(const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0];
	const struct series *keys = stack_keys(&stack->levels[first->layer]);
	double all = 0;

	for (unsigned int k = 0; k < keys->nkeys; k++)
		if (kind_of(keys->keys[k]) == v->kind)
			all += keys->keys[k]->values.sum_ns / NS;
	return first->waiting * stack->levels[first->layer].seconds >= MOST * all &&
	       !target_restricts(stack->target);
}

/* Does a series tell the users of the verdict's operations? */
static bool applies(const struct who *who, unsigned int i, const struct verdict *v,
		    const struct stack *stack)
{
	const char *top = users_facts[i].top;
	const struct step *first = &v->steps[0];

	if (!who->series[i])
		return false;
	if (top)
		return owns(top, stack->levels[first->layer].layer->name) &&
		       is_all_of_kind(v, stack);
	return disk_step(v, stack, users_facts[i].disk) &&
	       !fact_charges_nobody(key_axis(first->key, "fs"));
}

/* Does a filter select users on this axis already, such as the cgroup that is the target? */
static bool is_given(const struct target *target, const char *axis)
{
	for (unsigned int i = 0; i < target->options.nfilters; i++)
		if (!strcmp(target->options.filters[i].axis, axis))
			return true;
	return false;
}

unsigned int who_find(const struct who *who, const struct verdict *v, const struct stack *stack,
		      struct user users[MAX_USERS])
{
	unsigned int n = 0;

	for (unsigned int i = 0; v->nsteps && !is_about_hang(v, stack) && i < USERS_FACTS; i++) {
		const struct step *disk =
			users_facts[i].top ? NULL : disk_step(v, stack, users_facts[i].disk);

		if (applies(who, i, v, stack) && !is_given(stack->target, users_facts[i].axis))
			add_user(users, &n, who->series[i], users_facts[i].axis,
				 disk ? disk->place : NULL, disk ? disk->kinds : KIND_BIT(v->kind));
	}
	return n;
}

/*
 * The filter AXIS=GLOB for the place of a step; NULL: the step has no place. The caller frees the
 * text.
 */
static char *filter_of(const struct step *step)
{
	char *glob, *filter;

	if (!step->place)
		return NULL;
	glob = escape_glob(step->place);
	filter = xasprintf("%s=%s", key_place_axis(step->key), glob);
	free(glob);
	return filter;
}

/*
 * Add the command line `estat NAME` with the filters, and free the filters. A line that commands[]
 * already has is not added again.
 */
static void add_command(char *commands[MAX_NEXT], unsigned int *n, const char *name, char **filters)
{
	char *command = table_to_type(name, "", filters);
	bool known = false;

	for (unsigned int i = 0; i < *n; i++)
		known |= !strcmp(commands[i], command);
	if (known || *n == MAX_NEXT)
		free(command);
	else
		commands[(*n)++] = command;
	while (*filters)
		free(*filters++);
}

/* Add the command line `estat NAME` with a filter for the place of `step` (NULL: no filter). */
static void add_name(char *commands[MAX_NEXT], unsigned int *n, const char *name,
		     const struct step *step)
{
	add_command(commands, n, name, (char *[2]){ step ? filter_of(step) : NULL });
}

/*
 * Add the command line `estat SERIES`, with a filter for the place of `step` (NULL: without that
 * filter). Of the filters AXIS=GLOB of `o`, add those whose glob matches the value of at least one
 * key of the series: with any other filter `estat SERIES` would exit. If there is a filter for the
 * place, leave out the filters of `o` on the same axis.
 */
static void add_series(char *commands[MAX_NEXT], unsigned int *n, const struct series *series,
		       const struct step *step, const struct options *o)
{
	char *filters[MAX_FILTERS + 2] = { step ? filter_of(step) : NULL };
	const char *place = filters[0] ? key_place_axis(step->key) : "";
	unsigned int nfilters = filters[0] != NULL;

	for (unsigned int i = 0; i < o->nfilters; i++) {
		const char *axis = o->filters[i].axis;

		if (series_matches(series, axis, o->filters[i].glob) && strcmp(axis, place))
			filters[nfilters++] = xasprintf("%s=%s", axis, o->filters[i].glob);
	}
	add_command(commands, n, series->prefix + strlen("estat."), filters);
}

/* Does the series of users_facts[i] tell the users of the layer in which operations hang? */
static bool layer_has_users(const struct stack *stack, unsigned int i)
{
	const char *layer = stack->levels[stack->hang.layer].layer->name;

	return users_facts[i].top ? owns(users_facts[i].top, layer)
				  : !strcmp(users_facts[i].disk, layer);
}

unsigned int next_commands(const struct who *who, const struct verdict *v,
			   const struct stack *stack, char *commands[MAX_NEXT])
{
	const struct options *o = stack->target->o;
	const struct step *last;
	unsigned int n = 0;

	if (stack->hang.key)
		commands[n++] = command_to_type("stuck", NULL, true);
	if (stack->failed.key)
		add_series(commands, &n, stack->levels[stack->failed.layer].layer->keys,
			   &(struct step){ .place = key_place(stack->failed.key),
					   .key = stack->failed.key },
			   o);
	if (is_about_hang(v, stack)) {
		for (unsigned int i = 0; i < USERS_FACTS; i++)
			if (who->series[i] && layer_has_users(stack, i))
				add_series(commands, &n, who->series[i], NULL, o);
		return n;
	}
	if (!v->nsteps)
		return n;
	/* the suggested command attaches the module of v->hidden, if that module is on demand */
	if (v->hidden && !getenv("PCP_ARCHIVE")) {
		add_name(commands, &n, v->hidden, NULL);
		return n;
	}
	last = &v->steps[v->nsteps - 1];
	add_series(commands, &n, stack->levels[last->layer].layer->keys, last, o);
	for (unsigned int i = 0; i < v->nsteps; i++) {
		const char *layer = stack->levels[v->steps[i].layer].layer->name;

		if (fact_of(layer)->evidence)
			add_name(commands, &n, fact_of(layer)->evidence, &v->steps[i]);
	}
	for (unsigned int i = USERS_FACTS; i-- > 0;)
		if (applies(who, i, v, stack))
			add_series(commands, &n, who->series[i],
				   users_facts[i].top ? NULL
						      : disk_step(v, stack, users_facts[i].disk),
				   o);
	return n;
}
