// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "lib/file.h"
#include "lib/xalloc.h"
#include "load/mapped.h"
#include "mapper.h"

/* Pairs: how a device's UUID begins, and the device's kind. The first pair that fits counts. */
static const char *const uuids[][2] = {
	{ "CRYPT-VERITY-", "verity" }, { "CRYPT-INTEGRITY-", "integrity" },
	{ "CRYPT-", "crypt" },         { "LVM-", "lvm" },
	{ "mpath-", "multipath" },     { "part", "partition" },
};

/*
 * For a table with one target of this type: the roles of the table's devices, in the order of the
 * kernel's list. Each call of dm_get_device() (drivers/md/dm-table.c) by the target's constructor
 * adds a device at the begin of the list, so the last device that the constructor gets comes first.
 */
static const struct {
	const char *type, *roles[3];
} types[] = {
	{ "thin-pool", { "data", "metadata" } },
	{ "snapshot", { "store", "origin" } },
	{ "snapshot-merge", { "store", "origin" } },
	{ "cache", { "data", "cache", "metadata" } },
	{ "writecache", { "cache", "data" } },
	{ "clone", { "origin", "data", "metadata" } },
	{ "era", { "data", "metadata" } },
	{ "log-writes", { "log", "data" } },
	{ "thin", { "pool", "origin" } },
	{ "thin", { "pool" } },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

/* A device of device mapper. */
struct mapped {
	struct node *node;
	struct estat_mapped_answer table; /* table.type is "" if the table could not be read */
	/* names of the nodes below the device that have these roles; NULL: there is none */
	const char *origin, *store;
};

/* The value of the device's file dm/FILE, for the caller to free; "": none. */
static char *attribute(const char *device, const char *file)
{
	char path[512], line[256];

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/dm/%s", device, file);
	return xalloc(strdup(first_line(path, line, sizeof(line)) ? line : ""));
}

static bool read_table(struct mapped *m)
{
	char path[512], line[64];
	unsigned int minor;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/dev", m->node->name);
	return first_line(path, line, sizeof(line)) && sscanf(line, "%*u:%u", &minor) == 1 &&
	       mapped_look(minor, &m->table);
}

static void set_kind(struct mapped *m)
{
	char *uuid = attribute(m->node->name, "uuid");
	const char *kind = NULL;

	if (!read_table(m))
		m->table = (struct estat_mapped_answer){};
	for (size_t i = 0; !kind && i < sizeof(uuids) / sizeof(uuids[0]); i++)
		if (!strncmp(uuid, uuids[i][0], strlen(uuids[i][0])))
			kind = uuids[i][1];
	if (!kind)
		kind = *m->table.type ? m->table.type : "dm";
	graph_set_kind(m->node, kind);
	free(uuid);
}

/*
 * The role of a volume of LVM, by the end of the volume's UUID, such as -tmeta, or by `_rmeta_` in
 * the volume's name. "data" for other volumes, and for devices that are no volumes.
 */
static const char *volume_role(const char *volume)
{
	static const char *const ends[][2] = {
		{ "-tmeta", "metadata" }, { "-cmeta", "metadata" }, { "-cdata", "cache" },
		{ "-cpool", "cache" },    { "-cvol", "cache" },     { "-cow", "store" },
	};
	char *uuid = attribute(volume, "uuid"), *name = attribute(volume, "name");
	const char *end = !strncmp(uuid, "LVM-", 4) ? strchr(uuid + 4, '-') : NULL;
	const char *role = "data";

	for (size_t i = 0; end && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(end, ends[i][0]))
			role = ends[i][1];
	if (!strncmp(uuid, "LVM-", 4) && strstr(name, "_rmeta_"))
		role = "metadata";
	free(uuid);
	free(name);
	return role;
}

/* The role of the device `slave` below `node`, if no entry of `types` tells it. */
static const char *slave_role(const struct node *node, const char *slave)
{
	if (!strcmp(node->kind, "multipath"))
		return "path";
	return !strcmp(node->kind, "partition") ? "partition-of" : volume_role(slave);
}

static unsigned int count_roles(size_t type)
{
	unsigned int n = 0;

	while (n < 3 && types[type].roles[n])
		n++;
	return n;
}

/*
 * The index in `types` of the entry with this table's type and number of devices; TYPES: there is
 * none, or the table has several targets.
 */
static size_t type_of(const struct estat_mapped_answer *table)
{
	size_t i = 0;

	while (i < TYPES && (table->targets != 1 || strcmp(types[i].type, table->type) ||
			     count_roles(i) != table->n))
		i++;
	return i;
}

static void stand(const struct graph *g, struct mapped *m)
{
	const struct estat_mapped_answer *table = &m->table;
	size_t type = type_of(table);
	char folder[512];

	for (unsigned int i = type < TYPES ? table->n : 0; i--;) {
		const struct node *below = graph_find(g, table->devices[i]);

		if (!below)
			continue;
		graph_stand(m->node, types[type].roles[i], below->name);
		if (!strcmp(types[type].roles[i], "store"))
			m->store = below->name;
		if (!strcmp(types[type].roles[i], "origin"))
			m->origin = below->name;
	}
	snprintf(folder, sizeof(folder), CLASS_BLOCK "/%s/slaves", m->node->name);
	if (!*m->node->below)
		stand_on_links(m->node, slave_role, folder);
}

/*
 * Have each device of type snapshot-origin stand on the stores of its snapshots. Before a write
 * replaces data of the origin, the kernel copies this data to the stores.
 */
static void add_stores(const struct graph *g, const struct mapped *all, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct node *origin = strcmp(all[i].table.type, "snapshot-origin")
						    ? NULL
						    : graph_find(g, all[i].table.devices[0]);

		for (unsigned int j = 0; origin && j < n; j++)
			if (all[j].store && all[j].origin && !strcmp(all[j].origin, origin->name))
				graph_stand(all[i].node, "store", all[j].store);
	}
}

void mapper_add(struct graph *g)
{
	struct mapped *all = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < g->n; i++)
		if (!strcmp(g->nodes[i]->kind, "dm")) {
			all = grow(all, n, sizeof(*all));
			all[n] = (struct mapped){ .node = g->nodes[i] };
			set_kind(&all[n++]);
		}
	for (unsigned int i = 0; i < n; i++)
		stand(g, &all[i]);
	add_stores(g, all, n);
	free(all);
}
