// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "held.h"
#include "kept.h"
#include "lib/xalloc.h"

/*
 * The array can get a key twice, because the iteration begins again if the key that was just read
 * is deleted.
 */
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

static void take_names(struct kept *kept, const struct loaded *l)
{
	const struct held_map *names = held_map(&l->held, "estat_names");
	uint64_t last, *from = NULL;

	kept->name_size = sizeof(last) + names->value_size;
	for (uint32_t tries = 4 * MODULE_MOST_KEYS; tries > 0; tries--) {
		char *name;

		kept->names = grow(kept->names, kept->nnames, kept->name_size);
		name = kept->names + (size_t)kept->nnames * kept->name_size;
		if (bpf_map_get_next_key(l->memory.names_fd, from, &last))
			break;
		memcpy(name, &last, sizeof(last));
		from = &last;
		kept->nnames +=
			!bpf_map_lookup_elem(l->memory.names_fd, &last, name + sizeof(last));
	}
}

static void take_ring(struct kept_ring *kept, const struct ring *ring, bool records)
{
	kept->begun = *ring->begun;
	if (!records)
		return;
	kept->size = ring->size;
	kept->records = xalloc(malloc(kept->size));
	memcpy(kept->records, ring->records, kept->size);
}

struct kept *kept_take(const struct loaded *l, bool records)
{
	const struct schema *schema = l->edition->schema;
	const struct memory *memory = &l->memory;
	struct kept *kept =
		xalloc(calloc(1, sizeof(*kept) + schema->ntables * sizeof(*kept->tables)));

	if (!loaded_is_there(l))
		return kept;
	if (memory->names_fd >= 0)
		take_names(kept, l);
	for (unsigned int i = 0; i < schema->ntables; i++)
		take_keys(&kept->tables[i], &memory->maps[i], schema->series[i].key_size);
	for (unsigned int i = 0; i < RINGS; i++)
		if (memory->rings[i].records)
			take_ring(&kept->rings[i], &memory->rings[i], records);
	return kept;
}

void kept_free(struct kept *kept, const struct schema *schema)
{
	for (unsigned int i = 0; kept && i < schema->ntables; i++)
		free(kept->tables[i].keys);
	if (kept) {
		free(kept->names);
		for (unsigned int i = 0; i < RINGS; i++)
			free(kept->rings[i].records);
	}
	free(kept);
}
