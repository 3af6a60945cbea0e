// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "lib/xalloc.h"
#include "place.h"
#include "source/texts.h"

/* On the way to a node, disks_below() passes fewer mounts and partitions than this. */
#define MAX_MOUNTS 4

/*
 * Add to graph->disks the disk of a key such as tank::/dev/sdb1::write, if the graph lacks the
 * pool's disks. Values may contain ":".
 */
static void take_vdev(struct graph *graph, const char *key)
{
	const char *vdev = strstr(key, "::"), *end = vdev ? strstr(vdev + 2, "::") : NULL;
	const struct device *device;
	struct pool_disk *disk;
	char *path;

	if (!end || devices_pool(graph->devices, key))
		return;
	vdev += 2;
	path = xalloc(strndup(vdev, end - vdev));
	device = devices_find(graph->devices, path);
	graph->disks = grow(graph->disks, graph->ndisks, sizeof(*graph->disks));
	disk = &graph->disks[graph->ndisks++];
	disk->pool = xalloc(strndup(key, vdev - 2 - key));
	disk->disk = xalloc(strdup(device                       ? device->name
				   : !strncmp(path, "/dev/", 5) ? strrchr(path, '/') + 1
								: path));
	free(path);
}

void graph_read(struct graph *graph, const struct devices *devices, struct source *s)
{
	struct text *keys;
	unsigned int n;

	graph->devices = devices;
	n = source_texts(s, POOL_DISKS, &keys);
	for (unsigned int i = 0; i < n; i++)
		take_vdev(graph, keys[i].instance);
	texts_free(keys, n);
}

const char *graph_mount(const struct graph *graph, const char *place)
{
	const struct device *device;

	if (!place || strncmp(place, "0:", 2))
		return NULL;
	device = devices_find(graph->devices, place);
	return device && device_is_mount(device) ? device->name : NULL;
}

bool place_has(const struct place *place, const char *name)
{
	for (unsigned int i = 0; i < place->n; i++)
		if (!strcmp(place->members[i].name, name))
			return true;
	return false;
}

static void add_member(struct place *place, const char *name, unsigned int depth)
{
	if (place_has(place, name))
		return;
	place->members = grow(place->members, place->n, sizeof(*place->members));
	place->members[place->n++] = (struct member){ name, depth };
}

bool is_partition(const struct below *below)
{
	return !strcmp(below->role, "partition-of");
}

/*
 * Add what a device stands on directly. A disk gets the depth of its partition, because keys name
 * the disk, not the partition. A vdev that is no block device gets the depth of its pool, because
 * keys name the pool.
 */
static void add_below(struct place *place, const struct device *device, unsigned int depth)
{
	for (unsigned int i = 0; i < device->nbelow; i++) {
		const struct below *below = &device->below[i];

		add_member(place, below->device->name,
			   depth + !(is_partition(below) || device_is_vdev(below->device)));
	}
}

const struct below *device_part(const struct device *device, const char *name)
{
	for (unsigned int i = 0; i < device->nbelow; i++)
		if (!strcmp(device->below[i].device->name, name))
			return &device->below[i];
	return NULL;
}

bool device_has_files(const struct device *device)
{
	for (unsigned int i = 0; i < device->nbelow; i++) {
		const struct device *below = device->below[i].device;

		if (device_is_mount(below) || (device_is_vdev(below) && device_has_files(below)))
			return true;
	}
	return false;
}

/*
 * If the place is a device of a file system, add the file system's other devices, such as its log.
 */
static void add_siblings(struct place *place, const struct devices *devices)
{
	for (unsigned int i = 0; i < devices->n; i++) {
		const struct device *mount = devices->devices[i];

		if (!device_is_mount(mount) || !strcmp(mount->kind, "overlay") ||
		    !device_part(mount, place->name))
			continue;
		for (unsigned int j = 0; j < mount->nbelow; j++)
			add_member(place, mount->below[j].device->name, 0);
	}
}

/*
 * Add a pool, or the pool of a dataset, and those of the pool's disks that are in graph->disks.
 * Returns false if neither graph->disks nor graph->devices has a disk of the pool.
 */
