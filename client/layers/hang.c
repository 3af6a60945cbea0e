// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts.h"
#include "hang.h"
#include "lib/format.h"
#include "sentence.h"
#include "source/told.h"

#define LONG 1e6 /* us; a younger operation does not hang */
/* us; an operation that is older at the interval's end hangs, even if others like it end */
#define TOO_LONG 1e7

/*
 * An operation that is older than LONG hangs, and is not just in a long queue, if its age is more
 * than this many times the longest latency of operations like it that ended in the interval.
 */
#define MORE_THAN_LONGEST 3

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * Are the keys of the same operation at the same place? Keys that differ only in other axes, such
 * as the result, are alike.
 */
static bool are_alike(const struct key *a, const struct key *b)
{
	return same_text(key_place(a), key_place(b)) &&
	       same_text(key_axis(a, "op"), key_axis(b, "op"));
}

/* The longest latency (us) of operations like those of the key; 0: none has ended. */
static double longest_of(const struct series *keys, const struct key *key)
{
	double longest = 0;

	for (unsigned int k = 0; k < keys->nkeys; k++) {
		const struct values *v = &keys->keys[k]->values;

		if (are_alike(key, keys->keys[k]) && v->ops)
			longest = fmax(longest, fmax(v->max, v->sum_ns / 1e3 / v->ops));
	}
	return longest;
}

/*
 * The age by which hangs() judges the key: with hang->past the highest age in the interval, else
 * the age at the interval's end.
 */
static uint64_t age_of(const struct hang *hang, const struct key *key)
{
	return hang->past ? key->values.peak.oldest : key->values.oldest;
}

/*
 * Does an operation of the key hang at the interval's end or, with hang->past, did one hang in the
 * interval?
 */
static bool hangs(const struct stack *stack, const struct level *level, const struct key *key)
{
	const struct hang *hang = &stack->hang;
	uint64_t age = age_of(hang, key);

	return (hang->past || key->values.inflight) && age > LONG &&
	       target_has(stack->target, key, level->relation) &&
	       ((!hang->past && age > TOO_LONG) ||
		age > MORE_THAN_LONGEST * longest_of(level->layer->keys, key));
}

static bool has_gauges(const struct level *level)
{
	return level->layer->keys && has(level->layer->keys, FIELD_INFLIGHT) &&
	       level->layer->keys->seen;
}

static void take_oldest(struct stack *stack, unsigned int i, const struct key *key)
{
	struct hang *hang = &stack->hang;

	stack->levels[i].hangs = true;
	if (hang->key && age_of(hang, hang->key) >= age_of(hang, key))
		return;
	hang->key = key;
	hang->layer = i;
}

/*
 * The place_depth() of the key. If it is unknown on which devices the place stands, the result is
 * 0, as if each key were at the place.
 */
static unsigned int depth_in(const struct place *place, const struct key *key)
{
	return place->known ? place_depth(place, key) : 0;
}

/*
 * Take the key instead of hang->key if the key is at the place or on a device below, and is in a
 * lower layer than hang->key or, in the same layer, on a lower device.
 */
static void take_lower(struct stack *stack, unsigned int i, const struct key *key,
		       const struct place *place)
{
	unsigned int depth = depth_in(place, key);
	struct hang *hang = &stack->hang;

	if (depth == NOT_IN_PLACE || i < hang->layer ||
	    (i == hang->layer && depth <= depth_in(place, hang->key)))
		return;
	hang->key = key;
	hang->layer = i;
}

/*
 * Can the layer's keys show that an operation of the target hangs? If the target is a dataset, keys
 * of its pool and of the pool's disks can, too, because an operation that hangs there holds up all
 * datasets.
 */
static bool tells(const struct stack *stack, const struct level *level)
{
	return !(stack->target->name && level->relation == RELATION_UNKNOWN) &&
	       !target_lacks(stack->target, level->layer);
}

/*
 * `place` NULL: take the oldest key that hangs. Else `place` is the place of that oldest key; take
 * the lowest key that hangs there or below. Only layers for which tells() is true count.
 */
static void take_hanging(struct stack *stack, const struct place *place)
{
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		const struct series *keys = level->layer->keys;

		for (unsigned int k = 0;
		     has_gauges(level) && tells(stack, level) && k < keys->nkeys; k++) {
			if (!hangs(stack, level, keys->keys[k]))
				continue;
			if (place)
				take_lower(stack, i, keys->keys[k], place);
			else
				take_oldest(stack, i, keys->keys[k]);
		}
	}
}

/*
 * Is it known that nothing lower has operations of the place under way: no layer below
 * stack->hang.layer and, in that layer, no device below `place`?
 */
static bool is_lowest(const struct stack *stack, const struct layers *layers,
		      const struct place *place)
{
	layer_set below = BIT(stack->hang.layer);
	bool told = false;

	for (unsigned int i = stack->hang.layer; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		bool same = i == stack->hang.layer;

		if (!has_gauges(level) || !(same || layers_above(layers, i, ~(layer_set)0) & below))
			continue;
		below |= BIT(i);
		told |= !same;
		for (unsigned int k = 0; k < level->layer->keys->nkeys; k++) {
			const struct key *key = level->layer->keys->keys[k];
			unsigned int depth = place_depth(place, key);

			if (key->values.inflight && depth != NOT_IN_PLACE && (!same || depth))
				return false;
		}
	}
	return told && place->known;
}

/* The mount with the file of the loop device `place`; NULL: none. */
static const char *file_of(const struct graph *graph, const char *place)
{
	const struct device *device = devices_find(graph->devices, place);

	for (unsigned int i = 0; device && i < device->nbelow; i++)
		if (!strcmp(device->below[i].role, "file"))
			return device->below[i].device->name;
	return NULL;
}

