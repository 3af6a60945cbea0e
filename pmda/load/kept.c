// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "kept.h"
#include "lib/xalloc.h"

/* Takes a key twice at times: if the key just read is deleted, the iteration begins again. */
static void take_keys(struct kept_keys *kept, const struct series_maps *maps, uint32_t size)
{
	for (uint32_t tries = 2 * maps->keys; tries > 0; tries--) {
		char *next;

		kept->keys = grow(kept->keys, kept->n, size);
		next = kept->keys + (size_t)kept->n * size;
		if (bpf_map_get_next_key(maps->keys_fd, kept->n ? next - size : NULL, next))
			break;
		kept->n++;
	}
}

static void take_names(struct kept *kept, int names_fd)
{
	uint64_t last, *from = NULL;

	for (uint32_t tries = 4 * MODULE_MOST_KEYS; tries > 0; tries--) {
		struct kept_name *name;

		kept->names = grow(kept->names, kept->nnames, sizeof(*kept->names));
		name = &kept->names[kept->nnames];
		if (bpf_map_get_next_key(names_fd, from, &name->id))
			break;
		last = name->id;
		from = &last;
		kept->nnames += !bpf_map_lookup_elem(names_fd, &last, &name->name);
	}
}

struct kept *kept_take(const struct loaded *l, bool events)
{
	const struct schema *schema = l->edition->schema;
	const struct memory *memory = &l->memory;
	struct kept *kept =
		xalloc(calloc(1, sizeof(*kept) + schema->ntables * sizeof(*kept->tables)));

	if (!l->object)
		return kept;
	if (memory->names_fd >= 0)
		take_names(kept, memory->names_fd);
	for (unsigned int i = 0; i < schema->ntables; i++)
		take_keys(&kept->tables[i], &memory->maps[i], schema->series[i].key_size);
	if (!memory->events)
		return kept;
	kept->events_begun = *memory->events_begun;
	if (!events)
		return kept;
	kept->events_size = memory->events_size;
	kept->events = xalloc(malloc(kept->events_size));
	memcpy(kept->events, memory->events, kept->events_size);
	return kept;
}

void kept_free(struct kept *kept, const struct schema *schema)
{
	for (unsigned int i = 0; kept && i < schema->ntables; i++)
		free(kept->tables[i].keys);
	if (kept) {
		free(kept->names);
		free(kept->events);
	}
	free(kept);
}
