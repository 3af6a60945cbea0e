// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slot that eviction has freed goes to the key without a slot that counts next. That is likely a
 * busy key, because busy keys count most often. So it is enough to evict few keys at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "evict.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "series.h"

/* How often to look for keys to evict, nanoseconds. */
#define EVICT_NS UINT64_C(10000000000)

/* evict_look() evicts at most 1/EVICT_PART of the keys that the maps can hold, plus one. */
#define EVICT_PART 8

/* How much a slot has counted since the last evict_look(): the growth of its events_of(). */
struct growth {
	uint64_t n;
	uint32_t slot;
};

/*
 * The sum of all counters of events (FIELD_COUNT) of a slot, in all groups. `words`: s->words words
 * of scratch memory.
 */
static uint64_t events_of(const struct series *s, uint32_t slot, uint64_t *words)
{
	uint64_t n = 0;

	memset(words, 0, s->words * sizeof(*words));
	slot_fold(s, slot, words);
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		for (unsigned int f = 0; f < s->schema->groups[g].nfields; f++)
			if (s->schema->groups[g].fields[f].kind == FIELD_COUNT)
				n += words[s->schema->groups[g].fields[f].word];
	return n;
}

static int by_growth(const void *a, const void *b)
{
	const struct growth *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

/*
 * Set growths[] to what each key has counted since the previous call, and *overflow to what the
 * overflow key has counted. A key that had no slot at the previous call is left out. Returns the
 * number of keys in growths[].
 */
static uint32_t look(struct series *s, struct growth *growths, uint64_t *overflow)
{
	uint64_t *words = xalloc(malloc(s->words * sizeof(*words)));
	uint32_t n = 0;

	*overflow = 0;
	for (uint32_t i = 0; i < s->maps->nslots; i++) {
		struct slot *slot = &s->slots[i];
		uint64_t before = slot->counted;

		if (slot->row < 0 || slot->retired)
			continue;
		slot->counted = events_of(s, i, words);
		if (i == s->maps->overflow)
			*overflow = slot->counted - (before == SLOT_IS_NEW ? 0 : before);
		else if (before != SLOT_IS_NEW)
			growths[n++] = (struct growth){ slot->counted - before, i };
	}
	free(words);
	return n;
}

uint64_t evict_due(const struct series *s)
{
	/* s->first != s: of the series that share maps, only the first evicts keys, for all */
	if (s->first != s || !s->slots || !s->table->overflow ||
	    s->slots[s->maps->overflow].row < 0 || s->maps->there < s->maps->nslots)
		return UINT64_MAX;
	return s->compared + EVICT_NS;
}

void evict_look(struct series *s)
{
	uint32_t n, most = s->maps->keys / EVICT_PART + 1;
	struct growth *growths;
	uint64_t overflow;

	slots_find_new(s);
	s->compared = clock_now();
	growths = xalloc(malloc(s->maps->nslots * sizeof(*growths)));
	n = look(s, growths, &overflow);
	qsort(growths, n, sizeof(*growths), by_growth);
	for (uint32_t i = 0; i < n && i < most && growths[i].n < overflow; i++)
		slot_retire(s, growths[i].slot);
	free(growths);
}
