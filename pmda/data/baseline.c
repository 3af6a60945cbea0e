// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "series.h"

/*
 * The snapshots that a series keeps of each part of each group: NEWER is from the newest call of
 * baseline_look(), OLDER from the call before. LOOKS: the number of these snapshots.
 */
enum { NEWER, OLDER, LOOKS };

/* bytes of the NEWER and OLDER snapshots of all series; one that is both counts once */
static size_t all;

static struct snapshot **looks_of(const struct series *s, unsigned int group, unsigned int part)
{
	return &s->baseline[(group * PARTS + part) * LOOKS];
}

static void let_go(struct snapshot **looks, int look)
{
	struct snapshot *snapshot = looks[look];

	looks[look] = NULL;
	if (!snapshot)
		return;
	if (snapshot != looks[NEWER] && snapshot != looks[OLDER])
		all -= snapshot->size;
	snapshot_put(snapshot);
}

static void take(struct series *s, unsigned int group, unsigned int part)
{
	struct snapshot **looks = looks_of(s, group, part);

	let_go(looks, OLDER);
	looks[OLDER] = looks[NEWER];
	looks[NEWER] = snapshot_take(s, group, part, false);
	if (looks[NEWER] != looks[OLDER])
		all += looks[NEWER]->size;
}

void baseline_look(struct series *s)
{
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		for (unsigned int part = 0; part < PARTS; part++)
			if (part_is_there(&s->schema->groups[g], part))
				take(s, g, part);
}

void baseline_begin(struct series *s)
{
	baseline_look(s);
	baseline_look(s);
}

const struct snapshot *baseline_find(const struct series *s, unsigned int group, enum part part)
{
	return looks_of(s, group, part)[OLDER];
}

void baseline_free(struct series *s)
{
	for (unsigned int i = 0; i < s->schema->ngroups * PARTS; i++) {
		let_go(&s->baseline[i * LOOKS], NEWER);
		let_go(&s->baseline[i * LOOKS], OLDER);
	}
	free(s->baseline);
}

size_t baseline_size(void)
{
	return all;
}
