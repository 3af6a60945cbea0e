// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"
#include "source/texts.h"

/* The most parts of a target. A node that is reached in several ways counts several times. */
#define MAX_PARTS 4096

bool is_here(const struct source *s)
{
	return !s->archive && !strncmp(s->where, "local:", 6);
}

bool is_dataset_of(const char *part, const char *of)
{
	size_t length = strlen(of);

	return length && !strncmp(part, of, length) &&
	       (!part[length] || part[length] == '/' || part[length] == '@');
}

bool is_partition_of(const char *part, const char *of)
{
	size_t length = strlen(of);

	if (!length || strncmp(part, of, length))
		return false;
	part += length;
	if (!*part)
		return true;
	if (isdigit((unsigned char)of[length - 1]) && *part++ != 'p')
		return false;
	return *part && strspn(part, "0123456789") == strlen(part);
}

/*
 * Has parts[upper], or a part above parts[upper], this name? Then a part of this name below
 * parts[upper] would close a cycle, as the graph of a source can have, so add_part() does not add
 * the part.
 */
static bool is_above(const struct target *target, const char *name, int upper)
{
	for (; upper >= 0; upper = target->parts[upper].upper)
		if (!strcmp(target->parts[upper].name, name))
			return true;
	return false;
}

/*
 * Add a part below parts[upper]. Returns the part's index; -1: parts[upper] has the part already,
 * the part would close a cycle, or the target has too many parts.
 */
static int add_part(struct target *target, const char *name, const struct device *device, int upper)
{
	const struct part *above = upper >= 0 ? &target->parts[upper] : NULL;
	bool mounted = above && above->device ? device_is_mount(above->device)
					      : above && *above->name == '/';

	if (target->nparts == MAX_PARTS || is_above(target, name, upper))
		return -1;
	for (unsigned int i = 0; i < target->nparts; i++)
		if (target->parts[i].upper == upper && !strcmp(target->parts[i].name, name))
			return -1;
	target->parts = grow(target->parts, target->nparts, sizeof(*target->parts));
	target->parts[target->nparts] = (struct part){
		.name = name,
		.device = device,
		.upper = upper,
		.files = !above || mounted || *name == '/',
	};
	return target->nparts++;
}

void parts_add(struct target *target, const struct device *device, int upper)
{
	int part = add_part(target, device->name, device, upper);

	for (unsigned int i = 0; part >= 0 && i < device->nbelow; i++)
		parts_add(target, device->below[i].device, part);
}

