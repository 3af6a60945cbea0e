// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a series had counted half to one minute ago.
 */
#include <stdlib.h>

#include "recent.h"
#include "util.h"

/* Two of each part of each group: of the last look, and of the one before. */
enum { NEWER, OLDER, LOOKS };

static size_t all; /* bytes */

static struct snapshot **at(const struct series *s, unsigned int group, unsigned int part, int look)
{
	return &s->recent[(group * PARTS + part) * LOOKS + look];
}

static void let_go(struct snapshot **snapshot)
{
	if (!*snapshot)
		return;
	all -= (*snapshot)->size;
	snapshot_put(*snapshot);
	*snapshot = NULL;
}

static struct snapshot *take(struct series *s, unsigned int group, unsigned int part)
{
	struct snapshot *snapshot = snapshot_take(s, group, part, false);

	all += snapshot->size;
	return snapshot;
}

void recent_look(struct series *s)
{
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		for (unsigned int part = 0; part < PARTS; part++) {
			if (!part_is_there(&s->schema->groups[g], part))
				continue;
			let_go(at(s, g, part, OLDER));
			*at(s, g, part, OLDER) = *at(s, g, part, NEWER);
			*at(s, g, part, NEWER) = take(s, g, part);
		}
}

void recent_begin(struct series *s)
{
	recent_look(s);
	recent_look(s);
}

const struct snapshot *recent_find(const struct series *s, unsigned int group, enum part part)
{
	return *at(s, group, part, OLDER);
}

void recent_free(struct series *s)
{
	for (unsigned int i = 0; i < s->schema->ngroups * PARTS * LOOKS; i++)
		let_go(&s->recent[i]);
	free(s->recent);
}

size_t recent_size(void)
{
	return all;
}
