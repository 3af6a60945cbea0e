/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's maps: their sizes, and where the agent has mapped
 * them. Functions that can fail return 0 or a negative errno.
 */
#ifndef ESTAT_PMDA_LOAD_MAPS_H
#define ESTAT_PMDA_LOAD_MAPS_H

#include "module.h"

/*
 * The number of shards of a series: one for each CPU, but in total at most 1/512 of the memory,
 * or 5 MiB if that is more. `shard`: bytes of one shard. `memory`: bytes. Returns a power of two.
 */
uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory);

/*
 * Before the object is loaded: set the sizes of its maps and the constants
 * that its BPF programs read. If `shared`, additions are atomic even with
 * one shard a CPU. If the keys take too much memory m->error says so.
 */
int maps_prepare(struct module *m, bool shared);

/* Before the object is loaded: use all maps of m->old_object except constants. */
int maps_take_over(const struct module *m);

/* After load: does more than one BPF program write a series, so that a shard has two writers? */
bool maps_have_two_writers(const struct module *m);

/*
 * Before the object is loaded: use the ring of event records of
 * the module `old`, which has the same types of keys and values.
 */
int maps_share_events(const struct module *m, const struct module *old);

/*
 * After the object is loaded: fill the new maps and map them. Unless
 * `old` is NULL, begin with the keys and names of that module, which
 * has the same types of keys and values. If it fails m->error says why.
 */
int maps_set_up(struct module *m, const struct module *old);

/* Find the descriptors of the maps on which the agent makes system calls. */
void maps_find_fds(struct module *m);

/*
 * Map up to `slots` more slots of a series. BPF programs take low slots first, so the
 * agent need not map all. Returns false if all are mapped already, or if mmap(2) fails.
 */
bool maps_map_slots(const struct module *m, unsigned int table, uint32_t slots);

/* Bytes that the maps take in the kernel. */
uint64_t maps_memory(const struct module *m);

/* Unmap all maps, and set what points into them to NULL. */
void maps_unmap(struct module *m);

#endif /* ESTAT_PMDA_LOAD_MAPS_H */
