// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counter inflight_time: the time of ended operations, plus the ages of the operations under
 * way.
 *
 * The time of ended operations is read before the walk, in which the BPF program estat_walk adds up
 * the ages. So an operation that ends in between does not count until the next fetch; if the walk
 * came first, the operation would count twice.
 */
#include "packed.h"
#include "series.h"

static bool has_counter(const struct group *g)
{
	return g->ages && g->sum;
}

/*
 * Set `ended` of group g in each row and the total. A fold would read all words of each slot; this
 * function reads one.
 */
static void note_ended(struct series *s, unsigned int g)
{
	struct under_way *total = &s->rows[SERIES_TOTAL].under_way[g];
	uint32_t word = s->schema->groups[g].sum->word;

	total->ended = 0;
	for (unsigned int row = 0; row < s->nrows; row++) {
		const struct row *r = &s->rows[row];
		uint64_t kept = packed_word(r->kept, s->words, word);

		if (row != SERIES_TOTAL && r->under_way)
			r->under_way[g].ended = kept;
		total->ended += kept;
	}
	for (uint32_t i = 0; s->slots && i < s->maps->nslots; i++) {
		uint64_t ended;

		if (s->slots[i].row < 0)
			continue;
		ended = slot_word(s, i, word);
		s->rows[s->slots[i].row].under_way[g].ended += ended;
		total->ended += ended;
	}
}

void under_way_begin(struct series *s)
{
	if (!module_runs(s->module))
		return;
	if (loaded_is_there(&s->module->now))
		slots_find_new(s);
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		if (has_counter(&s->schema->groups[g]))
			note_ended(s, g);
}

/*
 * Update the counter, which never falls.
 *
 * The counted time falls if an operation ends between under_way_begin() and the walk. Then the
 * counter stays, and the next fetch counts the operation's whole time. If the counted time is below
 * the counter at the next fetch, too, no later fetch will count the missing time: then `offset` is
 * raised by the larger of the differences that the two fetches found between the counter and the
 * counted time. A fall after a partial walk, which leaves out operations, is ignored.
 */
static void update(const struct series *s, struct under_way *u, const struct group *g,
		   const uint64_t *values)
{
	const struct programs *p = &s->module->now.programs;
	const uint64_t *ages = values + g->ages->word;
	uint64_t now = u->ended + (ages[0] && ages[0] == p->walk ? ages[1] : 0) + u->offset;

	if (now >= u->shown) {
		u->shown = now;
		u->fell = false;
	} else if (!u->fell) {
		u->low = now;
		u->fell = !p->partial_walk;
	} else if (!p->partial_walk) {
		if (u->low > now)
			u->low = now;
		u->offset += u->shown - u->low;
		u->shown += now - u->low;
		u->fell = false;
	}
}

void under_way_end(struct series *s)
{
	for (unsigned int row = 0; row < s->nrows; row++)
		for (unsigned int g = 0; s->rows[row].under_way && g < s->schema->ngroups; g++)
			if (has_counter(&s->schema->groups[g]))
				update(s, &s->rows[row].under_way[g], &s->schema->groups[g],
				       series_values(s, row));
}
