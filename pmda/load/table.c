// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "held.h"
#include "kept.h"
#include "lib/xalloc.h"
#include "publish.h"
#include "schema/rodata.h"
#include "table.h"
#include "wake.h"

/*
 * A table begins with a slot for each key that is expected: at least LEAST_FIRST slots, or
 * LEAST_OF_MANY with more than MANY shards; at most MOST_FIRST slots, and at most maps->keys.
 */
#define LEAST_FIRST   16
#define LEAST_OF_MANY 8
#define MANY          16
#define MOST_FIRST    64

/* A page has at least 1 << LEAST_SHIFT slots, and a table has at most MOST_PAGES + 1 pages. */
#define LEAST_SHIFT 3
#define MOST_PAGES  256

void *array_mmap(int fd, uint32_t value_size, uint32_t n, size_t *size)
{
	void *at;
	size_t page = sysconf(_SC_PAGESIZE), bytes = (value_size + 7) / 8 * 8 * (size_t)n;

	*size = (bytes + page - 1) / page * page;
	at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

struct bpf_map *table_map(const struct loaded *l, unsigned int table, const char *suffix)
{
	char name[ESTAT_NAME_LEN * 2];

	snprintf(name, sizeof(name), "%s%s", l->edition->schema->series[table].name, suffix);
	return bpf_object__find_map_by_name(l->object, name);
}

int table_fd(const struct loaded *l, unsigned int table, const char *suffix)
{
	char name[ESTAT_NAME_LEN * 2];

	snprintf(name, sizeof(name), "%s%s", l->edition->schema->series[table].name, suffix);
	return held_map_fd(&l->held, name);
}

/* How many of the slots 0 to `slots` - 1 are not the overflow key's slot. */
static uint32_t keys_in(const struct series_maps *maps, uint32_t slots)
{
	return slots - (slots > maps->overflow);
}

/* The number of the slot at index `n`, from 0, if the overflow key's slot is not counted. */
static uint32_t nth_slot(const struct series_maps *maps, uint32_t n)
{
	return n + (n >= maps->overflow);
}

/* Choose the overflow key's slot, the size of pages, and how many slots are in no page. */
static void divide(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];
	uint32_t first = l->memory.shards > MANY ? LEAST_OF_MANY : LEAST_FIRST;

	if (maps->expected > first)
		first = maps->expected;
	if (first > MOST_FIRST)
		first = MOST_FIRST;
	if (first > maps->keys)
		first = maps->keys;
	maps->first = first + (maps->nslots > maps->keys);
	maps->overflow = maps->nslots > maps->keys ? first : maps->nslots;
	maps->page_shift = LEAST_SHIFT;
	while (maps->keys >> maps->page_shift > MOST_PAGES)
		maps->page_shift++;
}

/*
 * How many slots the keys have. BPF programs take only slots that the agent has already counted in
 * `given`, so `taken` is never ahead of `given`.
 */
static uint32_t used(const struct series_maps *maps)
{
	uint32_t taken = __atomic_load_n(&maps->state->taken, __ATOMIC_SEQ_CST);

	return keys_in(maps, maps->there) - (maps->given - taken);
}

void table_expect(struct series_maps *maps, const struct series_maps *from)
{
	maps->expected = from->expected;
	if (from->state && used(from) > maps->expected)
		maps->expected = used(from);
}

/* Create a page: a map with slots. Returns its descriptor, or a negative errno. */
static int create_page(const struct loaded *l, unsigned int table)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "estat_page", sizeof(uint32_t),
			      l->edition->schema->series[table].slot_size,
			      l->memory.shards << l->memory.maps[table].page_shift, &options);
}

/*
 * Give libbpf a page as the model of the table's pages, because libbpf (1.0 to 1.7) cannot set the
 * size of an inner map.
 */
int table_open_model(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];

	if (l->shares)
		return 0;
	maps->model = create_page(l, table);
	return maps->model < 0
		       ? maps->model
		       : bpf_map__set_inner_map_fd(table_map(l, table, "_pages"), maps->model);
}

void table_close_model(struct series_maps *maps)
{
	if (maps->model > 0)
		close(maps->model);
	maps->model = 0;
}