/* Add all disks below a disk of this host (device mapper, md), at any depth. */
static void add_slaves(struct target *target, int part)
{
	char *path = xasprintf("/sys/class/block/%s/slaves", target->parts[part].name);
	struct dirent *entry;
	DIR *dir = opendir(path);

	free(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			parts_add_disk(target, entry->d_name, part, true);
	if (dir)
		closedir(dir);
}

void parts_add_disk(struct target *target, const char *name, int upper, bool here)
{
	bool path = !strncmp(name, "/dev/", 5);
	char *real = here && path ? realpath(name, NULL) : NULL;
	const char *disk = real ? real : name;
	const struct device *device = devices_find(&target->graph, name);
	int part;

	disk = path ? strrchr(disk, '/') + 1 : disk;
	if (!device)
		device = devices_find(&target->graph, disk);
	if (device) {
		parts_add(target, device, upper);
	} else {
		part = add_part(target, xalloc(strdup(disk)), NULL, upper);
		if (part >= 0 && here)
			add_slaves(target, part);
	}
	free(real);
}

static void add_user(struct target *target, const char *name)
{
	target->users = grow(target->users, target->nusers, sizeof(*target->users));
	target->users[target->nusers++] = name;
}

/*
 * Is `device` the target, or does `device` stand on the target? What stands on a mount does not
 * count: an overlay, or a loop device with a file in a mount, does I/O to the mount, not to the
 * mount's disk. `depth`: how many levels below `device` are searched.
 */
static bool uses(const struct device *device, const struct device *target, unsigned int depth)
{
	if (device == target)
		return true;
	for (unsigned int i = 0; depth && i < device->nbelow; i++) {
		const struct below *below = &device->below[i];

		if (!device_is_mount(below->device) && uses(below->device, target, depth - 1))
			return true;
	}
	return false;
}

#define DEPTH 16 /* how many levels below a device uses() searches */

void parts_find_users(struct target *target)
{
	const struct device *of = target->nparts ? target->parts[0].device : NULL;

	if (!of)
		return;
	for (unsigned int i = 0; i < target->graph.n; i++) {
		const struct device *device = target->graph.devices[i];

		if (device == of || !uses(device, of, DEPTH))
			continue;
		add_user(target, device->name);
		for (unsigned int j = 0; j < device->nnames; j++)
			add_user(target, device->names[j]);
		/* keys of a Btrfs can name any of its devices, not only the target */
		for (unsigned int j = 0; device_is_mount(device) && j < device->nbelow; j++)
			add_user(target, device->below[j].device->name);
	}
}

/* Is the path a disk's own name, /dev/sdb1 or /dev/mapper/mpatha, and not /dev/disk/by-id/...? */
static bool is_disk(const char *device)
{
	size_t mapper = strlen("/dev/mapper/");

	return !strchr(
		device + (strncmp(device, "/dev/mapper/", mapper) ? strlen("/dev/") : mapper), '/');
}

/* Cut the value before the first "::" off a key, as strsep(3) does. Values may contain ":". */
static char *next_value(char **rest)
{
	char *value = *rest, *end = value ? strstr(value, "::") : NULL;

	*rest = end ? end + 2 : NULL;
	if (end)
		*end = '\0';
	return value;
}

/* A pool, and what is known of its disks. */
struct pool {
	/* index of the target's part that is the pool; -1: the target does not stand on the pool */
	int part;
	bool known; /* the graph has the pool's disks */
	bool has;   /* the graph has the pool, or take_key() found a known disk of the pool */
	bool lacks; /* the graph lacks the pool, and take_key() found an unknown disk of the pool */
	/* the pool stands on the target; or the graph has the pool, and the pool is the target */
	bool uses;
};

static bool is_of_target(const struct target *target, const char *disk)
{
	const struct device *device = devices_find(&target->graph, disk);
	const struct part *part = target->parts;
	const char *name = strncmp(disk, "/dev/", 5) ? disk : strrchr(disk, '/') + 1;

	if (device && part->device)
		return uses(device, part->device, DEPTH);
	return is_partition_of(name, part->name);
}

/*
 * Take the disk of a key, such as tank::/dev/sdb1::write, if the graph lacks the disks of the key's
 * pool: set in pools[] whether the disk is known, and whether the disk is the target or stands on
 * the target. If the target stands on the pool and the disk is known, add the disk to
 * target->parts. A disk is known if its name is_disk(), if the graph has it or, with `here`, if its
 * path exists. `here`: the source is this host, live.
 */
static void take_key(struct target *target, struct pool *pools, const char *key, bool here)
{
	char *text = xalloc(strdup(key)), *rest = text, *value, *disk = NULL;
	struct pool *pool = NULL;

	while ((value = next_value(&rest)))
		if (!strncmp(value, "/dev/", 5))
			disk = value;
		else
			for (unsigned int i = 0; !pool && i < target->npools; i++)
				if (!strcmp(value, target->pools[i]))
					pool = &pools[i];
	if (pool && disk && !pool->known) {
		bool known = is_disk(disk) || devices_find(&target->graph, disk) ||
			     (here && !access(disk, F_OK));

		pool->has |= known;
		pool->lacks |= !known;
		pool->uses |= target->nparts && is_of_target(target, disk);
		if (known && pool->part >= 0)
			parts_add_disk(target, disk, pool->part, here);
	}
	free(text);
}

/* The metrics named estat.LAYER.ops or estat.LAYER.*.ops, of all layers, without *.total.ops. */
struct groups {
	unsigned int n;
	char **ops; /* the metrics' names, such as estat.zio.vdev.ops */
};

static void take_group(const char *metric, void *closure)
{
	struct groups *groups = closure;
	const char *leaf = strrchr(metric, '.');

	if (strcmp(leaf, ".ops") || !strncmp(leaf - strlen(".total"), ".total", strlen(".total")))
		return;
	groups->ops = grow(groups->ops, groups->n, sizeof(*groups->ops));
	groups->ops[groups->n++] = xalloc(strdup(metric));
}

static void read_pools(struct target *target, const struct layers *layers)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int k = 0; keys && k < keys->nkeys; k++) {
			const char *pool = key_axis(keys->keys[k], "pool");
			unsigned int p = 0;

			while (pool && p < target->npools && strcmp(target->pools[p], pool))
				p++;
			if (!pool || p < target->npools)
				continue;
			target->pools = grow(target->pools, p, sizeof(*target->pools));
			target->pools[target->npools++] = xalloc(strdup(pool));
		}
	}
}

