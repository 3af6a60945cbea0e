/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's maps: sizes and mappings. Functions of type int return 0 or a negative errno. */
#ifndef ESTAT_PMDA_LOAD_MAPS_H
#define ESTAT_PMDA_LOAD_MAPS_H

#include "module.h"

/*
 * The number of shards, a power of two: enough for one a CPU, but no more than fit into 1/512 of
 * the host's `memory` (bytes) or, if that is more, 5 MiB. `shard`: bytes of a shard of all series.
 */
uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory);

/*
 * Before bpf_object__load(): set the maps' sizes, and the constants that BPF programs read. If
 * `shared`, make additions atomic even with one shard a CPU. m->error says if memory is too small.
 */
int maps_prepare(struct module *m, bool shared);

/* Before bpf_object__load(): use m->old_object's maps, except constants and counts of runs. */
int maps_take_over(const struct module *m);

/* Before bpf_object__load(): use old's ring of event records; its record types must be the same. */
int maps_share_events(const struct module *m, const struct module *old);

/* After bpf_object__load(): can two BPF programs write the same series, and so the same shard? */
bool maps_have_two_writers(const struct module *m);

/*
 * After bpf_object__load(): mmap the new maps, and fill them with the keys and names of `old`, a
 * module with the same types of keys and values (NULL: none). If that fails, m->error says why.
 */
int maps_set_up(struct module *m, const struct module *old);

/* Set names_fd, keys_fd and free_fd in `m`: descriptors of the maps that are not mmapped. */
void maps_find_fds(struct module *m);

/* A variable in the module's .bss; NULL: .bss is not mapped, or has no variable of that name. */
void *maps_variable(const struct module *m, const char *name, size_t bytes);

/*
 * Map up to `slots` more slots of a series. BPF programs take low slots first, so the agent need
 * not map all slots. Returns false if all slots are mapped already, or if mmap(2) fails.
 */
bool maps_map_slots(const struct module *m, unsigned int table, uint32_t slots);

/* Bytes of kernel memory that the maps take, computed from their types and sizes. */
uint64_t maps_memory(const struct module *m);

/* Unmap all maps, and set the struct series_maps of all series to zeros. */
void maps_unmap(struct module *m);

#endif /* ESTAT_PMDA_LOAD_MAPS_H */