int table_size(const struct loaded *l, unsigned int table)
{
	const struct series_maps *maps = &l->memory.maps[table];
	char name[ESTAT_NAME_LEN * 2];
	struct estat_paging *paging;

	snprintf(name, sizeof(name), "%s_paging", l->edition->schema->series[table].name);
	paging = RODATA(l->object, name, struct estat_paging);
	if (!paging)
		return -EINVAL;
	if (!l->shares)
		divide(l, table);
	*paging = (struct estat_paging){ .first = maps->first, .shift = maps->page_shift };
	if (maps->overflow < maps->nslots)
		*rodata_overflow_slot(l->object, l->edition->schema->series[table].name) =
			maps->overflow;
	return bpf_map__set_max_entries(table_map(l, table, ""), maps->keys)
		       ?: bpf_map__set_max_entries(table_map(l, table, "_slots"),
						   maps->first * l->memory.shards)
		       ?: bpf_map__set_max_entries(table_map(l, table, "_free"), maps->keys)
		       ?: bpf_map__set_max_entries(table_map(l, table, "_pages"),
						   (maps->keys >> maps->page_shift) + 1);
}

bool table_mmap(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];

	if (!maps->slots)
		maps->slots = array_mmap(table_fd(l, table, "_slots"),
					 l->edition->schema->series[table].slot_size,
					 maps->first * l->memory.shards, &maps->slots_size);
	return maps->slots;
}

void table_unmap(struct series_maps *maps)
{
	if (maps->slots)
		munmap(maps->slots, maps->slots_size);
	for (uint32_t i = 0; i < maps->npages; i++) {
		munmap(maps->pages[i].at, maps->page_size);
		close(maps->pages[i].fd);
	}
	free(maps->pages);
}

/* Make a page, mmap it, and publish() it. BPF programs take its slots only after push(). */
static int add_page(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];
	uint32_t slots = 1U << maps->page_shift;
	int fd = create_page(l, table), err = fd < 0 ? fd : 0;
	char *at = err ? NULL
		       : array_mmap(fd, l->edition->schema->series[table].slot_size,
				    slots * l->memory.shards, &maps->page_size);

	if (!err)
		err = at ? publish(table_fd(l, table, "_pages"), maps->npages, fd) : -errno;
	if (err) {
		if (at)
			munmap(at, maps->page_size);
		if (fd >= 0)
			close(fd);
		return err;
	}
	maps->pages = grow(maps->pages, maps->npages, sizeof(*maps->pages));
	maps->pages[maps->npages++] = (struct page){ at, fd };
	maps->there += slots;
	if (maps->there > maps->nslots)
		maps->there = maps->nslots;
	return 0;
}

/*
 * The number of free slots at which the BPF programs wake the agent: an eighth of all slots. With
 * up to MANY shards, at least 1 << LEAST_SHIFT or half of all slots, whichever is less. In any case
 * at least two.
 */
static uint32_t low_mark(const struct loaded *l, const struct series_maps *maps)
{
	uint32_t slots = keys_in(maps, maps->there), low = slots / 8, least = slots / 2;

	if (least > 1U << LEAST_SHIFT)
		least = 1U << LEAST_SHIFT;
	if (l->memory.shards <= MANY && low < least)
		low = least;
	return low < 2 ? 2 : low;
}

static void set_wake(const struct loaded *l, struct series_maps *maps)
{
	maps->low = low_mark(l, maps);
	__atomic_store_n(&maps->state->wake, maps->given - maps->low, __ATOMIC_RELEASE);
	/*
	 * grow_table() reads `taken` after this store, and BPF programs read `woken` after they add
	 * to `taken`: so grow_table() sees that addition, or the BPF program sees this store
	 */
	__atomic_store_n(&maps->state->woken, maps->there == maps->nslots || !wake_is_safe(),
			 __ATOMIC_SEQ_CST);
}

/*
 * Put the slots with index `from` to `to` - 1, see nth_slot(), on the stack of free slots, so that
 * the lowest is on top.
 */
static int push(const struct loaded *l, unsigned int table, uint32_t from, uint32_t to)
{
	struct series_maps *maps = &l->memory.maps[table];
	int fd = table_fd(l, table, "_free"), err = 0;

	maps->given += to - from;
	for (uint32_t n = to; !err && n-- > from;) {
		uint32_t slot = nth_slot(maps, n);

		err = bpf_map_update_elem(fd, NULL, &slot, BPF_ANY);
	}
	__atomic_store_n(&maps->state->full, 0, __ATOMIC_RELEASE);
	return err;
}

