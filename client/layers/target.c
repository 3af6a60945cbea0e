// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the names that keys of layers have for a target. /proc/self/mounts has the source of a
 * mount of this host; PCP's metric filesys.mountdir has that of another host or of an archive.
 */
#include <ctype.h>
#include <dirent.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"
#include "source/filter.h"
#include "source/texts.h"

/*
 * Is `part` equal to `of`, a dataset below the pool or dataset `of` (tank/a, not tank2, below
 * tank), or with `disk` a partition of the disk `of` (sda1 of sda, nvme0n1p1 of nvme0n1)?
 */
static bool is_same_or_child(const char *part, const char *of, bool disk)
{
	size_t length = strlen(of);

	if (!length || strncmp(part, of, length))
		return false;
	part += length;
	if (!*part || *part == '/')
		return true;
	if (!disk)
		return false;
	if (isdigit((unsigned char)of[length - 1]) && *part++ != 'p')
		return false;
	return *part && strspn(part, "0123456789") == strlen(part);
}

static bool is_in_pool(const struct target *target, const char *name)
{
	for (unsigned int i = 0; i < target->npools; i++)
		if (is_same_or_child(name, target->pools[i], false))
			return true;
	return false;
}

static enum relation name_relation(const struct target *target, const char *value, bool pool)
{
	bool disk = !pool && !is_in_pool(target, target->names[0]) && !is_in_pool(target, value);

	if (is_same_or_child(value, target->names[0], disk))
		return RELATION_SAME_OR_CHILD;
	if (is_same_or_child(target->names[0], value, disk))
		return RELATION_PARENT;
	for (unsigned int i = 1; i < target->n; i++)
		if (is_same_or_child(value, target->names[i], true) ||
		    is_same_or_child(target->names[i], value, true))
			return RELATION_BACKING;
	return RELATION_NONE;
}

/* A key's relation to the target by one axis: by the value or, if nearer, by key->device. */
static enum relation axis_relation(const struct target *target, const struct key *key,
				   unsigned int axis)
{
	const char *name = key->axes[axis].name;
	enum relation relation =
		name_relation(target, key->axes[axis].value, !strcmp(name, "pool"));
	enum relation other = key->device && !strcmp(name, "disk")
				      ? name_relation(target, key->device, false)
				      : RELATION_NONE;

	return relation < other ? relation : other;
}

static enum relation key_relation(const struct target *target, const struct key *key)
{
	enum relation nearest = RELATION_NONE;

	for (unsigned int a = 0; a < key->naxes; a++) {
		enum relation relation = axis_relation(target, key, a);

		nearest = relation < nearest ? relation : nearest;
	}
	return nearest;
}

static bool keys_have(const struct series *series, const char *axis)
{
	return has_axis(&series->layout, axis) ||
	       (series->nkeys && key_axis(series->keys[0], axis));
}

/* Does any layer have a key of the target, found by an axis that `series` has as well? */
static bool tells_apart(const struct target *target, const struct layers *layers,
			const struct series *series)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int k = 0; keys && k < keys->nkeys; k++)
			for (unsigned int a = 0; a < keys->keys[k]->naxes; a++)
				if (axis_relation(target, keys->keys[k], a) != RELATION_NONE &&
				    keys_have(series, keys->keys[k]->axes[a].name))
					return true;
	}
	return false;
}

bool target_restricts(const struct target *target)
{
	return target->name || target->o->nfilters;
}

enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer)
{
	enum relation nearest = RELATION_NONE;

	if (!target->name || !layer->keys)
		return RELATION_UNKNOWN;
	for (unsigned int k = 0; k < layer->keys->nkeys; k++) {
		enum relation relation = key_relation(target, layer->keys->keys[k]);

		nearest = relation < nearest ? relation : nearest;
	}
	if (nearest == RELATION_NONE && !tells_apart(target, layers, layer->keys))
		return RELATION_UNKNOWN;
	return nearest;
}

