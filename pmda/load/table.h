/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of a table: a map of the first slots, and pages of further slots, which the agent adds
 * as keys come. Functions of type int, except table_fd(), return 0 or a negative errno.
 */
#ifndef ESTAT_PMDA_LOAD_TABLE_H
#define ESTAT_PMDA_LOAD_TABLE_H

#include <bpf/libbpf.h>

#include "module.h"

struct kept_keys;

/*
 * mmap the first `n` elements of the BPF array with the descriptor `fd`. Sets *size to the mapped
 * bytes. NULL: mmap(2) failed.
 */
void *array_mmap(int fd, uint32_t value_size, uint32_t n, size_t *size);

/*
 * Before bpf_object__load(): the map whose name is the table's name and `suffix`; with the suffix
 * "" the hash that has each key's slot. NULL: there is none.
 */
struct bpf_map *table_map(const struct loaded *l, unsigned int table, const char *suffix);

/*
 * After bpf_object__load(): the descriptor of the map that table_map() returned for the same
 * arguments; -1: there is none.
 */
int table_fd(const struct loaded *l, unsigned int table, const char *suffix);

/* Expect as many keys as `from` has or, if that is more, as `from` has expected. */
void table_expect(struct series_maps *maps, const struct series_maps *from);

/*
 * Before bpf_object__load(): set the sizes of the table's maps except NAME_by_size, and in .rodata
 * the number of the first slot that is in a page, how many slots a page has, and the overflow key's
 * slot.
 */
int table_size(const struct loaded *l, unsigned int table);

/*
 * Just before bpf_object__load(): if the object has maps of its own, make the model of its pages, a
 * map that becomes no page itself. After the load the caller closes the model with
 * table_close_model().
 */
int table_open_model(const struct loaded *l, unsigned int table);
void table_close_model(struct series_maps *maps);

/*
 * After bpf_object__load(): give slots to the keys that an earlier object had (`kept`; NULL: no
 * keys), and the free slots to the BPF programs.
 */
int table_fill(const struct loaded *l, unsigned int table, const struct kept_keys *kept);

/*
 * mmap the slots that are not in maps->pages, unless they are mmapped. Returns false if mmap(2)
 * fails.
 */
bool table_mmap(const struct loaded *l, unsigned int table);
void table_unmap(struct series_maps *maps);

/* Give a cleared slot to the BPF programs again. */
int table_give_back(const struct loaded *l, unsigned int table, uint32_t slot);

/* Add pages to each table that has few free slots, and fewer than maps->nslots slots. */
void table_grow_all(const struct loaded *l);

/*
 * The memory of slot number `slot` in a shard. The number must be below maps->there, and
 * table_mmap() must have run.
 */
static inline char *table_slot(const struct memory *memory, const struct series_maps *maps,
			       unsigned int slot_size, uint32_t slot, uint32_t shard)
{
	uint32_t n = slot - maps->first, in_page = n & ((1U << maps->page_shift) - 1);

	if (slot < maps->first)
		return maps->slots + ((size_t)slot * memory->shards + shard) * slot_size;
	return maps->pages[n >> maps->page_shift].at +
	       ((size_t)in_page * memory->shards + shard) * slot_size;
}

#endif /* ESTAT_PMDA_LOAD_TABLE_H */
