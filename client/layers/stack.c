// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes the own time of each layer, which the bars show. judge.c finds the verdict.
 *
 * The waiting time of a layer is the sum of its latencies in seconds a second: the mean number of
 * operations under way (Little's law). Operations of a layer wait for operations of the layers
 * below: a layer's own time is its waiting time less the waiting time of the layers below. Layers
 * above one layer, such as page_cache and zio above bio, form a group with one own time, because
 * how much of the time below belongs to each layer of the group is unknown. Two limits:
 *
 *	- More operations may be under way below than above: an operation waits for several at
 *	  once, or nothing waits for write-back and read-ahead. Then it is unknown how much of
 *	  the waiting time above is for the layer below.
 *	- If several operations wait for one operation below (fsync calls for one journal commit),
 *	  the commit is subtracted once. The other fsync calls' waiting time counts as own time.
 *
 * A key of a device that the layer below does not have is compared with the keys of the disks on
 * which that device stands (device mapper, md), or with none (zram).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source/once.h"
#include "source/sorted.h"
#include "stack.h"

/*
 * The layers below a group may have more time than the group, by this share of the group's time, as
 * noise. A layer gets its group's own time if its rest_of() is at least 1 - NOISE of the group's
 * rests_of().
 */
#define NOISE 0.05

/*
 * Set level->values.max to the greatest maximum of the layer's keys, unless one is unknown. The
 * keys' maxima are exact more often than the total's, see source_add_total().
 */
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

bool stack_shows(const struct stack *stack, const struct level *level, const struct key *key)
{
	return !key->twice && target_has(stack->target, key, level->relation);
}

static bool any_twice(const struct series *keys)
{
	for (unsigned int k = 0; keys && k < keys->nkeys; k++)
		if (keys->keys[k]->twice)
			return true;
	return false;
}

/*
 * Set level->seconds and level->values. The values are those of layer->total. If layer->total is
 * NULL, or a key's operations are counted at another disk, too, the values are the sum of the keys
 * of which stack_shows() is true.
 */
static void read_values(const struct stack *stack, struct level *level, double seconds)
{
	const struct series *series = level->layer->total;
	bool all = series && !any_twice(level->layer->keys);

	if (!all)
		series = level->layer->keys;
	memset(&level->values, 0, sizeof(level->values));
	level->seconds = series && series->partly ? series->seconds : seconds;
	level->values.lacks = series && level->seconds > 0 ? ~series->has | series->lacks : ~0U;
	for (unsigned int k = 0; series && k < series->nkeys; k++)
		if (all || stack_shows(stack, level, series->keys[k]))
			values_add(&level->values, &series->keys[k]->values);
	if (all && level->layer->keys)
		take_highest(level);
}

const struct series *stack_keys(const struct level *level)
{
	const struct series *keys = level->layer->keys;

	return keys && has(keys, FIELD_SUM) && !(keys->lacks & 1U << FIELD_SUM) ? keys : NULL;
}

/*
 * The share of the shown keys' waiting time that belongs to the keys k with counts[k]; 1 if the
 * shown keys' waiting time is unknown or 0.
 */
static double share_of(const struct stack *stack, const struct level *level, const bool *counts)
{
	const struct series *keys = stack_keys(level);
	double sum = 0, of = 0;

	for (unsigned int k = 0; keys && k < keys->nkeys; k++) {
		const struct key *key = keys->keys[k];

		if (!key->values.sum_ns || !stack_shows(stack, level, key))
			continue;
		sum += key->values.sum_ns;
		of += counts[k] ? key->values.sum_ns : 0;
	}
	return sum > 0 ? of / sum : 1;
}

/* Set device->busy of all nodes of the graph: true for the disks of `keys`, else false. */
static void find_busy(const struct devices *graph, const struct series *keys)
{
	for (unsigned int i = 0; i < graph->n; i++)
		graph->devices[i]->busy = false;
	for (unsigned int k = 0; k < keys->nkeys; k++) {
		struct device *device = devices_node(graph, key_axis(keys->keys[k], "disk") ?: "");

		if (device)
			device->busy = true;
	}
}

/*
 * Set has[k] if a key of `below` has the same value on the axis as keys[k]. On the axis disk, also
 * set it if a key of `below` is of a disk on which the disk of keys[k] stands. If keys[k] has a
 * value on the axis, but neither is so, set lacks[k].
 */
static void compare_axis(const struct devices *graph, const struct series *keys, const char *axis,
			 const struct series *below, bool *has, bool *lacks)
{
	const struct key **sorted = keys_by(below, axis);
	bool disks = !strcmp(axis, "disk");

	if (disks)
		find_busy(graph, below);

	for (unsigned int k = 0; k < keys->nkeys; k++) {
		const char *value = key_axis(keys->keys[k], axis);
		bool found = value && keys_find(sorted, below->nkeys, axis, value) < below->nkeys;
		const struct device *disk = disks && value && !found ? devices_node(graph, value)
								     : NULL;

		found |= disk && device_on_busy(disk);
		has[k] |= found;
		lacks[k] |= value && !found;
	}
	free(sorted);
}

/*
 * The share of the shown keys' waiting time that belongs to keys which can be compared with layers
 * below. A key cannot be compared if keys below have some of its axes (not counting op), but no
 * key below has its value on any of these axes.
 */
static double share_below(const struct stack *stack, const struct level *level)
{
	const struct series *keys = level->layer->keys;
	unsigned int n = keys ? keys->nkeys : 0;
	bool *has = xalloc(calloc(n + 1, 1)), *lacks = xalloc(calloc(n + 1, 1));
	double share;

	for (unsigned int i = 0; n && i < stack->n; i++) {
		const struct series *below = stack->levels[i].layer->keys;

		if (!(level->below & BIT(i)) || !below || !below->nkeys)
			continue;
		for (unsigned int a = 0; a < keys->keys[0]->naxes; a++) {
			const char *axis = keys->keys[0]->axes[a].name;

			if (strcmp(axis, "op") && key_axis(below->keys[0], axis))
				compare_axis(&stack->target->graph, keys, axis, below, has, lacks);
		}
	}
	for (unsigned int k = 0; k < n; k++)
		has[k] |= !lacks[k];
	share = share_of(stack, level, has);
	free(has);
	free(lacks);
	return share;
}

/* The share of the shown keys' waiting time that belongs to keys for which layers above wait. */
static double share_awaited(const struct stack *stack, const struct level *level)
{
	const struct series *keys = level->layer->keys;
	bool *awaited = xalloc(calloc(keys ? keys->nkeys + 1 : 1, 1));
	double share;

	for (unsigned int k = 0; keys && k < keys->nkeys; k++)
		awaited[k] = layer_is_awaited(level->layer, keys->keys[k]);
	share = share_of(stack, level, awaited);
	free(awaited);
	return share;
}

/*
 * Set `above` of each level to the layers of `present` directly above, and `below` to the layers of
 * `present` or `unknown` directly below. The layers of `present` have waiting time; the waiting
 * time of those of `unknown` is not known. A layer of `unknown` gets no `below`. A layer in neither
 * set gets no `above` and no `below`, and does not join the layers above it with those below it.
 */
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

/*
 * Set groups[i] to the set of layer i and of all layers that share layers below with layer i or
 * with another layer of the set.
 */
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

/* The sum of `waited` of the layers of a set. */
static double waited_for(const struct stack *stack, layer_set set)
{
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		sum += set & BIT(i) ? stack->levels[i].waited : 0;
	return sum;
}

/*
 * The rest of layer i: its `inner`, less the time for which only operations of layer i can have
 * waited. That time is the sum of `waited` of the layers that have only layer i above.
 */
static double rest_of(const struct stack *stack, unsigned int i)
{
	const struct level *level = &stack->levels[i];
	layer_set alone = 0;

	for (unsigned int j = i; j < stack->n; j++)
		if (stack->levels[j].above == BIT(i))
			alone |= BIT(j);
	return fmax(level->inner - waited_for(stack, alone), 0);
}

/* The sum of the rests (see rest_of()) of a set's layers. */
static double rests_of(const struct stack *stack, layer_set set)
{
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		sum += set & BIT(i) ? rest_of(stack, i) : 0;
	return sum;
}

/* The index of a layer directly below layer i whose waiting time is unknown; -1: no such layer. */
static int unknown_below(const struct stack *stack, unsigned int i)
{
	for (unsigned int j = i; j < stack->n; j++)
		if (stack->levels[i].below & BIT(j) && isnan(stack->levels[j].waiting))
			return j;
	return -1;
}

/*
 * Set level->own_most and, if the own time of layer i is known, level->own. The own time is known
 * if the layers below have hardly more time (NOISE) than the group, no layer directly below has an
 * unknown waiting time, and layer i is alone in its group or has almost all of the group's rests
 * (rest_of()). `own`: the group's own time; `all`: the sum of the group's `inner`.
 */
static void set_own(struct stack *stack, unsigned int i, layer_set group, double own, double all)
{
	struct level *level = &stack->levels[i];
	double rest = rest_of(stack, i);

	level->own_most = group == BIT(i) ? level->inner : rest;
	if (own < -NOISE * all)
		return;
	own = fmax(own, 0);
	level->own_most = fmin(level->own_most, own);
	if (unknown_below(stack, i) < 0 &&
	    (group == BIT(i) || rest >= (1 - NOISE) * rests_of(stack, group)))
		level->own = level->own_most;
}

/* Set the own time of each layer. */
static void set_owns(struct stack *stack, layer_set present)
{
	layer_set groups[MAX_LAYERS];

	find_groups(stack, groups);
	for (unsigned int i = 0; i < stack->n; i++) {
		double all = 0;

		if (!(present & BIT(i)))
			continue;
		for (unsigned int j = 0; j < stack->n; j++)
			all += groups[i] & BIT(j) ? stack->levels[j].inner : 0;
		set_own(stack, i, groups[i], all - waited_for(stack, below_of(stack, groups[i])),
			all);
	}
}

/*
 * The function `shown` of once_find(), if the target is a cgroup, or if there is no target: do the
 * filters select the key?
 */
static bool is_selected(const struct key *key, const void *target)
{
	return target_has(target, key, RELATION_UNKNOWN);
}

void stack_read_level(struct level *level, const struct stack *stack, const struct layers *layers,
		      const struct layer *layer, double seconds)
{
	const struct target *target = stack->target;

	*level = (struct level){ .layer = layer, .own = NAN, .own_most = NAN };
	level->relation = target_relation(target, layers, layer);
	level->all = (target->name && level->relation == RELATION_UNKNOWN) ||
		     !target_filtered(target, layer);
	/* for other targets target_relation() leaves out keys of parts below a part with keys */
	if (layer->keys && (!target->name || target->cgroup))
		once_find(layer->keys, &target->graph, is_selected, target);
	read_values(stack, level, seconds);
	level->waiting =
		lacks(&level->values, FIELD_SUM) ? NAN : level->values.sum_ns / NS / level->seconds;
}

void stack_read(struct stack *stack, const struct layers *layers, const struct target *target,
		double seconds)
{
	layer_set present = 0, unknown = 0;

	stack->n = layers->n;
	stack->target = target;
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		stack_read_level(level, stack, layers, &layers->layers[i], seconds);
		present |= level->waiting > 0 ? BIT(i) : 0;
		unknown |= isnan(level->waiting) ? BIT(i) : 0;
	}
	join(stack, layers, present, unknown);
	for (unsigned int i = 0; i < stack->n; i++) {
		struct level *level = &stack->levels[i];

		if (!(present & BIT(i)))
			continue;
		level->inner = level->waiting * share_below(stack, level);
		if (level->inner <= 0) /* no key can be compared */
			level->inner = level->waiting;
		level->waited = level->inner * share_awaited(stack, level);
	}
	set_owns(stack, present);
}

