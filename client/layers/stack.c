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

/* The highest of keys is as it was, while that of their total may be a bucket's bound. */
static void take_highest(struct level *level)
{
	const struct series *keys = level->layer->keys;
	double highest = 0;

	for (unsigned int k = 0; k < keys->nkeys; k++)
		highest = fmax(highest, keys->keys[k]->values.max);
	if (series_lacks(keys) & 1U << FIELD_MAX)
		return;
	level->values.max = highest;
	level->values.lacks &= ~(1U << FIELD_MAX);
}

/*
 * All of a layer's keys that are there, or what has them all. What was measured of it may be of
 * another time than the interval.
 */
static void read_values(struct level *level, const struct target *target, double seconds)
{
	const struct series *series = level->layer->total;
	bool all = series != NULL;

	if (!all)
		series = level->layer->keys;
	memset(&level->values, 0, sizeof(level->values));
	level->seconds = series && series->partly ? series->seconds : seconds;
	level->values.lacks = series && level->seconds > 0 ? ~series->has | series->lacks : ~0U;
	for (unsigned int k = 0; series && k < series->nkeys; k++)
		if (all || target_has(target, series->keys[k], level->relation))
			values_add(&level->values, &series->keys[k]->values);
	if (all && level->layer->keys)
		take_highest(level);
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

		if (!key->values.sum_ns || !target_has(stack->target, key, level->relation))
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

/* Which stand above which, of those that have done anything, or may have. */
static void join(struct stack *stack, const struct layers *layers, layer_set present,
		 layer_set unknown)
{
	for (unsigned int i = 0; i < stack->n; i++)
		stack->levels[i].above = stack->levels[i].below = 0;
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		if (!((present | unknown) & BIT(i)))
			continue;
		level->above = layers_above(layers, i, present | unknown) & present;
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

static layer_set below_of(const struct stack *stack, layer_set set)
{
	layer_set below = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i))
			below |= stack->levels[i].below;
	return below;
}

/* What operations above the layers of a set wait for them. */
static double waited_for(const struct stack *stack, layer_set set)
{
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		sum += set & BIT(i) ? stack->levels[i].waited : 0;
	return sum;
}

/* What is left of a layer without those below that no other waits for; this one of them counts. */
static double rest_of(const struct stack *stack, unsigned int i, layer_set but)
{
	const struct level *level = &stack->levels[i];
	layer_set alone = 0;

	for (unsigned int j = i; j < stack->n; j++)
		if (stack->levels[j].above == BIT(i))
			alone |= BIT(j);
	return fmax(level->inner - waited_for(stack, alone & ~but), 0);
}

/* The same of all layers of a set, together. */
static double rests_of(const struct stack *stack, layer_set set, layer_set but)
{
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		sum += set & BIT(i) ? rest_of(stack, i, but) : 0;
	return sum;
}

/* That of a set with the largest rest. */
static unsigned int largest(const struct stack *stack, layer_set set, layer_set but)
{
	double most = -1;
	int found = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i) && rest_of(stack, i, but) > most) {
			most = rest_of(stack, i, but);
			found = i;
		}
	return found;
}

/* Those of a set whose rest is not small beside that of all. */
static layer_set large(const struct stack *stack, layer_set set, layer_set but)
{
	double least = SMALL * rests_of(stack, set, but);
	layer_set found = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		if (set & BIT(i) && rest_of(stack, i, but) >= least)
			found |= BIT(i);
	return found;
}

/* The layers at the top that stand above those of a set, or are in it. */
static layer_set tops_of(const struct stack *stack, layer_set set)
{
	for (unsigned int i = stack->n; i-- > 0;)
		if (set & BIT(i) && stack->levels[i].above)
			set = (set & ~BIT(i)) | stack->levels[i].above;
	return set;
}

/* From a layer to the top: of what is waited for in it, what do operations of the top wait for? */
static void climb(const struct stack *stack, unsigned int from, struct verdict *v)
{
	v->root = from;
	v->of_root = v->adds;
	v->roots = 0;
	v->busier = -1;
	while (stack->levels[v->root].above) {
		const struct level *level = &stack->levels[v->root];
		layer_set this = BIT(v->root);
		double above = rests_of(stack, level->above, this);

		v->of_root *= level->waited / level->inner;
		if (level->waited > above * (1 + NOISE)) {
			v->of_root *= above / level->waited;
			v->busier = v->root;
		}
		v->roots |= tops_of(stack, large(stack, level->above, this));
		v->root = largest(stack, level->above, this);
	}
	if (!(v->roots & (v->roots - 1)))
		v->of_root = fmin(v->of_root, stack->levels[v->root].waiting);
}

int stack_unknown_below(const struct stack *stack, unsigned int i)
{
	for (unsigned int j = i; j < stack->n; j++)
		if (stack->levels[i].below & BIT(j) && isnan(stack->levels[j].waiting))
			return j;
	return -1;
}

/* What a layer adds, if it and those that wait for the same ones add so much of all they have. */
static void set_own(struct stack *stack, unsigned int i, layer_set group, double own, double all)
{
	struct level *level = &stack->levels[i];
	double rest = rest_of(stack, i, 0);

	level->own_most = group == BIT(i) ? level->inner : rest;
	if (own < -NOISE * all)
		return;
	own = fmax(own, 0);
	level->own_most = fmin(level->own_most, own);
	if (stack_unknown_below(stack, i) < 0 &&
	    (group == BIT(i) || rest >= (1 - NOISE) * rests_of(stack, group, 0)))
		level->own = level->own_most;
}

/* What the layers add, and which adds most to the waiting at the top. */
static void judge(struct stack *stack, layer_set present)
{
	layer_set groups[MAX_LAYERS];

	find_groups(stack, groups);
	for (unsigned int i = 0; i < stack->n; i++) {
		layer_set group = groups[i];
		double all = 0, own;
		struct verdict v;

		if (!(present & BIT(i)))
			continue;
		for (unsigned int j = 0; j < stack->n; j++)
			all += group & BIT(j) ? stack->levels[j].inner : 0;
		own = all - waited_for(stack, below_of(stack, group));
		set_own(stack, i, group, own, all);
		if (i != largest(stack, group, 0) || own <= 0)
			continue;
		v = (struct verdict){ .most = large(stack, group, 0), .first = i, .adds = own };
		climb(stack, i, &v);
		if (v.of_root > stack->verdict.of_root ||
		    (v.of_root == stack->verdict.of_root && own > stack->verdict.adds))
			stack->verdict = v;
	}
}

void stack_read(struct stack *stack, const struct layers *layers, const struct target *target,
		double seconds)
{
	layer_set present = 0, unknown = 0;

	stack->n = layers->n;
	stack->target = target;
	stack->verdict = (struct verdict){ .most = 0 };
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		level->layer = &layers->layers[i];
		level->relation = target_relation(target, layers, level->layer);
		level->all = (target->name && level->relation == RELATION_UNKNOWN) ||
			     !target_filtered(target, level->layer);
		read_values(level, target, seconds);
		level->waiting = lacks(&level->values, FIELD_SUM)
					 ? NAN
					 : level->values.sum_ns / NS / level->seconds;
		level->inner = level->waited = 0;
		level->own = level->own_most = NAN;
		present |= level->waiting > 0 ? BIT(i) : 0;
		unknown |= isnan(level->waiting) ? BIT(i) : 0;
	}
	join(stack, layers, present, unknown);
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
		if (a == naxes && target_has(stack->target, key, level->relation))
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
			    !target_has(stack->target, key, level->relation) ||
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