static bool add_pool(struct place *place, const struct graph *graph, const char *name,
		     unsigned int depth)
{
	const struct device *known = devices_pool(graph->devices, name);
	size_t length = strcspn(name, "/");
	bool found = known;

	if (known)
		add_member(place, known->name, depth);
	for (unsigned int i = 0; i < graph->ndisks; i++) {
		const char *pool = graph->disks[i].pool;

		if (strlen(pool) != length || strncmp(pool, name, length))
			continue;
		found = true;
		add_member(place, pool, depth);
		add_member(place, graph->disks[i].disk, depth + 1);
	}
	return found;
}

/* Add the nodes named PLACE::X: the LUNs of an iSCSI target, or the vdevs of a pool. */
static void add_luns(struct place *place, const struct devices *devices)
{
	for (unsigned int i = 0; i < devices->n; i++)
		if (device_is_at(devices->devices[i], place->name))
			add_member(place, devices->devices[i]->name, 0);
}

void place_find(struct place *place, const struct graph *graph, const char *name)
{
	bool lacks = false; /* the disks of a pool are unknown */

	*place = (struct place){ .name = name };
	add_member(place, name, 0);
	if (*name == '/') {
		/*
		 * the place is a directory that an NFS server exports: the place counts as known,
		 * and as standing on no device of this host
		 */
		place->known = true;
		return;
	}
	add_siblings(place, graph->devices);
	add_luns(place, graph->devices);
	for (unsigned int i = 0; i < place->n; i++) {
		struct member member = place->members[i];
		const struct device *device = devices_find(graph->devices, member.name);

		if (device)
			add_member(place, device->name, member.depth);
		for (unsigned int k = 0; device && k < device->nnames; k++)
			if (fact_volume(device->names[k]))
				add_member(place, fact_volume(device->names[k]), member.depth);
		if (device)
			add_below(place, device, member.depth);
		if (add_pool(place, graph, member.name, member.depth))
			place->known = true;
		else if (device && !strcmp(device->kind, "pool"))
			lacks = true;
		place->known |= device != NULL;
	}
	place->known &= !lacks;
}

void place_free(struct place *place)
{
	free(place->members);
}

const char *key_place_axis(const struct key *key)
{
	static const char *const axes[] = { "disk",   "namespace", "device", "volume",
					    "export", "pool",      "target" };

	for (unsigned int i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (key_axis(key, axes[i]))
			return axes[i];
	return NULL;
}

const char *key_place(const struct key *key)
{
	const char *axis = key_place_axis(key);

	return axis ? key_axis(key, axis) : NULL;
}

/*
 * Is `name` the name of the member, or of the pool or dataset that the member is in? Or, if the
 * member is server:/path, is `name` /path?
 */
static bool is_member(const struct member *member, const char *name)
{
	const char *path = strstr(member->name, ":/");
	size_t length = strlen(name);

	if (path && !strcmp(path + 1, name))
		return true;
	return !strncmp(member->name, name, length) &&
	       (!member->name[length] || (member->name[length] == '/' && *name != '/'));
}

bool place_is_stacked(const struct place *place)
{
	for (unsigned int i = 0; i < place->n; i++)
		if (place->members[i].depth)
			return true;
	return false;
}

unsigned int place_depth(const struct place *place, const struct key *key)
{
	const char *name = key_place(key);
	unsigned int depth = NOT_IN_PLACE;

	for (unsigned int i = 0; name && i < place->n; i++)
		if (is_member(&place->members[i], name) && place->members[i].depth < depth)
			depth = place->members[i].depth;
	return depth;
}

/*
 * Add the nodes on which a device stands directly: disks, a pool, an export, ... In place of a
 * partition, add the partition's disk. In place of a mount, on which a loop device stands with its
 * file, add the nodes on which the mount stands. `depth` limits how many partitions and mounts may
 * follow each other, because mounts can form a cycle.
 */
static void add_disks(const struct device *device, const char ***disks, unsigned int *n,
		      unsigned int depth)
{
	for (unsigned int i = 0; i < device->nbelow && depth; i++) {
		const struct device *below = device->below[i].device;
		bool part = below->nbelow && is_partition(&below->below[0]);

		if (part || device_is_mount(below)) {
			add_disks(below, disks, n, depth - 1);
			continue;
		}
		*disks = grow(*disks, *n, sizeof(**disks));
		(*disks)[(*n)++] = below->name;
	}
}

unsigned int disks_below(const struct graph *graph, const char *disk, const char ***below)
{
	const struct device *device = devices_find(graph->devices, disk);
	unsigned int n = 0;

	*below = NULL;
	if (device)
		add_disks(device, below, &n, MAX_MOUNTS);
	return n;
}
