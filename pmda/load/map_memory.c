// SPDX-License-Identifier: GPL-2.0-or-later
/* How many bytes the kernel has allocated for a module's maps. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/file.h"
#include "maps.h"
#include "module.h"

/* Bytes of a hash map's buckets. A bucket has a list head and a lock: 16 bytes. */
static uint64_t bucket_memory(uint64_t elements)
{
	uint64_t buckets = 1;

	while (buckets < elements)
		buckets *= 2;
	return buckets * 16;
}

/* Bytes of the map, as /proc/self/fdinfo tells; 0: the file cannot be read. */
static uint64_t kernels_figure(int fd)
{
	uint64_t bytes = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	scan_lines(path, "memlock: %" SCNu64, &bytes);
	return bytes;
}

/*
 * Bytes of a hash map that allocates elements as keys come, as /proc/self/fdinfo tells. Before
 * Linux 6.4 the figure there is that of a full map without its buckets (bpf_map_memory_footprint()
 * in kernel/bpf/syscall.c). In that case the function returns the bytes of the buckets alone.
 */
static uint64_t on_demand_memory(const struct held_map *map)
{
	uint64_t n = map->max_entries, buckets = bucket_memory(n);
	uint64_t bytes = kernels_figure(map->fd);
	uint64_t full = n * round_up(map->key_size + map->value_size, 8);

	if (bytes == round_up(full, sysconf(_SC_PAGESIZE)) || bytes < buckets)
		return buckets;
	return bytes;
}

/*
 * Bytes of the kernel's struct of a hash map and of an array, without elements, in Linux 6.18;
 * other kernels differ by little.
 */
#define HASH_HEAD  896
#define ARRAY_HEAD 312

/*
 * Bytes that the kernel allocates for a map, computed as in kernel/bpf/{arraymap,hashtab,
 * queue_stack_maps}.c, because the figure in /proc/self/fdinfo is a rough one before Linux 6.4.
 */
static uint64_t map_memory(const struct held_map *map, unsigned int cpus)
{
	uint64_t n = map->max_entries;
	uint64_t value = round_up(map->value_size, 8);
	uint64_t element = 48 + round_up(map->key_size, 8) + value;
	uint64_t page = sysconf(_SC_PAGESIZE);

	switch (map->type) {
	case BPF_MAP_TYPE_HASH: /* a preallocated hash map has one more element for each CPU */
		if (map->flags & BPF_F_NO_PREALLOC)
			return on_demand_memory(map);
		return HASH_HEAD + bucket_memory(n) + (n + cpus) * element + cpus * sizeof(void *);
	case BPF_MAP_TYPE_LRU_HASH:
		return HASH_HEAD + bucket_memory(n) + n * element;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return ARRAY_HEAD + n * (sizeof(void *) + cpus * value);
	case BPF_MAP_TYPE_STACK:
		return ARRAY_HEAD + (n + 1) * map->value_size;
	/* not counted, because an element is allocated only when a thread first needs it */
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_RINGBUF: /* not counted: all modules share estat_wake */
		return 0;
	default:
		if (!(map->flags & BPF_F_MMAPABLE))
			return ARRAY_HEAD + n * value;
		/* the elements begin on a page of their own; the map's struct takes another page */
		return page + round_up(n * value, page);
	}
}

uint64_t maps_memory(const struct loaded *l)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t bytes = 0;

	if (!loaded_is_there(l))
		return 0;
	for (unsigned int i = 0; i < l->held.nmaps; i++)
		bytes += map_memory(&l->held.maps[i], cpus);
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		bytes += l->memory.maps[i].npages *
			 (l->memory.maps[i].page_size + sysconf(_SC_PAGESIZE));
	return bytes;
}
