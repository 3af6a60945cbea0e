// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counter inflight_time: the time of ended operations, plus the ages of those under way.
 *
 * The time of ended operations is read before the walk. An operation that ends between the two is
 * in neither, until the next fetch; in both, it would count twice.
 */
#include "series.h"

/* Call `call` for the counter of each group and row; `values` are those of the row. */
static void for_each(struct series *s, void (*call)(const struct series *s, struct under_way *u,
						    const struct group *g, const uint64_t *values))
{
	for (unsigned int row = 0; row < s->nrows; row++)
		for (unsigned int g = 0; s->rows[row].under_way && g < s->schema->ngroups; g++)
			if (s->schema->groups[g].ages && s->schema->groups[g].sum)
				call(s, &s->rows[row].under_way[g], &s->schema->groups[g],
				     series_values(s, row));
}

static void note_ended(const struct series *s, struct under_way *u, const struct group *g,
		       const uint64_t *values)
{
	(void)s;
	u->ended = values[g->sum->word];
}

void under_way_begin(struct series *s)
{
	series_fold(s);
	for_each(s, note_ended);
}

/*
 * If the counter was to fall, it stays: either an operation ended just before the walk, and the
 * next look has its whole time; or its time is lost, and the next look raises the offset.
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
	for_each(s, update);
}
