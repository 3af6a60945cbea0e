// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "base/text.h"
#include "fail.h"
#include "facts.h"
#include "kinds.h"
#include "lib/xalloc.h"

/*
 * The kinds of operations whose failures count. Other operations, such as discards, also fail on
 * healthy devices that do not support them.
 */
#define DATA \
	(KIND_BIT(KIND_READ) | KIND_BIT(KIND_WRITE) | KIND_BIT(KIND_BUFFERED) | KIND_BIT(KIND_SYNC))

static bool failed(const struct stack *stack, const struct level *level, const struct key *key)
{
	return key->values.errors && KIND_BIT(kind_of(key)) & DATA &&
	       target_has(stack->target, key, level->relation);
}

/*
 * Set stack->failed to a key whose operations failed. `place` NULL: take the key with the most
 * operations that failed. Else take a key at the place or on a device below: of these keys, one in
 * the lowest layer; in that layer, one on the lowest device; there, the one with the most
 * operations that failed.
 */
static void take_failed(struct stack *stack, const struct place *place)
{
	struct failed *most = &stack->failed;
	unsigned int lowest = 0; /* place_depth() of most->key; 0 if `place` is NULL */

	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		const struct series *keys = level->layer->keys;

		if (!keys || level->all || !fact_of(level->layer->name)->fails)
			continue;
		for (unsigned int k = 0; k < keys->nkeys; k++) {
			const struct key *key = keys->keys[k];
			unsigned int depth = place ? place_depth(place, key) : 0;
			bool lower = place && (i > most->layer || depth > lowest);
			bool more = !most->key || key->values.errors > most->key->values.errors;

			if (!failed(stack, level, key) || depth == NOT_IN_PLACE ||
			    (place && i < most->layer) ||
			    (place && i == most->layer && depth < lowest) || !(lower || more))
				continue;
			*most = (struct failed){ key, i };
			lowest = depth;
		}
	}
}

void fail_find(struct stack *stack, const struct graph *graph)
{
	struct place place;

	stack->failed = (struct failed){ 0 };
	take_failed(stack, NULL);
	if (!stack->failed.key)
		return;
	place_find(&place, graph, key_place(stack->failed.key) ?: "");
	take_failed(stack, &place);
	place_free(&place);
}

char *fail_sentence(const struct stack *stack)
{
	const struct key *key = stack->failed.key;
	const char *op;
	uint64_t all;

	if (!key)
		return NULL;
	op = key_axis(key, "op") ?: "operation";
	all = key->values.ops + key->values.errors;
	return xasprintf("%" PRIu64 " of %" PRIu64 " %s%s of %s (%s) failed", key->values.errors,
			 all, op, plural_of(op, all), key_place(key) ?: "several disks",
			 stack->levels[stack->failed.layer].layer->name);
}
