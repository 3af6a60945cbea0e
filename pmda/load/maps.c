// SPDX-License-Identifier: GPL-2.0-or-later
/* The sizes of a module's maps, and where they are in the agent's memory. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "held.h"
#include "host.h"
#include "kernel_btf.h"
#include "kept.h"
#include "lib/xalloc.h"
#include "maps.h"
#include "probes.h"
#include "schema/rodata.h"
#include "table.h"

#define MAX_PROG_MAPS 64

/* 1/`of` of `memory` bytes, but at least `least` bytes. */
static uint64_t share(uint64_t memory, unsigned int of, uint64_t least)
{
	return memory / of > least ? memory / of : least;
}

uint32_t maps_shards(uint64_t shard, unsigned int cpus, uint64_t memory)
{
	uint64_t budget = share(memory, 512, 5 << 20);
	uint32_t shards = 1;

	while (shards < cpus && 2 * shards * shard <= budget)
		shards *= 2;
	return shards;
}

/* With ESTAT_RARE, maps_shards() gets the number of CPUs divided by RARE_CPUS. */
#define RARE_CPUS 16

static uint32_t choose_shards(const struct loaded *l, unsigned int cpus)
{
	uint64_t shard = 0;

	if (variable_offset(l->edition->schema->btf, ".rodata", "estat_rare") >= 0)
		cpus = (cpus + RARE_CPUS - 1) / RARE_CPUS;
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		shard += (uint64_t)l->memory.maps[i].nslots *
			 l->edition->schema->series[i].slot_size;
	return maps_shards(shard, cpus, host_memory());
}

/*
 * Without bpf_mem_alloc (before Linux 6.1) have all hash maps allocate all elements in advance,
 * because a kernel with PREEMPT_RT refuses a kprobe program that uses any other hash map, and
 * another kernel warns (kernel/bpf/verifier.c, check_map_prog_compatibility). Do so for fentry,
 * too, because the module may change to kprobes later, with the same maps. With bpf_mem_alloc, have
 * estat_calls allocate an element for each call under way.
 */
static int choose_allocation(const struct loaded *l)
{
	bool on_demand = kernel_btf_has("bpf_mem_alloc_init");
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map (map, l->object) {
		uint32_t flags = bpf_map__map_flags(map);

		if (err || bpf_map__type(map) != BPF_MAP_TYPE_HASH)
			continue;
		if (!on_demand)
			flags &= ~BPF_F_NO_PREALLOC;
		else if (!strcmp(bpf_map__name(map), "estat_calls"))
			flags |= BPF_F_NO_PREALLOC;
		err = bpf_map__set_map_flags(map, flags);
	}
	return err;
}

/* Bytes of all slots and, with latency_by_size, of the slots' matrices. */
static uint64_t slots_memory(const struct loaded *l)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < l->edition->schema->ntables; i++) {
		uint64_t key = (uint64_t)l->memory.shards * l->edition->schema->series[i].slot_size;

		if (l->edition->settings.latency_by_size)
			key += sizeof(struct estat_matrix);
		bytes += key * l->memory.maps[i].nslots;
	}
	return bytes;
}

/*
 * Give estat_names room for two names of each key on each axis for which axis_is_named() is true,
 * and for one name of each key on each axis of disks.
 */
static int size_names(const struct loaded *l)
{
	struct bpf_map *names = bpf_object__find_map_by_name(l->object, "estat_names");
	uint32_t n = 0;

	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		for (unsigned int j = 0; j < l->edition->schema->series[i].naxes; j++) {
			enum axis_kind kind = l->edition->schema->series[i].axes[j].kind;

			if (axis_is_named(kind))
				n += 2 * l->memory.maps[i].keys;
			else if (kind == AXIS_DEVICE)
				n += l->memory.maps[i].keys;
		}
	if (!names || n <= bpf_map__max_entries(names))
		return 0;
	return bpf_map__set_max_entries(names, n);
}