int table_give_back(const struct loaded *l, unsigned int table, uint32_t slot)
{
	struct series_maps *maps = &l->memory.maps[table];
	uint32_t n = slot - (slot > maps->overflow);
	int err = push(l, table, n, n + 1);

	__atomic_store_n(&maps->state->wake, maps->given - maps->low, __ATOMIC_RELEASE);
	return err;
}

/*
 * Add whole pages of slots, until the number of slots has grown by a quarter of those in use, or
 * the table has maps->nslots slots.
 */
static int add_slots(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];
	uint32_t enough = maps->there + used(maps) / 4;
	int err;

	do {
		uint32_t before = keys_in(maps, maps->there);

		err = add_page(l, table) ?: push(l, table, before, keys_in(maps, maps->there));
	} while (!err && maps->there < enough && maps->there < maps->nslots);
	return err;
}

static bool has_few(const struct series_maps *maps)
{
	return keys_in(maps, maps->there) - used(maps) <= maps->low;
}

/*
 * Add slots until more than maps->low are free, or the table has maps->nslots slots. One round may
 * not be enough, because BPF programs that take slots meanwhile do not wake the agent.
 */
static void grow_table(const struct loaded *l, unsigned int table)
{
	struct series_maps *maps = &l->memory.maps[table];
	int err = 0;

	while (!err && has_few(maps) && maps->there < maps->nslots) {
		err = add_slots(l, table);
		set_wake(l, maps);
	}
	if (err)
		pmNotifyErr(LOG_ERR, "module %s: %s gets no more slots: %s", l->edition->name,
			    l->edition->schema->series[table].name, strerror(-err));
	/*
	 * a BPF program that found no slot before push() gave slots may have set `full` after
	 * push() cleared it
	 */
	if (!has_few(maps) && __atomic_load_n(&maps->state->full, __ATOMIC_ACQUIRE))
		__atomic_store_n(&maps->state->full, 0, __ATOMIC_RELEASE);
}

void table_grow_all(const struct loaded *l)
{
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		if (l->memory.maps[i].state)
			grow_table(l, i);
}

/*
 * Give `key` the slot at index `n`, see nth_slot(). Returns 0; 1 if the kernel does not add the key
 * to the map, as a rule because the key has a slot already; or a negative errno.
 */
static int add_key(const struct loaded *l, unsigned int table, const void *key, uint32_t n)
{
	const struct series_schema *s = &l->edition->schema->series[table];
	struct series_maps *maps = &l->memory.maps[table];
	uint32_t number = nth_slot(maps, n);
	char *slot;
	int err = 0;

	while (!err && number >= maps->there)
		err = add_page(l, table);
	if (err || !table_mmap(l, table))
		return err ?: -errno;
	if (bpf_map_update_elem(table_fd(l, table, ""), key, &number, BPF_NOEXIST))
		return 1;
	slot = table_slot(&l->memory, maps, s->slot_size, number, 0);
	memcpy(slot + s->key_offset, key, s->key_size);
	*(uint32_t *)slot = 1; /* set the slot's flag `used` */
	return 0;
}

/*
 * Give slots to the keys in `kept`, while there is room. Returns how many keys got one, or -errno.
 */
static int add_keys(const struct loaded *l, unsigned int table, const struct kept_keys *kept)
{
	uint32_t size = l->edition->schema->series[table].key_size;
	int n = 0;

	for (uint32_t i = 0; i < kept->n && (uint32_t)n < l->memory.maps[table].keys; i++) {
		int err = add_key(l, table, kept->keys + (size_t)i * size, n);

		if (err < 0)
			return err;
		n += !err;
	}
	return n;
}

int table_fill(const struct loaded *l, unsigned int table, const struct kept_keys *kept)
{
	struct series_maps *maps = &l->memory.maps[table];
	int begun, err;

	maps->there = maps->first;
	begun = kept ? add_keys(l, table, kept) : 0;
	if (begun < 0)
		return begun;
	maps->given = begun;
	maps->state->taken = begun;
	err = push(l, table, begun, keys_in(maps, maps->there));
	set_wake(l, maps);
	if (!err)
		grow_table(l, table);
	return err;
}
