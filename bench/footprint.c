// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * footprint CPUS GIB EACH [AXIS=N]... OBJECT...: the memory of modules' maps on a host with CPUS
 * CPUs and GIB GiB of memory. If none of a table's axes is among the arguments, no key of the table
 * is in use. Else the number of keys in use is the highest N that the arguments give for the
 * table's axes, times EACH if at least one axis of the table is not among the arguments; but at
 * most the number of keys that the table can hold. Prints for each module its name and the maps'
 * bytes as in estat.module.memory. Maps are made and grow as in the agent. BPF programs are not
 * loaded, so this kernel need not have the functions that they probe.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "load/edition.h"
#include "load/held.h"
#include "load/kernel_btf.h"
#include "load/loaded.h"
#include "load/maps.h"
#include "load/object.h"
#include "load/table.h"
#include "load/wake.h"
#include "other_host.h"

static unsigned int each;
static char **axes; /* AXIS=N */
static int naxes;

/* The N that the arguments give for the axis; 0: the axis is not among the arguments. */
static uint32_t number_of(const char *axis)
{
	size_t length = strlen(axis);

	for (int i = 0; i < naxes; i++)
		if (!strncmp(axes[i], axis, length) && axes[i][length] == '=')
			return atoi(axes[i] + length + 1);
	return 0;
}

static uint32_t keys_of(const struct series_schema *s)
{
	uint32_t most = 0, others = 0;

	for (unsigned int i = 0; i < s->naxes; i++) {
		uint32_t n = number_of(s->axes[i].name);

		if (n > most)
			most = n;
		others += !n;
	}
	return others ? most * each : most;
}

/* Take a slot for each key in use, one by one as BPF programs do, and let the table grow. */
static void use_keys(const struct loaded *l, unsigned int table)
{
	const struct series_maps *maps = &l->memory.maps[table];
	uint32_t keys = keys_of(&l->edition->schema->series[table]);

	for (uint32_t i = 0; i < keys && i < maps->keys; i++) {
		maps->state->taken++;
		table_grow_all(l);
	}
}

static int make_maps(struct loaded *l)
{
	struct bpf_program *p;
	int err;

	l->object = object_open(l->edition->file, l->edition->name, -1, l->error, sizeof(l->error));
	if (!l->object)
		return -1;
	bpf_object__for_each_program (p, l->object)
		bpf_program__set_autoload(p, false);
	err = maps_prepare(l, false) ?: wake_share(l->object);
	for (unsigned int i = 0; !err && i < l->edition->schema->ntables; i++)
		err = table_open_model(l, i);
	return err ?: bpf_object__load(l->object) ?: held_take(l) ?: maps_set_up(l, NULL);
}

static bool print(const char *path)
{
	struct config *config = config_read("", true);
	struct edition *e = edition_open(xalloc(strdup(path)));
	struct loaded l;

	if (!*e->error)
		edition_configure(e, config);
	config_free(config);
	loaded_begin(&l, e, NULL);
	if (*e->error || make_maps(&l)) {
		fprintf(stderr, "%s: %s%s\n", path, e->error, l.error);
		return false;
	}
	for (unsigned int i = 0; i < e->schema->ntables; i++)
		use_keys(&l, i);
	printf("%s %lu\n", e->name, (unsigned long)maps_memory(&l));
	loaded_end(&l);
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 5 || !other_host(argv[1], argv[2])) {
		fprintf(stderr, "usage: footprint CPUS GIB EACH [AXIS=N]... OBJECT...\n");
		return 1;
	}
	each = atoi(argv[3]);
	axes = argv + 4;
	while (axes[naxes] && strchr(axes[naxes], '='))
		naxes++;
	kernel_btf_register();
	for (char **path = axes + naxes; *path; path++)
		if (!print(*path))
			return 1;
	return 0;
}