static void count_keys(const struct loaded *l, unsigned int table)
{
	const struct series_schema *s = &l->edition->schema->series[table];
	struct series_maps *maps = &l->memory.maps[table];

	maps->keys = l->edition->settings.keys ? l->edition->settings.keys : s->keys;
	maps->nslots = maps->keys + s->overflow;
}

int maps_prepare(struct loaded *l, bool shared)
{
	struct estat_module *settings = RODATA(l->object, "estat_module", struct estat_module);
	uint8_t *page_shift = RODATA(l->object, "estat_page_shift", uint8_t);
	uint64_t most = share(host_memory(), 128, 64 << 20);
	unsigned int cpus = host_cpus();
	int err = cpus ? 0 : -ENOENT;
	struct bpf_map *draws;

	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		count_keys(l, i);
	/*
	 * the maps of the old object keep their sizes, even if the host's memory has changed since
	 */
	if (!l->shares)
		l->memory.shards = choose_shards(l, cpus);
	if (!l->shares && slots_memory(l) > most) {
		snprintf(l->error, sizeof(l->error),
			 "its keys need %llu MiB, more than %llu MiB: lower `keys`",
			 (unsigned long long)slots_memory(l) >> 20, (unsigned long long)most >> 20);
		return -E2BIG;
	}
	for (unsigned int i = 0; i < l->edition->schema->ntables && !err; i++) {
		uint32_t slots = l->memory.maps[i].nslots;

		err = table_size(l, i)
			      ?: bpf_map__set_max_entries(table_map(l, i, "_by_size"), slots)
			      ?: bpf_map__set_autocreate(table_map(l, i, "_by_size"),
							 l->edition->settings.latency_by_size);
	}
	if (!err)
		err = size_names(l);
	draws = bpf_object__find_map_by_name(l->object, "estat_draws");
	if (!err && draws)
		err = bpf_map__set_autocreate(draws, l->edition->settings.sample > 1);
	settings->shard_mask = l->memory.shards - 1;
	/*
	 * Before Linux 6.1 a BPF program on a tracepoint can interrupt itself on a CPU. The commit
	 * that prevents it (05b24ff9b2cf "bpf: Prevent bpf program recursion for raw tracepoint
	 * probes") added bpf_prog_inc_misses_counter(), so without this function additions must be
	 * atomic.
	 */
	settings->shared = shared || l->memory.shards < cpus ||
			   !kernel_btf_has("bpf_prog_inc_misses_counter");
	settings->latency_by_size = l->edition->settings.latency_by_size;
	settings->sample = l->memory.sample = l->edition->settings.sample;
	if (page_shift)
		*page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	return err ?: choose_allocation(l);
}

/*
 * Does the module declare that each key of the table has one writer? False for a table with an
 * overflow key, because several BPF programs may write that key.
 */
static bool one_writer(const struct loaded *l, unsigned int table)
{
	char name[ESTAT_NAME_LEN * 3];

	if (l->edition->schema->series[table].overflow)
		return false;
	snprintf(name, sizeof(name), "estat_one_writer_%s", l->edition->schema->series[table].name);
	return variable_offset(l->edition->schema->btf, ".rodata", name) >= 0;
}

bool maps_have_two_writers(const struct loaded *l)
{
	/* if CPUs share shards, additions are atomic anyway */
	if (l->memory.shards < host_cpus())
		return false;
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++) {
		struct bpf_map_info slots = {};
		uint32_t size = sizeof(slots);
		unsigned int writers = 0;

		if (one_writer(l, i))
			continue;
		if (bpf_obj_get_info_by_fd(table_fd(l, i, "_slots"), &slots, &size))
			return true;
		for (unsigned int n = 0; n < l->held.nprograms; n++) {
			uint32_t ids[MAX_PROG_MAPS];
			struct bpf_prog_info info = {
				.map_ids = (uintptr_t)ids,
				.nr_map_ids = MAX_PROG_MAPS,
			};

			size = sizeof(info);
			if (!l->held.programs[n].probes)
				continue;
			if (bpf_obj_get_info_by_fd(l->held.programs[n].fd, &info, &size))
				return true;
			for (unsigned int j = 0; j < info.nr_map_ids && j < MAX_PROG_MAPS; j++)
				writers += ids[j] == slots.id;
		}
		if (writers > 1)
			return true;
	}
	return false;
}