/*
 * Add the pool of the dataset parts[upper], and the pool's disks if the graph has them. Returns the
 * index of the pool's part.
 */
static int add_pool_part(struct target *target, char *pool, int upper)
{
	const struct device *device = devices_pool(&target->graph, pool);
	int part = target->nparts;

	if (!device)
		return add_part(target, pool, NULL, upper);
	parts_add(target, device, upper);
	return part;
}

/*
 * The index of the part that is the pool. If a part is a dataset of the pool, but no part is the
 * pool, add the pool as a part. -1: the target does not stand on the pool.
 */
static int pool_part(struct target *target, char *pool)
{
	for (unsigned int i = 0; i < target->nparts; i++) {
		const char *name = target->parts[i].name;

		if (!strcmp(name, pool))
			return i;
		if (is_dataset_of(name, pool))
			return add_pool_part(target, pool, i);
	}
	return -1;
}

/* What the graph of devices tells of a pool. Calls pool_part(), which can add parts. */
static struct pool find_pool(struct target *target, char *name)
{
	const struct device *device = devices_pool(&target->graph, name);
	const struct device *of = target->nparts ? target->parts[0].device : NULL;

	return (struct pool){
		.part = pool_part(target, name),
		.known = device,
		.has = device,
		.uses = device && of && uses(device, of, DEPTH),
	};
}

void parts_find_pools(struct target *target, const struct layers *layers, struct source *s)
{
	unsigned int before;
	struct groups groups = { 0 };
	struct pool *pools;

	read_pools(target, layers);
	pools = xalloc(calloc(target->npools + 1, sizeof(*pools)));
	for (unsigned int i = 0; i < target->npools; i++)
		pools[i] = find_pool(target, target->pools[i]);
	before = target->nparts;
	for (unsigned int i = 0; i < layers->n; i++) {
		char *prefix = xasprintf("estat.%s", layers->layers[i].name);

		pmTraversePMNS_r(prefix, take_group, &groups);
		free(prefix);
	}
	for (unsigned int i = 0; i < groups.n; i++) {
		struct text *keys;
		unsigned int n = source_texts(s, groups.ops[i], &keys);

		for (unsigned int k = 0; k < n; k++)
			take_key(target, pools, keys[k].instance, is_here(s));
		texts_free(keys, n);
		free(groups.ops[i]);
	}
	free(groups.ops);
	target->pools_known = true;
	for (unsigned int i = 0; i < target->npools; i++) {
		target->pools_known &= pools[i].has && !pools[i].lacks;
		if (pools[i].uses)
			add_user(target, target->pools[i]);
		/* figures of only some of the pool's disks would mislead */
		if (pools[i].part >= 0 && pools[i].lacks)
			target->nparts = before;
	}
	free(pools);
}