bool target_filtered(const struct target *target, const struct layer *layer)
{
	for (unsigned int i = 0; i < target->o->nfilters; i++)
		if (!layer->keys || !keys_have(layer->keys, target->o->filters[i].axis))
			return false;
	return true;
}

bool target_has(const struct target *target, const struct key *key, enum relation relation)
{
	for (unsigned int i = 0; i < target->o->nfilters; i++) {
		const char *axis = target->o->filters[i].axis;

		if (key_axis(key, axis) && !matches_filters(target->o, key, axis))
			return false;
	}
	return relation == RELATION_UNKNOWN ||
	       (relation != RELATION_NONE && key_relation(target, key) == relation);
}

static void add_text(char ***texts, unsigned int *n, const char *text)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp((*texts)[i], text))
			return;
	*texts = grow(*texts, *n, sizeof(**texts));
	(*texts)[(*n)++] = xalloc(strdup(text));
}

/* Do the metrics come from this host, whose /proc and /sys can be read? */
static bool is_here(const struct source *s)
{
	return !s->archive && !strncmp(s->where, "local:", 6);
}

/* Add to target->names all disks below a disk of this host (device mapper, md), at any depth. */
static void add_slaves(struct target *target, const char *disk)
{
	char *path = xasprintf("/sys/class/block/%s/slaves", disk);
	struct dirent *entry;
	DIR *dir = opendir(path);

	free(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.') {
			add_text(&target->names, &target->n, entry->d_name);
			add_slaves(target, entry->d_name);
		}
	if (dir)
		closedir(dir);
}

/* Add a mount's source: /dev/sda1, tank/data, server:/export. `here`: the mount is of this host. */
static void add_mounted(struct target *target, const char *what, bool here)
{
	bool device = !strncmp(what, "/dev/", 5);
	char *real = here && device ? realpath(what, NULL) : NULL;
	const char *name = real ? real : what;

	name = device ? strrchr(name, '/') + 1 : name;
	add_text(&target->names, &target->n, name);
	if (here && device)
		add_slaves(target, name);
	free(real);
}

/* Find the target among this host's mounts. The last mount on a directory hides earlier mounts. */
static void find_mount_here(struct target *target)
{
	FILE *f = setmntent("/proc/self/mounts", "r");
	char *what = NULL;
	struct mntent *mount;

	while (f && (mount = getmntent(f)))
		if (!strcmp(mount->mnt_dir, target->name)) {
			free(what);
			what = xalloc(strdup(mount->mnt_fsname));
		}
	if (f)
		endmntent(f);
	if (what)
		add_mounted(target, what, true);
	free(what);
}

static void find_mount(struct target *target, struct source *s)
{
	struct text *mounts;
	unsigned int n;

	if (is_here(s)) {
		find_mount_here(target);
	} else {
		n = source_texts(s, "filesys.mountdir", &mounts);
		for (unsigned int i = 0; i < n; i++)
			if (!strcmp(mounts[i].value, target->name))
				add_mounted(target, mounts[i].instance, false);
	}
	if (!target->n)
		die(EXIT_NO_DATA, "%s has no mount %s%s", s->archive ? s->where : s->host,
		    target->name, s->archive ? " (in filesys.mountdir)" : "");
}

/* A copy of a path without the slashes at its end, which completion in shells adds. */
static const char *strip_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return xalloc(strndup(path, length));
}

