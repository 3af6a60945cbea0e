// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scale OBJECT CPUS GIB: load a module as on a host with CPUS CPUs and GIB GiB of memory. Prints
 * five numbers. Four are of the module with every key of its first series in use: the number of
 * shards, the maps' bytes as in estat.module.memory, the maps' bytes as the kernel counts them, and
 * the microseconds of series_fold() for that series. The fifth is the maps' bytes as in
 * estat.module.memory just after the start.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/series.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "lifecycle.h"
#include "load/edition.h"
#include "load/kernel_btf.h"
#include "load/maps.h"
#include "load/table.h"
#include "other_host.h"

#define ROUNDS 101

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Bytes of a map, as the kernel counts them, from /proc/self/fdinfo. */
static unsigned long memlock(int fd)
{
	char path[64], line[128];
	unsigned long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %lu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes;
}

/*
 * Bytes of all maps of the module, as the kernel counts them, without the ring buffer that wakes
 * the agent: all modules share that ring buffer.
 */
static unsigned long kernel_memory(const struct module *m)
{
	const struct memory *memory = &m->now.memory;
	unsigned long sum = 0;

	for (unsigned int i = 0; i < m->now.held.nmaps; i++)
		if (m->now.held.maps[i].type != BPF_MAP_TYPE_RINGBUF)
			sum += memlock(m->now.held.maps[i].fd);
	for (unsigned int i = 0; i < m->edition->schema->ntables; i++)
		for (uint32_t j = 0; j < memory->maps[i].npages; j++)
			sum += memlock(memory->maps[i].pages[j].fd);
	return sum;
}

/*
 * The index of the word that use_all_keys() sets in the value of key `number`. The number chooses
 * one of the buckets of the first latency histogram or, if the series has no such histogram, one of
 * all words of the value.
 */
static unsigned int word_of(const struct series_schema *schema, uint32_t number)
{
	for (unsigned int g = 0; g < schema->ngroups; g++)
		if (schema->groups[g].latency)
			return schema->groups[g].latency->word + number % ESTAT_FINE_BUCKETS;
	return number % schema->value_words;
}

/*
 * Fill as many slots of the first series as the series can have keys. In each shard set the slot's
 * flag `used` and the slot's key, and set one word of the slot's value to 1. Returns false if slots
 * cannot be added or mmapped.
 */
static bool use_all_keys(struct module *m)
{
	const struct series_schema *schema = &m->edition->schema->series[0];
	const struct series_maps *maps = &m->now.memory.maps[0];

	do {
		maps->state->taken = maps->given;
		table_grow_all(&m->now);
	} while (maps->there < maps->nslots && maps->given > maps->state->taken);
	if (maps->there < maps->nslots || !table_mmap(&m->now, 0))
		return false;
	for (uint32_t i = 0; i < maps->keys; i++)
		for (uint32_t shard = 0; shard < m->now.memory.shards; shard++) {
			char *slot = table_slot(&m->now.memory, maps, schema->slot_size, i, shard);
			uint64_t *value = (uint64_t *)(slot + schema->value_offset);

			*(uint32_t *)slot = 1;
			memcpy(slot + schema->key_offset, &i, sizeof(i));
			value[word_of(schema, i)] = 1;
		}
	maps->state->taken = maps->keys;
	return true;
}

static double fold_time(struct module *m)
{
	struct series *s = series_new(m, 0, 400);
	double times[ROUNDS];

	series_fold(s); /* not timed: the first fold also adds rows for the keys */
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_now();

		series_fold(s);
		times[i] = (clock_now() - start) / 1e3;
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare);
	series_free(s);
	return times[ROUNDS / 2];
}

/*
 * Open a module, with the settings that hold without an estat.conf, and attach it at once, also if
 * it is on demand. Returns the module even if the agent refuses the object or the kernel refuses
 * the BPF programs. Then module_runs() is false, and m->error says why.
 */
static struct module *start(const char *path)
{
	struct config *config = config_read("", true);
	struct edition *e = edition_open(xalloc(strdup(path)));
	struct module *m = module_new(e);
	enum module_change change;

	if (!*e->error)
		edition_configure(e, config);
	e->settings.demand = false;
	do
		change = module_change(m, e, UINT64_MAX);
	while (change == CHANGE_GOES_ON);
	if (change == CHANGE_READY)
		module_commit(m);
	config_free(config);
	return m;
}

int main(int argc, char **argv)
{
	unsigned long first;
	struct module *m;

	if (argc != 4 || !other_host(argv[2], argv[3])) {
		fprintf(stderr, "usage: scale OBJECT CPUS GIB\n");
		return 1;
	}
	kernel_btf_register();
	m = start(argv[1]);
	first = maps_memory(&m->now);
	if (!module_runs(m) || !use_all_keys(m)) {
		fprintf(stderr, "%s does not run: %s\n", argv[1], m->error);
		return 1;
	}
	printf("%u %lu %lu %.2f %lu\n", m->now.memory.shards, (unsigned long)maps_memory(&m->now),
	       kernel_memory(m), fold_time(m), first);
	module_free(m);
	return 0;
}