/* The most operations of the target that are under way in one layer for which tells() is true. */
static uint64_t most_under_way(const struct stack *stack)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		uint64_t n = 0;

		for (unsigned int k = 0;
		     has_gauges(level) && tells(stack, level) && k < level->layer->keys->nkeys;
		     k++) {
			const struct key *key = level->layer->keys->keys[k];

			n += target_has(stack->target, key, level->relation) ? key->values.inflight
									     : 0;
		}
		most = n > most ? n : most;
	}
	return most;
}

void hang_find(struct stack *stack, const struct layers *layers, const struct graph *graph)
{
	struct hang *hang = &stack->hang;
	const struct series *keys;
	const char *at;
	struct place place;

	*hang = (struct hang){ .under_way = most_under_way(stack) };
	take_hanging(stack, NULL);
	if (!hang->key) {
		hang->past = true;
		take_hanging(stack, NULL);
	}
	if (!hang->key)
		return;
	at = key_place(hang->key);
	place_find(&place, graph, at ? at : "");
	take_hanging(stack, &place);
	place_free(&place);
	at = key_place(hang->key);
	place_find(&place, graph, at ? at : "");
	hang->file = file_of(graph, at ? at : "");
	hang->mount = graph_mount(graph, at);
	hang->lowest = is_lowest(stack, layers, &place);
	hang->stacked = place_is_stacked(&place);
	place_free(&place);
	keys = stack->levels[hang->layer].layer->keys;
	for (unsigned int k = 0; k < keys->nkeys; k++) {
		const struct values *v = &keys->keys[k]->values;

		if (are_alike(hang->key, keys->keys[k]) &&
		    (!hang->past || v->peak.time == hang->key->values.peak.time))
			hang->n += hang->past ? v->peak.inflight : v->inflight;
	}
}

/*
 * Where the operations are: "ext4 on dm-0", "overlay at /srv", "server:/export", "dm-0"; of a key
 * without a place, the key's values other than op. The caller frees the text.
 */
static char *place_text(const struct hang *hang)
{
	const char *fs = key_axis(hang->key, "fs"), *place = key_place(hang->key);
	const char *server = key_axis(hang->key, "server");

	if (!place)
		return key_text(hang->key, "op");
	if (server && *place == '/')
		return xasprintf("%s:%s", server, place);
	if (!fs || !strcmp(fs, "bdev"))
		return xalloc(strdup(place));
	return hang->mount ? xasprintf("%s at %s", fs, hang->mount)
			   : xasprintf("%s on %s", fs, place);
}

/*
 * The part of the sentence that says where the operations are held, such as "; nothing below dm-0
 * has them"; "": unknown. `one`: there is only one operation.
 */
static char *holder_text(const struct stack *stack, bool one)
{
	const struct hang *hang = &stack->hang;
	const struct layer *layer = stack->levels[hang->layer].layer;
	const char *holder = fact_of(layer->name)->holder, *it = one ? "it" : "them";
	char *filled, *text;

	if (hang->lowest && hang->stacked && layer->rank >= RANK_BLOCK)
		return xasprintf("; nothing below %s has %s", key_place(hang->key), it);
	if (hang->file)
		return xasprintf("; the file of %s is on %s", key_place(hang->key), hang->file);
	if (holder) {
		filled = fill_text(holder, hang->key);
		text = xasprintf("; %s", filled);
		free(filled);
		return text;
	}
	return hang->lowest ? xasprintf("; no layer below %s has %s", layer->name, it)
			    : xalloc(strdup(""));
}

/*
 * The end of the sentence, which names the process of the oldest operation that hangs: "; the
 * oldest is of dd". Only operations of one layer count: the highest layer that knows the process of
 * an operation that hangs. "": no layer knows one.
 */
static char *owner_text(const struct stack *stack)
{
	const struct key *oldest = NULL;
	char *command, *text;

	for (unsigned int i = 0; i < stack->n && !oldest; i++) {
		const struct series *keys = stack->levels[i].layer->keys;

		for (unsigned int k = 0; stack->levels[i].hangs && k < keys->nkeys; k++) {
			const struct key *key = keys->keys[k];

			command = hangs(stack, &stack->levels[i], key)
					  ? told_word(key->told, "command")
					  : NULL;
			if (command && (!oldest || key->values.oldest > oldest->values.oldest))
				oldest = key;
			free(command);
		}
	}
	if (!oldest)
		return xalloc(strdup(""));
	command = told_word(oldest->told, "command");
	text = xasprintf("; the oldest is of %s", command);
	free(command);
	return text;
}

char *hang_sentence(const struct stack *stack)
{
	const struct hang *hang = &stack->hang;
	const char *op = hang->key ? key_axis(hang->key, "op") : NULL;
	char age[FORMAT_LEN], time[64] = "", *of, *holder, *owner, *text;
	bool one = hang->n == 1;

	if (!hang->key)
		return NULL;
	op = op && *op ? op : "operation";
	of = place_text(hang);
	format_latency(age, age_of(hang, hang->key), 0);
	if (hang->past)
		print_time(time, sizeof(time), " at %H:%M:%S", hang->key->values.peak.time);
	holder = hang->past ? xalloc(strdup("")) : holder_text(stack, one);
	owner = hang->past ? xalloc(strdup("")) : owner_text(stack);
	text = xasprintf("%" PRIu64 " %s%s of %s (%s) %s been under way for %s%s%s%s%s", hang->n,
			 op, plural_of(op, hang->n), of, stack->levels[hang->layer].layer->name,
			 hang->past ? "had"
			 : one      ? "has"
				    : "have",
			 one ? "" : "up to ", age, time, holder, owner);
	free(owner);
	free(holder);
	free(of);
	return text;
}
