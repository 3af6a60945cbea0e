/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's maps: how large they are, and where the agent has them in its memory.
 * Functions that can fail return 0 or errno's negative.
 */
#ifndef ESTAT_PMDA_LOAD_MAPS_H
#define ESTAT_PMDA_LOAD_MAPS_H

#include "module.h"

/*
 * How many shards a table of slots has whose one shard takes so many bytes, on a host with
 * so many CPUs and so much memory: one a CPU as long as all fit into a 512th of the memory,
 * or 5 MiB. A power of two.
 */
uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory);

/*
 * Before the object is loaded: size its maps, and set what its programs read. With
 * `shared` additions are atomic in any case. If there is no room for the keys,
 * m->error says so.
 */
int maps_prepare(struct module *m, bool shared);

/* Likewise: have all maps of the object that this one replaces go on, but constants. */
int maps_take_over(const struct module *m);

/* Is a table written by more than one of the loaded programs, so that a shard has two writers? */
bool maps_have_two_writers(const struct module *m);

/* Likewise: have the ring of event records of a module that counts alike go on. */
int maps_share_events(const struct module *m, const struct module *old);

/*
 * Make new maps ready for the programs and the agent; those that go on are. The keys and
 * names of a former module that counts alike, if there is one, are there from the
 * beginning. Or: m->error.
 */
int maps_set_up(struct module *m, const struct module *old);

/* Find what the agent's system calls on maps take. */
void maps_find_fds(struct module *m);

/*
 * Map `slots` more of a table than are mapped. The kernel takes low slots
 * first, so a process need not have all of them in its memory. Returns false if
 * it cannot, or if all are mapped.
 */
bool maps_map_slots(const struct module *m, unsigned int table, uint32_t slots);

/* What the maps take in the kernel, in bytes. */
uint64_t maps_memory(const struct module *m);

/* Unmap all, and forget what was found. */
void maps_unmap(struct module *m);

#endif /* ESTAT_PMDA_LOAD_MAPS_H */