int maps_share(struct loaded *l, const struct loaded *from)
{
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map (map, l->object) {
		int fd = held_map_fd(&from->held, bpf_map__name(map));

		/*
		 * estat_runs is not shared, because it counts runs of this object's BPF programs
		 * alone; wake_share() gives the object estat_wake
		 */
		if (!err && fd >= 0 && bpf_map__autocreate(map) &&
		    strcmp(bpf_map__name(map), "estat_runs") &&
		    strcmp(bpf_map__name(map), "estat_wake") &&
		    !(bpf_map__map_flags(map) & BPF_F_RDONLY_PROG))
			err = bpf_map__reuse_fd(map, fd);
	}
	return err;
}

static const char *const ring_names[RINGS] = {
	[RING_EVENTS] = "estat_events",
	[RING_LAST] = "estat_lasts",
};

int maps_share_rings(const struct loaded *l, const struct loaded *from)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < RINGS; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(l->object, ring_names[i]);

		if (map && from->memory.rings[i].records)
			err = bpf_map__reuse_fd(map, held_map_fd(&from->held, ring_names[i]));
	}
	return err;
}

static void add_names(const struct loaded *l, const struct kept *kept)
{
	int into = held_map_fd(&l->held, "estat_names");

	for (uint32_t i = 0; into >= 0 && i < kept->nnames; i++) {
		const char *id = kept->names + (size_t)i * kept->name_size;

		bpf_map_update_elem(into, id, id + sizeof(uint64_t), BPF_ANY);
	}
}

static bool is_bss(const char *map)
{
	return strstr(map, ".bss");
}

static const struct held_map *bss_of(const struct loaded *l)
{
	const struct held_map *bss = NULL;

	for (unsigned int i = 0; i < l->held.nmaps; i++)
		if (is_bss(l->held.maps[i].name))
			bss = &l->held.maps[i];
	return bss;
}

/*
 * Reserve addresses for .bss. maps_variable() later mmaps there the variables that the agent uses.
 */
static bool map_bss(struct loaded *l)
{
	const struct held_map *bss = bss_of(l);
	void *at = MAP_FAILED;

	if (bss)
		l->memory.bss_size = round_up(bss->value_size, sysconf(_SC_PAGESIZE));
	if (bss)
		at = mmap(NULL, l->memory.bss_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	l->memory.bss = at == MAP_FAILED ? NULL : at;
	return l->memory.bss;
}

void *maps_variable(const struct loaded *l, const char *name, size_t bytes)
{
	long offset = variable_offset(l->edition->schema->btf, ".bss", name);
	size_t page = sysconf(_SC_PAGESIZE), begin, end;
	void *at;

	if (!l->memory.bss || offset < 0 || offset + bytes > l->memory.bss_size)
		return NULL;
	begin = offset / page * page;
	end = round_up(offset + bytes, page);
	at = mmap(l->memory.bss + begin, end - begin, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_FIXED, bss_of(l)->fd, begin);
	return at == MAP_FAILED ? NULL : l->memory.bss + offset;
}

void maps_forget_values(const struct loaded *l)
{
	size_t bytes, page = sysconf(_SC_PAGESIZE);
	struct bpf_map *map;

	bpf_object__for_each_map (map, l->object) {
		void *values = NULL;

		if (is_bss(bpf_map__name(map)))
			values = (void *)bpf_map__initial_value(map, &bytes);
		if (values && madvise(values, round_up(bytes, page), MADV_REMOVE))
			madvise(values, round_up(bytes, page), MADV_DONTNEED);
	}
}

static int map_series(struct loaded *l)
{
	if (!map_bss(l))
		return -errno;
	errno = 0;
	l->memory.missed = maps_variable(l, "estat_missed", sizeof(*l->memory.missed));
	if (!l->memory.missed)
		return errno ? -errno : -EINVAL;
	l->memory.names_full = maps_variable(l, "estat_names_full", sizeof(*l->memory.names_full));
	if (l->edition->schema->every) {
		l->memory.every = maps_variable(l, "estat_every", sizeof(*l->memory.every));
		l->memory.focus = maps_variable(l, "estat_focus", sizeof(*l->memory.focus));
	}
	if (l->edition->schema->slow)
		l->memory.slow = maps_variable(l, "estat_slow", sizeof(*l->memory.slow));
	if (l->edition->schema->tells)
		l->memory.told = maps_variable(l, "estat_all_told", sizeof(*l->memory.told));
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++) {
		struct series_maps *maps = &l->memory.maps[i];
		char name[ESTAT_NAME_LEN * 2];

		snprintf(name, sizeof(name), "%s_state", l->edition->schema->series[i].name);
		maps->state = maps_variable(l, name, sizeof(*maps->state));
		if (l->edition->settings.latency_by_size)
			maps->by_size = array_mmap(table_fd(l, i, "_by_size"),
						   sizeof(struct estat_matrix), maps->nslots,
						   &maps->by_size_size);
		if (!maps->state || (l->edition->settings.latency_by_size && !maps->by_size))
			return errno ? -errno : -EINVAL;
	}
	return 0;
}

