// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells which keys of layers belong to the target, and which layers can tell the target apart. */
#include <arpa/inet.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "facts.h"
#include "source/filter.h"
#include "target.h"

/* The axes that say where a key is; of several that a key has, the first counts. */
static const char *const place_axes[] = { "disk",   "namespace", "device", "dataset",
					  "volume", "export",    "pool" };

#define PLACE_AXES (sizeof(place_axes) / sizeof(place_axes[0]))

/*
 * The axis of a series that says of which place (disk, pool, ...) a key is; NULL: the series has no
 * axis of places.
 */
static const char *place_axis(const struct series *series)
{
	for (unsigned int i = 0; i < PLACE_AXES; i++)
		if (keys_have(series, place_axes[i]))
			return place_axes[i];
	return NULL;
}

static bool is_pool(const struct target *target, const char *name)
{
	for (unsigned int i = 0; i < target->npools; i++)
		if (!strcmp(target->pools[i], name))
			return true;
	return false;
}

static bool is_in_pool(const struct target *target, const char *name)
{
	for (unsigned int i = 0; i < target->npools; i++)
		if (is_dataset_of(name, target->pools[i]))
			return true;
	return false;
}

static bool device_is_called(const struct device *device, const char *name)
{
	for (unsigned int i = 0; device && i < device->nnames; i++) {
		const char *other = device->names[i], *volume = fact_volume(other);

		if (!strcmp(volume ? volume : other, name))
			return true;
	}
	return false;
}

/*
 * Is `name`, such as server:/export, the export of a key that has the values `server` and `export`
 * on the axes of these names? If target->address is NULL, a host name in `name`, not an IP
 * address, equals any `server`.
 */
static bool is_export(const struct target *target, const char *name, const char *server,
		      const char *export)
{
	const char *path = strstr(name, ":/");
	struct in6_addr address;
	char *host;
	bool is;

	if (!path || strcmp(path + 1, export))
		return false;
	host = xalloc(strndup(name, path - name));
	/*
	 * keys have the server's address; if the target's address is unknown, a host name in `name`
	 * can stand for any address
	 */
	is = !strcmp(host, server) ||
	     (!target->address && inet_pton(AF_INET, host, &address) != 1 &&
	      inet_pton(AF_INET6, host, &address) != 1);
	free(host);
	return is;
}

/*
 * Is the key of the part? `axis`: the axis that says where the key is; `value`: the key's value on
 * it.
 */
static bool has_part(const struct target *target, const struct part *part, const struct key *key,
		     const char *axis, const char *value)
{
	bool first = part == target->parts, guessed = !part->device && (!first || target->guessed);

	if (!strcmp(axis, "device") && !part->files)
		return false;
	if (!strcmp(axis, "export"))
		return is_export(target, part->name, key_axis(key, "server") ?: "", value);
	if (!strcmp(part->name, value) || device_is_called(part->device, value))
		return true;
	if (first && key->device && !strcmp(axis, "disk") && !strcmp(part->name, key->device))
		return true;
	if (first && is_in_pool(target, part->name))
		return is_dataset_of(value, part->name);
	return guessed && ((first && is_partition_of(value, part->name)) ||
			   (!strcmp(axis, "disk") && is_partition_of(part->name, value)));
}

static bool has_user(const struct target *target, const char *axis, const char *value)
{
	if (!strcmp(axis, "disk") || !strcmp(axis, "namespace"))
		return false;
	for (unsigned int i = 0; i < target->nusers; i++)
		if (!strcmp(target->users[i], value) ||
		    (is_pool(target, target->users[i]) && is_dataset_of(value, target->users[i])))
			return true;
	return false;
}

/*
 * Does a part above `part` have keys? If so, these keys already count the I/O of `part`.
 * present[i]: the part target->parts[i] has keys.
 */
static bool is_hidden(const struct target *target, const bool *present, const struct part *part)
{
	while (part->upper >= 0) {
		part = &target->parts[part->upper];
		if (present[part - target->parts])
			return true;
	}
	return false;
}

/* Set key->of_target of each key. Returns false if no key belongs to the target. */
static bool note_keys(const struct target *target, const struct series *keys, const char *axis)
{
	bool *present = xalloc(calloc(target->nparts + 1, sizeof(*present))), any = false;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned int k = 0; k < keys->nkeys; k++) {
			struct key *key = keys->keys[k];
			const char *value = key_axis(key, axis);

			key->of_target = value && has_user(target, axis, value);
			for (unsigned int p = 0; value && p < target->nparts; p++) {
				const struct part *part = &target->parts[p];

				if (!has_part(target, part, key, axis, value))
					continue;
				present[p] = true;
				key->of_target |= !is_hidden(target, present, part);
			}
			any |= key->of_target;
		}
	free(present);
	return any;
}

