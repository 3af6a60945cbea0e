// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "selection.h"

#define DEPTH 8 /* how many edges of the graph is_remote() goes down to look for an export */

const struct fact *fact_in(const struct judging *j, unsigned int i)
{
	return fact_of(j->stack->levels[i].layer->name);
}

bool key_is_at(const struct key *key, const char *place)
{
	const char *at = key_place(key);

	return !place || (at && !strcmp(at, place));
}

static bool is_in(const struct selection *of, const struct key *key)
{
	unsigned int depth;

	if (!of->in || !key_place(key))
		return true;
	depth = place_depth(of->in, key);
	/*
	 * of->depth is NOT_IN_PLACE if nearest_depth() finds no key; the selection then has the
	 * keys outside the place, but only if it is unknown on which devices the place stands
	 */
	return depth == of->depth && (depth != NOT_IN_PLACE || !of->in->known);
}

/* Is the device, or a node at most `depth` edges below the device, an export of another host? */
static bool is_on_export(const struct device *device, unsigned int depth)
{
	if (!strcmp(device->kind, "export"))
		return true;
	for (unsigned int i = 0; depth && i < device->nbelow; i++)
		if (is_on_export(device->below[i].device, depth - 1))
			return true;
	return false;
}

/*
 * Is the key's place in a file system of another host, or a device that stands on an export of
 * another host, such as a loop device with a file there?
 */
static bool is_remote(const struct judging *j, const struct key *key)
{
	const struct device *device = devices_find(j->graph->devices, key_place(key) ?: "");

	return fact_is_remote(key_axis(key, "fs")) || (device && is_on_export(device, DEPTH));
}

bool selection_has(const struct judging *j, const struct selection *of, const struct key *key)
{
	const struct level *level = &j->stack->levels[of->layer];

	return key->values.sum_ns && KIND_BIT(kind_of(key)) & of->kinds &&
	       key_is_at(key, of->place) && (!of->waited || layer_is_awaited(level->layer, key)) &&
	       (!of->apart || !layer_is_awaited(level->layer, key)) &&
	       (!of->stored || !is_remote(j, key)) &&
	       (!of->asked || target_has(j->stack->target, key, level->relation)) && is_in(of, key);
}

struct step add_up(const struct judging *j, const struct selection *of)
{
	const struct level *level = &j->stack->levels[of->layer];
	const struct key *const *keys = j->keys[of->layer];
	unsigned int n = level->layer->keys->nkeys, k = 0;
	struct step step = { .layer = of->layer, .kinds = of->kinds, .place = of->place };
	double sum = 0, squares = 0, ops = 0;

	if (of->place)
		k = j->axes[of->layer] ? keys_find(keys, n, j->axes[of->layer], of->place) : n;
	for (; k < n && key_is_at(keys[k], of->place); k++) {
		const struct key *key = keys[k];
		const struct values *v = &key->values;

		if (!selection_has(j, of, key))
			continue;
		sum += v->sum_ns / NS;
		ops += v->ops;
		squares += v->sumsq > 0 ? v->sumsq / US / US
					: v->sum_ns / NS * v->sum_ns / NS / fmax(v->ops, 1);
		if (!step.key || v->sum_ns > step.key->values.sum_ns)
			step.key = key;
	}
	step.ops = ops / level->seconds;
	step.waiting = step.among = sum / level->seconds;
	step.mean = ops ? sum / ops * US : 0;
	step.typical = sum > 0 ? squares / sum * US : 0;
	return step;
}

/*
 * Waiting time times mean latency. The sum of squared latencies would not do: with it, a single
 * long operation of a quick disk would outweigh the many operations of a slow disk.
 */
static double slowness(const struct step *step)
{
	return step->waiting * step->mean;
}

void places_take(struct places *places, const struct step *step)
{
	places->n += step->ops > 0;
	places->waiting += step->waiting;
	places->ops += step->ops;
	places->slowness += slowness(step);
	if (step->waiting > places->longest.waiting)
		places->longest = *step;
	if (slowness(step) > slowness(&places->slowest))
		places->slowest = *step;
}

void places_add(struct places *places, const struct places *more)
{
	places->n += more->n;
	places->waiting += more->waiting;
	places->ops += more->ops;
	places->slowness += more->slowness;
	if (more->longest.waiting > places->longest.waiting)
		places->longest = more->longest;
	if (slowness(&more->slowest) > slowness(&places->slowest))
		places->slowest = more->slowest;
}

const struct step *places_main(const struct places *places)
{
	const struct step *slowest = &places->slowest, *longest = &places->longest;

	if (slowest->key && slowness(slowest) >= NEARLY_ALL * places->slowness &&
	    slowest->waiting >= GOOD_PART * places->waiting)
		return slowest;
	return longest->key && longest->waiting >= SHARE * places->waiting ? longest : NULL;
}

struct step add_up_place(const struct judging *j, const struct selection *of)
{
	const struct key *const *keys = j->keys[of->layer];
	unsigned int n = j->stack->levels[of->layer].layer->keys->nkeys;
	struct step all = add_up(j, of);
	struct selection part = *of;
	struct places places = { 0 };
	const struct step *most;

	for (unsigned int k = 0; !of->place && k < n; k++) {
		struct step step;

		if (!key_place(keys[k]) || (part.place && key_is_at(keys[k], part.place)))
			continue;
		part.place = key_place(keys[k]);
		step = add_up(j, &part);
		places_take(&places, &step);
	}
	most = places_main(&places);
	if (!most)
		return all;
	places.longest = *most;
	places.longest.among = all.waiting;
	return places.longest;
}

unsigned int nearest_depth(const struct judging *j, const struct selection *of, unsigned int least)
{
	const struct series *keys = j->stack->levels[of->layer].layer->keys;
	unsigned int depth = NOT_IN_PLACE;

	for (unsigned int k = 0; k < keys->nkeys; k++) {
		struct selection any = *of;
		unsigned int at = place_depth(of->in, keys->keys[k]);

		any.in = NULL;
		if (at >= least && at < depth && selection_has(j, &any, keys->keys[k]))
			depth = at;
	}
	return depth;
}

bool has_disks(const struct judging *j, unsigned int i)
{
	const struct series *keys = j->stack->levels[i].layer->keys;

	return keys->nkeys && key_axis(keys->keys[0], "disk");
}