static int map_ring(struct loaded *l, enum ring_kind kind, const struct kept *kept)
{
	const struct held_map *map = held_map(&l->held, ring_names[kind]);
	struct ring *ring = &l->memory.rings[kind];
	char begun[ESTAT_NAME_LEN];

	if (!l->edition->schema->rings[kind].nparameters)
		return 0;
	snprintf(begun, sizeof(begun), "%s_begun", ring_names[kind]);
	ring->begun = maps_variable(l, begun, sizeof(*ring->begun));
	if (!ring->begun)
		return -EINVAL;
	if (kept)
		*ring->begun = kept->rings[kind].begun;
	ring->records = array_mmap(map->fd, map->value_size, map->max_entries, &ring->size);
	if (!ring->records)
		return -errno;
	if (kept && kept->rings[kind].records)
		memcpy((void *)ring->records, kept->rings[kind].records, kept->rings[kind].size);
	return 0;
}

int maps_set_up(struct loaded *l, const struct kept *kept)
{
	const char *what = "map its counters";
	int err = map_series(l);

	if (!err && kept)
		add_names(l, kept);
	for (unsigned int i = 0; !err && i < l->edition->schema->ntables; i++) {
		what = "fill its slots";
		err = table_fill(l, i, kept ? &kept->tables[i] : NULL);
	}
	for (unsigned int i = 0; !err && i < RINGS; i++) {
		what = "map its event records";
		err = map_ring(l, i, kept);
	}
	if (err)
		snprintf(l->error, sizeof(l->error), "cannot %s: %s", what, strerror(-err));
	return err;
}

void maps_finish(struct loaded *l)
{
	l->memory.names_fd = held_map_fd(&l->held, "estat_names");
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		l->memory.maps[i].keys_fd = table_fd(l, i, "");
}

void maps_unmap(struct loaded *l)
{
	struct memory *memory = &l->memory;
	struct series_maps *maps = memory->maps;

	for (unsigned int i = 0; i < l->edition->schema->ntables; i++) {
		table_expect(&maps[i], &maps[i]);
		table_unmap(&maps[i]);
		if (maps[i].by_size)
			munmap((void *)maps[i].by_size, maps[i].by_size_size);
		maps[i] = (struct series_maps){
			.keys = maps[i].keys,
			.expected = maps[i].expected,
		};
	}
	for (const struct ring *ring = memory->rings; ring < memory->rings + RINGS; ring++)
		if (ring->records)
			munmap((void *)ring->records, ring->size);
	if (memory->bss)
		munmap(memory->bss, memory->bss_size);
	*memory = (struct memory){ .maps = maps, .names_fd = -1 };
}