/*
 * For series without an axis that says where keys are: set key->of_target of keys with the target's
 * name as a value. Returns false if no key has the name.
 */
static bool note_others(const struct target *target, const struct series *keys)
{
	bool any = false;

	for (unsigned int k = 0; k < keys->nkeys; k++) {
		struct key *key = keys->keys[k];

		key->of_target = false;
		for (unsigned int a = 0; a < key->naxes; a++)
			key->of_target |= target->nparts &&
					  !strcmp(key->axes[a].value, target->parts[0].name);
		any |= key->of_target;
	}
	return any;
}

static bool note_layer(const struct target *target, const struct series *keys)
{
	const char *axis = place_axis(keys);

	return axis ? note_keys(target, keys, axis) : note_others(target, keys);
}

/*
 * Is it known which values the target's keys would have on this axis? If it is, a layer without
 * such a key has no operations of the target.
 */
static bool tells(const struct target *target, const char *axis)
{
	const char *name = target->nparts ? target->parts[0].name : "";
	bool pool = is_in_pool(target, name), on_pools = pool;

	for (unsigned int i = 0; i < target->nparts; i++)
		on_pools |= is_pool(target, target->parts[i].name);
	if (!strcmp(axis, "disk") || !strcmp(axis, "namespace"))
		return on_pools ? target->pools_known : target->placed;
	if (!strcmp(axis, "pool"))
		return on_pools || (target->placed && target->pools_known);
	return target->placed || pool;
}

/* Has any layer with this axis a key of the target? */
static bool others_tell(const struct target *target, const struct layers *layers, const char *axis)
{
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;
		const char *other = keys ? place_axis(keys) : NULL;

		if (other && !strcmp(other, axis) && note_layer(target, keys))
			return true;
	}
	return false;
}

bool target_restricts(const struct target *target)
{
	return target->name || target->options.nfilters;
}

enum relation target_relation(const struct target *target, const struct layers *layers,
			      const struct layer *layer)
{
	const char *axis;

	if (!target->name || !layer->keys)
		return RELATION_UNKNOWN;
	if (target->cgroup) {
		if (!keys_have(layer->keys, "cgroup"))
			return RELATION_UNKNOWN;
		for (unsigned int k = 0; k < layer->keys->nkeys; k++)
			layer->keys->keys[k]->of_target = true;
		return RELATION_SHOWN;
	}
	if (note_layer(target, layer->keys))
		return RELATION_SHOWN;
	axis = place_axis(layer->keys);
	return axis && (tells(target, axis) || others_tell(target, layers, axis))
		       ? RELATION_NONE
		       : RELATION_UNKNOWN;
}

/*
 * Is the target a mount of a dataset or, if the graph lacks the target, a dataset or volume by the
 * name POOL/X? False for the disk of a volume, such as zd0.
 */
static bool is_dataset(const struct target *target)
{
	const struct part *part = target->parts;

	if (!target->nparts)
		return false;
	return part->device && device_is_mount(part->device)
		       ? !strcmp(part->device->kind, "zfs")
		       : strchr(part->name, '/') && is_in_pool(target, part->name);
}

const char *target_lacks(const struct target *target, const struct layer *layer)
{
	for (unsigned int i = 0; i < target->options.nfilters; i++)
		if (!keys_have(layer->keys, target->options.filters[i].axis))
			return target->options.filters[i].axis;
	return NULL;
}

bool target_filtered(const struct target *target, const struct layer *layer)
{
	const char *axis = layer->keys ? place_axis(layer->keys) : NULL;

	if (target_lacks(target, layer))
		return false;
	/* a dataset's pool, and the pool's disks, have the operations of all datasets */
	return !axis || !is_dataset(target) ||
	       (strcmp(axis, "pool") && strcmp(axis, "disk") && strcmp(axis, "namespace"));
}

bool target_has(const struct target *target, const struct key *key, enum relation relation)
{
	for (unsigned int i = 0; i < target->options.nfilters; i++) {
		const char *axis = target->options.filters[i].axis;

		if (key_axis(key, axis) && !matches_filters(&target->options, key, axis))
			return false;
	}
	return relation == RELATION_UNKNOWN || (relation == RELATION_SHOWN && key->of_target);
}

