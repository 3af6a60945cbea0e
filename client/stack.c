// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which layer adds most to the waiting of those above it.
 *
 * All latencies of a layer together, in seconds of each second, are how many of its operations are
 * under way at once (Little's law). Where the operations of a layer wait for those of the layers
 * below it, its time has theirs in it, and the difference is what it adds itself. Layers that wait
 * for the same one are taken together, for whose share of it is whose is not known: ext4's files
 * and ZFS's are on the same disks. What this cannot tell:
 *
 *	- if more is under way below than above, some of that nobody waits for (write-back,
 *	  read-ahead), or an operation waits for several at once: then nothing is said of how much
 *	  of the waiting above is for it
 *	- if several operations wait for one below, as fsync does for a journal's commit, the
 *	  difference is theirs, too
 *
 * Keys of a device that the layer below does not know stand on others that it does (device mapper,
 * md), whose keys are there, too: they are left out of the difference.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"

#define NS 1e9

/* More is under way below than above only if it is more by this share. */
#define NOISE 0.05

/* Layers that have less than this share of what those beside them have are not told of. */
#define SMALL  0.1

#define BIT(i) ((layer_set)1 << (i))

/* All of a layer's keys that are there, or what has them all. */
static void read_values(struct level *level, const struct place *place)
{
	const struct series *series = level->layer->total;
	bool all = series != NULL;

	if (!all)
		series = level->layer->keys;
	memset(&level->values, 0, sizeof(level->values));
	level->values.lacks = series ? ~series->has | series->lacks : ~0U;
	for (unsigned int k = 0; series && k < series->nkeys; k++)
		if (all || place_has(place, series->keys[k], level->known))
			values_add(&level->values, &series->keys[k]->values);
}

/* Do keys tell how long they waited? */
static const struct series *timed_keys(const struct level *level)
{
	const struct series *keys = level->layer->keys;

	return keys && has(keys, FIELD_SUM) && !(keys->lacks & 1U << FIELD_SUM) ? keys : NULL;
}

/* Of the waiting of all keys that are there the share of those for which it is true. */
static double share_of(const struct stack *stack, const struct level *level,
		       bool (*is)(const struct stack *stack, const struct level *level,
				  const struct key *key))
{
	const struct series *keys = timed_keys(level);
	double sum = 0, of = 0;

	for (unsigned int k = 0; keys && k < keys->nkeys; k++) {
		const struct key *key = keys->keys[k];

		if (!key->values.sum_ns || !place_has(stack->place, key, level->known))
			continue;
		sum += key->values.sum_ns;
		of += is(stack, level, key) ? key->values.sum_ns : 0;
	}
	return sum > 0 ? of / sum : 1;
}

/* Do operations above wait for it? */
static bool is_waited_for(const struct stack *stack, const struct level *level,
			  const struct key *key)
{
	const char *value = level->layer->axis ? key_axis(key, level->layer->axis) : NULL;

	(void)stack;
	return !value || !fnmatch(level->layer->values, value, 0);
}

static bool series_has(const struct series *series, const struct axis *axis)
{
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *value = key_axis(series->keys[k], axis->name);

		if (value && !strcmp(value, axis->value))
			return true;
	}
	return false;
}

static bool series_has_axis(const struct series *series, const char *axis)
{
	return series->nkeys && key_axis(series->keys[0], axis);
}

/* Do layers below know where it is, if they tell places apart as this one does? */
static bool is_known_below(const struct stack *stack, const struct level *level,
			   const struct key *key)
{
	bool known = true;

	for (unsigned int i = 0; i < stack->n; i++) {
		const struct series *below = stack->levels[i].layer->keys;

		if (!(level->below & BIT(i)) || !below)
			continue;
		for (unsigned int a = 0; a < key->naxes; a++) {
			const struct axis *axis = &key->axes[a];

			if (!strcmp(axis->name, "op") || !series_has_axis(below, axis->name))
				continue;
			if (series_has(below, axis))
				return true;
			known = false;
		}
	}
	return known;
}

/* Which stand above which. One that stands above another of them does not count. */
static void join(struct stack *stack, const struct layers *layers, layer_set present)
{
	layer_set over[MAX_LAYERS] = { 0 }; /* all that stand above */

	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];
		layer_set above = present & BIT(i) ? layers_above(layers, i, present) : 0;

		level->above = above;
		level->below = 0;
		over[i] = above;
		for (unsigned int j = 0; j < i; j++)
			if (above & BIT(j)) {
				over[i] |= over[j];
				level->above &= ~over[j];
			}
		for (unsigned int j = 0; j < i; j++)
			if (level->above & BIT(j))
				stack->levels[j].below |= BIT(i);
	}
}

/* Layers that wait for the same ones: a set for each, of itself and those. */
static void find_groups(const struct stack *stack, layer_set groups[MAX_LAYERS])
{
	for (unsigned int i = 0; i < stack->n; i++)
		groups[i] = BIT(i);
	for (unsigned int i = 0; i < stack->n; i++) {
		layer_set all = 0;

		for (unsigned int j = 0; j < stack->n; j++)
			if (stack->levels[i].above & BIT(j))
				all |= groups[j];
		for (unsigned int j = 0; j < stack->n; j++)
			if (all & BIT(j))
				groups[j] = all;
	}
}