void target_find(struct target *target, const char *name, const struct options *o, struct source *s)
{
	if (name && *name == '/')
		name = strip_slashes(name);
	*target = (struct target){ .name = name, .o = o };
	if (name && *name == '/') {
		find_mount(target, s);
	} else if (name) {
		add_text(&target->names, &target->n, name);
		if (is_here(s))
			add_slaves(target, name);
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

/*
 * If a key such as tank::/dev/sdb1::write has the target and a device, add the device's disk as a
 * backing disk. Returns false if the disk is unknown: a dangling link, or another host's link.
 */
static bool take_device(struct target *target, const char *key, bool here)
{
	char *text = xalloc(strdup(key)), *rest = text, *value, *device = NULL;
	bool there = false, known;

	while ((value = next_value(&rest)))
		if (!strncmp(value, "/dev/", 5))
			device = value;
		else
			there |= is_same_or_child(target->names[0], value, false);
	known = !there || !device || is_disk(device) || (here && !access(device, F_OK));
	if (there && device && known)
		add_mounted(target, device, here);
	free(text);
	return known;
}

static void find_pools(struct target *target, const struct layers *layers)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int k = 0; keys && k < keys->nkeys; k++) {
			const char *pool = key_axis(keys->keys[k], "pool");

			if (pool)
				add_text(&target->pools, &target->npools, pool);
		}
	}
}

/* The metrics estat.LAYER.ops and estat.LAYER.GROUP.ops of all layers. */
struct groups {
	unsigned int n;
	char **ops; /* estat.zio.vdev.ops */
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

/* Call take_device() for each instance name of a metric. Returns false if a disk is unknown. */
static bool take_keys(struct target *target, const char *ops, struct source *s)
{
	struct text *keys;
	unsigned int n = source_texts(s, ops, &keys);
	bool known = true;

	for (unsigned int i = 0; i < n; i++)
		known &= take_device(target, keys[i].instance, is_here(s));
	return known;
}

void target_find_disks(struct target *target, const struct layers *layers, struct source *s)
{
	unsigned int before = target->n;
	struct groups groups = { 0 };
	bool known = true;

	if (!target->name)
		return;
	find_pools(target, layers);
	for (unsigned int i = 0; i < layers->n; i++) {
		char *prefix = xasprintf("estat.%s", layers->layers[i].name);

		pmTraversePMNS_r(prefix, take_group, &groups);
		free(prefix);
	}
	for (unsigned int i = 0; i < groups.n; i++) {
		known &= take_keys(target, groups.ops[i], s);
		free(groups.ops[i]);
	}
	free(groups.ops);
	if (!known) /* an incomplete list of disks would give wrong figures */
		target->n = before;
}

static bool any_has_axis(const struct layers *layers, const char *axis)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (layers->layers[i].keys && keys_have(layers->layers[i].keys, axis))
			return true;
	return false;
}

static bool any_matches(const struct layers *layers, const struct filter *filter)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (layers->layers[i].keys &&
		    series_matches(layers->layers[i].keys, filter->axis, filter->glob))
			return true;
	return false;
}

/* A list of an axis' values in all layers; `axis` NULL: the values of all axes except op. */
static char *all_values(const struct layers *layers, const char *axis)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int a = 0; keys && a < keys->layout.naxes; a++)
			if (axis ? !strcmp(keys->layout.axes[a], axis)
				 : strcmp(keys->layout.axes[a], "op") != 0)
				fprintf(f, "\n  %s %s: %s", layers->layers[i].name,
					keys->layout.axes[a],
					values_seen(keys, keys->layout.axes[a]));
	}
	fclose(f);
	return xalloc(text);
}

void target_check(const struct target *target, const struct layers *layers)
{
	bool known = !target->name;

	for (unsigned int i = 0; i < layers->n; i++)
		known |= target_relation(target, layers, &layers->layers[i]) < RELATION_NONE;
	if (!known)
		die(EXIT_NO_DATA, "no layer has seen %s; seen were:%s", target->name,
		    all_values(layers, NULL));
	for (unsigned int i = 0; i < target->o->nfilters; i++) {
		const struct filter *filter = &target->o->filters[i];

		if (!any_has_axis(layers, filter->axis))
			die(EXIT_USAGE, "no layer has an axis %s", filter->axis);
		if (!any_matches(layers, filter))
			die(EXIT_NO_DATA, "no layer has seen the %s %s; seen were:%s", filter->axis,
			    filter->glob, all_values(layers, filter->axis));
	}
}
