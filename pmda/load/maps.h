/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's maps: sizes and mappings. Functions of type int return 0 or a negative errno. */
#ifndef ESTAT_PMDA_LOAD_MAPS_H
#define ESTAT_PMDA_LOAD_MAPS_H

#include "module.h"

struct kept;

/* `n`, rounded up to a multiple of `to`. */
static inline size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * The number of shards: `cpus`, rounded up to a power of two. If so many shards do not fit into
 * 5 MiB or into 1/512 of the host's `memory` (bytes), whichever is more, the highest power of two
 * that fits, at least 1. `shard`: bytes of one shard of all series.
 */
uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory);

/*
 * Before bpf_object__load(): set the maps' sizes, and the constants that BPF programs read. If
 * `shared`, make additions atomic even with one shard a CPU. If the slots would take too much of
 * the host's memory, l->error says so.
 */
int maps_prepare(struct loaded *l, bool shared);

/*
 * Before bpf_object__load(): use the maps of `from`, except those with constants, estat_runs and
 * estat_wake.
 */
int maps_share(struct loaded *l, const struct loaded *from);

/* Before bpf_object__load(): use the rings of `from`. */
int maps_share_rings(const struct loaded *l, const struct loaded *from);

/* After bpf_object__load(): free libbpf's copy of .bss, which can have arrays of megabytes. */
void maps_forget_values(const struct loaded *l);

/*
 * After bpf_object__load(): do two BPF programs use the shards of one series? Series of which the
 * module declares that each key has one writer do not count. False if CPUs share shards, because
 * additions are atomic then anyway. True if the kernel does not tell.
 */
bool maps_have_two_writers(const struct loaded *l);

/*
 * After bpf_object__load(): mmap the new maps, and fill them with what was kept of an object with
 * the same types of keys and values (NULL: nothing). If that fails, l->error says why.
 */
int maps_set_up(struct loaded *l, const struct kept *kept);

/* Set names_fd, keys_fd: descriptors of maps that are not mmapped. */
void maps_finish(struct loaded *l);

/*
 * About how many bytes the maps take in the kernel now, without estat_wake and task storage; 0: the
 * object is not loaded.
 */
uint64_t maps_memory(const struct loaded *l);

/*
 * A variable of `bytes` bytes in the object's .bss, mmapped; NULL: .bss has no such variable, or
 * cannot be mmapped.
 */
void *maps_variable(const struct loaded *l, const char *name, size_t bytes);

/* Unmap all maps. The array of struct series_maps stays, with `keys` and `expected`. */
void maps_unmap(struct loaded *l);

#endif /* ESTAT_PMDA_LOAD_MAPS_H */
