// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module notes a name for each id in its keys. When what an id names, such as a cgroup, is
 * deleted, the agent deletes the id's keys and its name. When a key is evicted, the names of its
 * ids stay, because other keys may have the same ids. So after many keys such names fill the map
 * estat_names.
 */
#include <bpf/bpf.h>
#include <stdlib.h>

#include "data/series.h"
#include "exports.h"
#include "lib/xalloc.h"
#include "names.h"

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Give rows to new keys of the module. Returns true if no new key is left. */
static bool find_new(const struct exports *exports)
{
	bool all = true;

	for (unsigned int i = 0; i < exports->nseries; i++) {
		struct series *s = exports->series[i];

		if (s->first != s)
			continue;
		slots_find_new(s);
		all &= !slots_awaits(s);
	}
	return all;
}

/* The ids in all keys, sorted. Sets *n to their number. The caller frees the result. */
static uint64_t *used_ids(const struct exports *exports, size_t *n)
{
	uint64_t *ids = NULL;

	*n = 0;
	for (unsigned int i = 0; i < exports->nseries; i++) {
		struct series *s = exports->series[i];
		size_t most = *n + (size_t)s->maps->keys * s->table->naxes + 1;

		if (s->first != s)
			continue;
		ids = xalloc(realloc(ids, most * sizeof(*ids)));
		*n += slots_ids(s, ids + *n);
	}
	if (ids)
		qsort(ids, *n, sizeof(*ids), by_id);
	return ids;
}

/* Delete the names of all ids that are not in `ids`. Returns the number of deleted names. */
static unsigned int delete_others(const struct memory *memory, const uint64_t *ids, size_t n)
{
	unsigned int deleted = 0;
	uint64_t id, next;
	bool more = !bpf_map_get_next_key(memory->names_fd, NULL, &id);

	/* limit the loop, because BPF programs change the map meanwhile */
	for (unsigned int tries = 4 * MODULE_MOST_KEYS; more && tries > 0; tries--) {
		more = !bpf_map_get_next_key(memory->names_fd, &id, &next);
		if (!n || !bsearch(&id, ids, n, sizeof(id), by_id))
			deleted += !bpf_map_delete_elem(memory->names_fd, &id);
		id = next;
	}
	return deleted;
}

void names_make_room(const struct exports *exports)
{
	const struct memory *memory = &exports->module->now.memory;
	const char *name = exports->module->edition->name;
	unsigned int deleted;
	uint64_t *ids;
	size_t n;

	/*
	 * if find_new() has not found all keys, used_ids() lacks ids, so try again at the next call
	 */
	if (!memory->names_full || !__atomic_load_n(memory->names_full, __ATOMIC_ACQUIRE) ||
	    !find_new(exports))
		return;
	__atomic_store_n(memory->names_full, 0, __ATOMIC_RELEASE);
	ids = used_ids(exports, &n);
	deleted = delete_others(memory, ids, n);
	free(ids);
	if (deleted)
		pmNotifyErr(LOG_INFO, "module %s: room for %u more names", name, deleted);
	else
		pmNotifyErr(LOG_WARNING, "module %s: no room for more names: lower `keys`", name);
}