/* What the layers of a set have together. */
static double sum_of(const struct stack *stack, layer_set set, bool waited)
{
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i))
			sum += waited ? stack->levels[i].waited : stack->levels[i].inner;
	return sum;
}

static layer_set below_of(const struct stack *stack, layer_set set)
{
	layer_set below = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i))
			below |= stack->levels[i].below;
	return below;
}

/* That of a set with most waiting. */
static unsigned int largest(const struct stack *stack, layer_set set)
{
	int most = -1;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i) &&
		    (most < 0 || stack->levels[i].inner > stack->levels[most].inner))
			most = i;
	return most;
}

/* Those of a set that have at least this share of what all have. */
static layer_set large(const struct stack *stack, layer_set set, double share)
{
	double least = share * sum_of(stack, set, false);
	layer_set found = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i) && stack->levels[i].inner >= least)
			found |= BIT(i);
	return found;
}

/* From a layer to the top: of what is waited for in it, what do operations of the top wait for? */
static void climb(const struct stack *stack, unsigned int from, struct verdict *v)
{
	v->root = from;
	v->of_root = v->adds;
	v->shared = false;
	v->busier = -1;
	while (stack->levels[v->root].above) {
		const struct level *level = &stack->levels[v->root];
		double above = sum_of(stack, level->above, false);

		v->of_root *= level->waited / level->inner;
		if (level->waited > above * (1 + NOISE)) {
			v->of_root *= above / level->waited;
			v->busier = v->root;
		}
		v->shared |= large(stack, level->above, SMALL) &
			     (large(stack, level->above, SMALL) - 1);
		v->root = largest(stack, level->above);
	}
}

/* What the layers add, and which adds most to the waiting at the top. */
static void judge(struct stack *stack, layer_set present)
{
	layer_set groups[MAX_LAYERS];

	find_groups(stack, groups);
	for (unsigned int i = 0; i < stack->n; i++) {
		layer_set group = groups[i];
		double all = sum_of(stack, group, false);
		double own = all - sum_of(stack, below_of(stack, group), true);
		struct verdict v = { .most = large(stack, group, SMALL) };

		if (!(present & BIT(i)) || own < -NOISE * all)
			continue;
		own = own > 0 ? own : 0;
		if (stack->levels[i].inner >= (1 - NOISE) * all)
			stack->levels[i].own = fmin(own, stack->levels[i].inner);
		if (i != largest(stack, group))
			continue;
		v.adds = own;
		v.first = i;
		climb(stack, i, &v);
		if (v.of_root > stack->verdict.of_root)
			stack->verdict = v;
	}
}

void stack_read(struct stack *stack, const struct layers *layers, const struct place *place,
		double seconds)
{
	layer_set present = 0;

	stack->n = layers->n;
	stack->place = place;
	stack->verdict = (struct verdict){ .most = 0 };
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		level->layer = &layers->layers[i];
		level->known = place_known(place, layers, level->layer);
		level->all = !level->known || !place_filtered(place, level->layer);
		read_values(level, place);
		level->waiting = lacks(&level->values, FIELD_SUM)
					 ? NAN
					 : level->values.sum_ns / NS / seconds;
		level->inner = level->waited = 0;
		level->own = NAN;
		present |= level->waiting > 0 ? BIT(i) : 0;
	}
	join(stack, layers, present);
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		if (!(present & BIT(i)))
			continue;
		level->inner = level->waiting * share_of(stack, level, is_known_below);
		if (level->inner <= 0) /* nothing that could be compared */
			level->inner = level->waiting;
		level->waited = level->inner * share_of(stack, level, is_waited_for);
	}
	judge(stack, present);
}

/* Of those keys that have the same values on the first axes, what is waited for in them. */
static double sum_alike(const struct stack *stack, const struct level *level,
			const struct key *like, unsigned int naxes)
{
	const struct series *keys = timed_keys(level);
	double sum = 0;

	for (unsigned int k = 0; k < keys->nkeys; k++) {
		const struct key *key = keys->keys[k];
		unsigned int a = 0;

		if (!key->values.sum_ns)
			continue;
		while (a < naxes && a < key->naxes && a < like->naxes &&
		       !strcmp(key->axes[a].value, like->axes[a].value))
			a++;
		if (a == naxes && place_has(stack->place, key, level->known))
			sum += key->values.sum_ns;
	}
	return sum;
}

const struct key *stack_where(const struct stack *stack, unsigned int i, unsigned int *naxes,
			      double *share)
{
	const struct level *level = &stack->levels[i];
	const struct series *keys = timed_keys(level);
	const struct key *found = NULL;
	double all = keys ? sum_alike(stack, level, NULL, 0) : 0;

	*naxes = 0;
	*share = 1;
	while (all > 0 && *naxes < MAX_AXES) {
		const struct key *most = NULL;
		double sum, largest = all / 2; /* at least */

		for (unsigned int k = 0; k < keys->nkeys; k++) {
			const struct key *key = keys->keys[k];

			if (!key->values.sum_ns || key->naxes <= *naxes ||
			    !place_has(stack->place, key, level->known) ||
			    (sum = sum_alike(stack, level, key, *naxes + 1)) < largest)
				continue;
			largest = sum;
			most = key;
		}
		if (!most)
			break;
		found = most;
		*share = largest / all;
		++*naxes;
	}
	return found;
}
