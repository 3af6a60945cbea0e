// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "once.h"
#include "sorted.h"

/* A disk of the series. At least one of the disk's keys is shown and not idle. */
struct disk {
	const char *name;
	const struct device *device; /* NULL: the graph lacks it */
	double waiting;              /* sum of latencies, ns */
	bool over, under;   /* the disk stands on another disk; another disk stands on it */
	unsigned int stack; /* the disks of one stack have the same number */
};

/*
 * Set *disks to the disks of the keys that are shown and not idle. Until once_find() knows the
 * stacks, `twice` marks these keys. `keys` are sorted by disk. Returns the number of disks.
 */
static unsigned int find_disks(const struct series *series, const struct devices *graph,
			       const struct key **keys, struct disk **disks)
{
	unsigned int n = 0;

	*disks = NULL;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *name = key_axis(keys[k], "disk");

		if (!name || !keys[k]->twice)
			continue;
		if (!n || strcmp((*disks)[n - 1].name, name)) {
			*disks = grow(*disks, n, sizeof(**disks));
			(*disks)[n] = (struct disk){
				.name = name,
				.device = devices_node(graph, name),
				.stack = n,
			};
			n++;
		}
		(*disks)[n - 1].waiting += keys[k]->values.sum_ns;
	}
	return n;
}

/* Make one stack of the stacks of two disks, of which `over` stands on `under`. */
static void join(struct disk *disks, unsigned int n, struct disk *over, struct disk *under)
{
	unsigned int old = under->stack;

	over->over = under->under = true;
	for (unsigned int i = 0; i < n; i++)
		if (disks[i].stack == old)
			disks[i].stack = over->stack;
}

static void find_stacks(struct disk *disks, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; disks[i].device && j < n; j++)
			if (i != j && disks[j].device &&
			    device_stands_on(disks[i].device, disks[j].device))
				join(disks, n, &disks[i], &disks[j]);
}

/* Are the operations of a stack counted at its uppermost disks? If not, at its lowest. */
static bool uppermost_count(const struct disk *disks, unsigned int n, unsigned int stack)
{
	double uppermost = 0, lowest = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (disks[i].stack != stack)
			continue;
		uppermost += disks[i].under ? 0 : disks[i].waiting;
		lowest += disks[i].over ? 0 : disks[i].waiting;
	}
	return uppermost >= lowest;
}

static bool counts_twice(const struct disk *disks, unsigned int n, const struct disk *disk)
{
	if (!disk->over && !disk->under)
		return false;
	return uppermost_count(disks, n, disk->stack) ? disk->under : disk->over;
}

void once_find(const struct series *series, const struct devices *graph,
	       bool (*shown)(const struct key *key, const void *context), const void *context)
{
	bool stacked = devices_are_stacked(graph);
	const struct key **keys;
	struct disk *disks;
	unsigned int n;

	if (!series->nkeys || !key_axis(series->keys[0], "disk"))
		return;
	/* until the stacks are known, `twice` tells whether the key is shown and not idle */
	for (unsigned int k = 0; k < series->nkeys; k++)
		series->keys[k]->twice = stacked && !values_idle(&series->keys[k]->values) &&
					 shown(series->keys[k], context);
	if (!stacked)
		return;
	keys = keys_by(series, "disk");
	n = find_disks(series, graph, keys, &disks);
	find_stacks(disks, n);
	for (unsigned int k = 0, i = 0; k < series->nkeys; k++) {
		const char *name = key_axis(keys[k], "disk") ?: "";

		while (i < n && strcmp(disks[i].name, name) < 0)
			i++;
		((struct key *)keys[k])->twice = i < n && !strcmp(disks[i].name, name) &&
						 counts_twice(disks, n, &disks[i]);
	}
	free(disks);
	free(keys);
}