/* Have two keys the same values on the first `naxes` axes? */
static bool are_alike(const struct key *x, const struct key *y, unsigned int naxes)
{
	for (unsigned int a = 0; a < naxes; a++)
		if (a == x->naxes || a == y->naxes || strcmp(x->axes[a].value, y->axes[a].value))
			return false;
	return true;
}

/*
 * The sum of latencies (ns) of keys[*begin] and of the keys directly after it that equal it on the
 * first `naxes` axes, without keys that are not shown. Sets *begin to the index after these keys.
 */
static double sum_alike(const struct stack *stack, const struct level *level,
			const struct key *const *keys, unsigned int *begin, unsigned int n,
			unsigned int naxes)
{
	const struct key *first = keys[*begin];
	double sum = 0;

	do
		if (stack_shows(stack, level, keys[*begin]))
			sum += keys[*begin]->values.sum_ns;
	while (++*begin < n && are_alike(first, keys[*begin], naxes));
	return sum;
}

const struct key *stack_where(const struct stack *stack, unsigned int i, unsigned int *naxes,
			      double *share)
{
	const struct level *level = &stack->levels[i];
	const struct series *series = stack_keys(level);
	unsigned int begin = 0, n = series ? series->nkeys : 0, from = 0;
	const struct key **keys = n ? keys_by(series, NULL) : NULL, *found = NULL;
	double all = n ? sum_alike(stack, level, keys, &from, n, 0) : 0;

	*share = 1;
	for (*naxes = 0; all > 0 && *naxes < MAX_AXES; ++*naxes) {
		/* alike keys are chosen only if they have half of the layer's time, or more */
		double sum, largest = all / 2;
		unsigned int most = n, end = n;

		for (unsigned int k = begin, next = k; k < n; k = next) {
			sum = sum_alike(stack, level, keys, &next, n, *naxes + 1);
			if (sum < largest || keys[k]->naxes <= *naxes)
				continue;
			largest = sum;
			most = k;
			end = next;
		}
		if (most == n)
			break;
		found = keys[most];
		begin = most;
		n = end;
		*share = largest / all;
	}
	free(keys);
	return found;
}