void target_find_disks(struct target *target, const struct layers *layers, struct source *s)
{
	if (target->name && !target->cgroup)
		parts_find_pools(target, layers, s);
}

static bool any_matches(const struct layers *layers, const struct filter *filter)
{
	for (unsigned int i = 0; i < layers->n; i++)
		if (layers->layers[i].keys &&
		    series_matches(layers->layers[i].keys, filter->axis, filter->glob))
			return true;
	return false;
}

/* The name in the graph or in a key that is most like the target's; NULL: no name is like it. */
static const char *meant(const struct target *target, const struct layers *layers)
{
	const char **names = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < target->graph.n; i++) {
		names = grow(names, n, sizeof(*names));
		names[n++] = target->graph.devices[i]->name;
	}
	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;
		const char *axis = keys ? place_axis(keys) : NULL;

		for (unsigned int k = 0; axis && k < keys->nkeys; k++) {
			const char *value = key_axis(keys->keys[k], axis);

			names = grow(names, n, sizeof(*names));
			names[n++] = value ? value : "";
		}
	}
	return most_alike(target->name, names, n);
}

__attribute__((noreturn)) static void
die_unknown(const struct target *target, const struct layers *layers, const struct source *s)
{
	const char *like = meant(target, layers);
	bool path = *target->name == '/', process = !strncmp(target->name, "pid:", 4);

	die(EXIT_NO_DATA, "%s has no %s %s%s%s%s%s; `%s' lists names", source_name(s),
	    process      ? "process"
	    : !path      ? "disk, mount, pool, export, container, unit or cgroup"
	    : is_here(s) ? "file, mount, disk or cgroup"
			 : "mount, disk or cgroup",
	    target->name, like ? " (did you mean " : "", like ? like : "", like ? "?)" : "",
	    is_here(s) ? ""
	    : process  ? ": a process is known on its own host only"
	    : path     ? ": a file is known on its own host only"
		       : "",
	    command_to_type("help layers", NULL, false));
}

/*
 * Do keys of the layer show that the target exists? Keys with the axis pool or disk do not show
 * that a dataset exists, unless there is no graph (target->guessed). Keys of this host with the
 * axis disk show nothing, because a removed disk keeps its keys. A disk of this host that exists is
 * known without keys.
 */
static bool has_seen(const struct target *target, const struct layers *layers,
		     const struct layer *layer, bool here)
{
	const char *axis = layer->keys ? place_axis(layer->keys) : NULL;

	if (axis && is_dataset(target) && !target->guessed &&
	    (!strcmp(axis, "pool") || !strcmp(axis, "disk")))
		return false;
	if (axis && here && !strcmp(axis, "disk"))
		return false;
	return target_relation(target, layers, layer) == RELATION_SHOWN;
}

/*
 * If layers have keys of only one cgroup that matches the glob target->cgroup, set target->is to
 * "cgroup PATH", with the path of that cgroup.
 */
static void tell_cgroup(struct target *target, const struct layers *layers)
{
	const char *path = NULL;

	for (unsigned int i = 0; i < layers->n; i++) {
		const struct series *keys = layers->layers[i].keys;

		for (unsigned int k = 0; keys && k < keys->nkeys; k++) {
			const char *value = key_axis(keys->keys[k], "cgroup");

			if (!value || fnmatch(target->cgroup, value, 0))
				continue;
			if (path && strcmp(path, value))
				return;
			path = value;
		}
	}
	if (!path)
		return;
	free(target->is);
	target->is = xasprintf("cgroup %s", path);
}

void target_check(struct target *target, const struct layers *layers, struct source *s)
{
	bool known = !target->name || target->known;

	if (target->cgroup && !layers_have(layers, "cgroup"))
		die(EXIT_NO_DATA, "no module that tells cgroups apart runs on %s: see `%s'",
		    s->host, command_to_type("list", NULL, false));
	for (unsigned int i = 0; !known && !target->cgroup && i < layers->n; i++)
		known = has_seen(target, layers, &layers->layers[i], is_here(s));
	for (unsigned int i = 0; !known && target->cgroup && i < target->options.nfilters; i++)
		known = any_matches(layers, &target->options.filters[i]);
	if (!known)
		die_unknown(target, layers, s);
	if (target->cgroup && !target->known)
		tell_cgroup(target, layers);
}
