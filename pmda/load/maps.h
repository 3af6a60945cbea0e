/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's maps: sizes and mappings. Functions that can fail return 0 or a negative errno. */
#ifndef ESTAT_PMDA_LOAD_MAPS_H
#define ESTAT_PMDA_LOAD_MAPS_H

#include "module.h"

/*
 * The number of shards, a power of two: one for each CPU, if all shards together take at most 1/512
 * of the host's `memory` (bytes), or 5 MiB. `shard`: bytes of one shard of all series.
 */
uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory);

/*
 * Before load: set the sizes of the maps, and the constants that BPF programs read. `shared`: make
 * additions atomic even with one shard a CPU. m->error says if the keys need too much memory.
 */
int maps_prepare(struct module *m, bool shared);

/* Before load: use all maps of m->old_object, except constants and counts of runs. */
int maps_take_over(const struct module *m);

/* Before load: use the ring of event records of `old`, a module with the same types of records. */
int maps_share_events(const struct module *m, const struct module *old);

/* After load: does more than one BPF program write a series, so that a shard has two writers? */
bool maps_have_two_writers(const struct module *m);

/*
 * After load: map the new maps, and fill them with the keys and names of `old` (NULL: none), a
 * module with the same types of keys and values. If that fails m->error says why.
 */
int maps_set_up(struct module *m, const struct module *old);

/* Set the descriptors in `m` of the maps on which the agent makes system calls. */
void maps_find_fds(struct module *m);

/* A variable in the mapped .bss; NULL: the object has none of that name and size, or no mapping. */
void *maps_variable(const struct module *m, const char *name, size_t bytes);

/*
 * Map up to `slots` more slots of a series. BPF programs take low slots first, so the agent need
 * not map all slots. Returns false if all slots are mapped already, or if mmap(2) fails.
 */
bool maps_map_slots(const struct module *m, unsigned int table, uint32_t slots);

/* Bytes that the maps take in the kernel, computed. */
uint64_t maps_memory(const struct module *m);

/* Unmap all maps, and set pointers into the maps to NULL. */
void maps_unmap(struct module *m);

#endif /* ESTAT_PMDA_LOAD_MAPS_H */
