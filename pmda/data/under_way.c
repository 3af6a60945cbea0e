// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counter inflight_time: the time of ended operations, plus the ages of those under way.
 *
 * The time of ended operations is read before the walk. An operation that ends between the two is
 * in neither, until the next fetch; in both, it would count twice.
 */
#include "series.h"

/* Call `call` for the counter of each group and row; `sum`, `ages`: the words of the fields. */
static void for_each(struct series *s, void (*call)(const struct series *s, struct under_way *u,
						    const uint64_t *sum, const uint64_t *ages))
{
	for (unsigned int row = 0; row < s->nrows; row++) {
		const uint64_t *values = series_values(s, row);

		for (unsigned int g = 0; s->rows[row].under_way && g < s->schema->ngroups; g++) {
			const struct group *group = &s->schema->groups[g];

			if (group->ages && group->sum)
				call(s, &s->rows[row].under_way[g], values + group->sum->word,
				     values + group->ages->word);
		}
	}
}

static void note_ended(const struct series *s, struct under_way *u, const uint64_t *sum,
		       const uint64_t *ages)
{
	(void)s;
	(void)ages;
	u->ended = *sum;
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
static void update(const struct series *s, struct under_way *u, const uint64_t *sum,
		   const uint64_t *ages)
{
	const struct programs *p = &s->module->now.programs;
	uint64_t now = u->ended + (ages[0] && ages[0] == p->walk ? ages[1] : 0) + u->offset;

	(void)sum;
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
