// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out what the name of a target stands for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "resolve.h"
#include "source/texts.h"
#include "target.h"

static void take_node(struct target *target, const struct device *device)
{
	char *is = device_text(device);

	target->known = target->placed = true;
	target->is = is;
	if (strcmp(device->name, target->name)) {
		target->is = xasprintf("%s, %s", device->name, is);
		free(is);
	}
	parts_add(target, device, -1);
	parts_find_users(target);
}

/*
 * Make the mount at `directory` the target: its node or, if the graph lacks the mount, a part named
 * `directory` and, below it, the part `source`. `here`: the source of metrics is this host.
 */
static void take_mount(struct target *target, const char *directory, const char *type,
		       const char *source, bool here)
{
	const struct device *device = devices_find(&target->graph, directory);

	if (device) {
		take_node(target, device);
		return;
	}
	target->known = true;
	target->placed = here;
	target->is = xasprintf("%s%s%s%s%s", strcmp(directory, target->name) ? directory : "",
			       strcmp(directory, target->name) ? ", " : "", type,
			       *type ? " on " : "on ",
			       strncmp(source, "/dev/", 5) ? source : source + 5);
	parts_add_disk(target, directory, -1, false);
	parts_add_disk(target, source, 0, here);
}

/*
 * Among the mounts of PCP's metric filesys.mountdir, look for a target that neither the graph nor
 * this host knows.
 */
static void find_mount(struct target *target, struct source *s)
{
	struct text *mounts;
	unsigned int n = source_texts(s, "filesys.mountdir", &mounts);

	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(mounts[i].value, target->name))
			take_mount(target, target->name, "", mounts[i].instance, false);
	texts_free(mounts, n);
}

/*
 * Have the filters select the cgroups that `glob` matches and, unless `glob` is "/", the cgroups
 * below them. `path`: the path of the cgroup that `glob` matches; NULL: unknown.
 */
static void take_cgroup(struct target *target, const char *glob, const char *path)
{
	struct options *o = &target->options;

	target->cgroup = path ? path : glob;
	target->is = xasprintf("cgroup %s", target->cgroup);
	if (o->nfilters + 2 > MAX_FILTERS)
		die(EXIT_USAGE, "more than %d filters", MAX_FILTERS - 2);
	o->filters[o->nfilters++] = (struct filter){ "cgroup", glob };
	if (strcmp(glob, "/"))
		o->filters[o->nfilters++] = (struct filter){ "cgroup", xasprintf("%s/*", glob) };
}

/*
 * The path of a container's cgroup; NULL: not found. `name`: a value of PCP's metric
 * containers.name. The caller frees the path.
 */
static char *find_container(const char *name, struct source *s)
{
	struct text *names;
	unsigned int n = source_texts(s, "containers.name", &names);
	char *found = NULL;

	for (unsigned int i = 0; i < n && !found; i++)
		if (!strcmp(names[i].value, name))
			found = resolve_container(names[i].instance);
	texts_free(names, n);
	return found;
}

/* Let keys of NFS, which have the server's address, belong to the mount. */
static void add_server(struct target *target, const struct resolved *r)
{
	target->address = r->server;
	if (r->server)
		parts_add_disk(target, r->server, 0, false);
}

static void take_resolved(struct target *target, struct resolved *r)
{
	const struct device *device = r->disk ? devices_find(&target->graph, r->disk) : NULL;

	if (r->cgroup) {
		target->known = true;
		take_cgroup(target, escape_glob(r->cgroup), r->cgroup);
	} else if (device) {
		take_node(target, device);
	} else if (r->disk) {
		target->known = target->placed = true;
		target->is = strcmp(r->disk, target->name) ? r->disk : NULL;
		parts_add_disk(target, r->disk, -1, true);
	} else if (r->mount) {
		take_mount(target, r->mount, r->type, r->source, true);
		add_server(target, r);
	} else {
		target->known = r->pool;
		parts_add_disk(target, target->name, -1, false);
	}
}

/*
 * Is this the name of a service, scope or slice of systemd, or the path of the cgroup of one, or of
 * a cgroup below that?
 */
static bool is_unit(const char *name)
{
	static const char *const ends[] = { ".service", ".scope", ".slice" };

	if (*name != '/' && strchr(name, '/'))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *end = strstr(name, ends[i]);

		if (end && (!end[strlen(ends[i])] || end[strlen(ends[i])] == '/'))
			return true;
	}
	return false;
}

static void find_elsewhere(struct target *target, struct source *s)
{
	bool dev = !strncmp(target->name, "/dev/", 5);
	const struct device *device = dev ? devices_node(&target->graph, target->name + 5) : NULL;
	char *text, *glob;

	if (device)
		take_node(target, device);
	else if (*target->name == '/')
		find_mount(target, s);
	if (target->nparts)
		return;
	if (!is_unit(target->name)) {
		parts_add_disk(target, target->name, -1, false);
		return;
	}
	text = escape_glob(target->name);
	glob = xasprintf("%s%s", *text == '/' ? "" : "*/", text);
	take_cgroup(target, glob, *text == '/' ? target->name : NULL);
	free(text);
}

/* A copy of a path without the slashes at its end, which completion in shells adds. */
static const char *strip_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return xalloc(strndup(path, length));
}

/*
 * The node with this name or, if there is none, with the name /dev/mapper/NAME, /dev/zvol/NAME or
 * /dev/md/NAME; NULL: none. Other names of nodes count, too: see devices_find().
 */
static const struct device *find_node(const struct devices *graph, const char *name)
{
	static const char *const folders[] = { "/dev/mapper/", "/dev/zvol/", "/dev/md/" };
	const struct device *device = devices_find(graph, name);

	for (size_t i = 0; !device && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *path = xasprintf("%s%s", folders[i], name);

		device = devices_find(graph, path);
		free(path);
	}
	return device;
}

/*
 * Have layers_find() look for the axes of filters and, if the target can be a dataset, for the axis
 * dataset.
 */
static void set_axes(struct target *target)
{
	const struct device *device = target->nparts ? target->parts[0].device : NULL;
	const char **axes = target->axes;

	for (unsigned int i = 0; i < target->options.nfilters; i++)
		*axes++ = target->options.filters[i].axis;
	if (target->nparts &&
	    (device ? !strcmp(device->kind, "zfs") : strchr(target->parts[0].name, '/') != NULL))
		*axes++ = "dataset";
}

/* Find what target->name means. `device`: the node of the graph with that name; NULL: none. */
static void find(struct target *target, const struct device *device, struct source *s)
{
	struct resolved resolved = { 0 };
	char *cgroup;

	if (device) {
		take_node(target, device);
		/* keys of NFS have the server's address, which the graph lacks */
		if (is_here(s) && device_is_mount(device) && resolve_here(&resolved, device->name))
			add_server(target, &resolved);
	} else if (is_here(s) && resolve_here(&resolved, target->name)) {
		take_resolved(target, &resolved);
	} else if (is_here(s) && (cgroup = find_container(target->name, s))) {
		target->known = true;
		take_cgroup(target, escape_glob(cgroup), cgroup);
	} else {
		find_elsewhere(target, s);
	}
}

void target_find(struct target *target, const char *name, const struct options *o, struct source *s)
{
	*target = (struct target){ .name = name, .options = *o };
	target->o = &target->options;
	if (name && *name == '/')
		target->name = strip_slashes(name);
	devices_read(&target->graph, s);
	if (name)
		find(target, find_node(&target->graph, target->name), s);
	target->guessed = !target->graph.n && (target->known || !is_here(s));
	set_axes(target);
}

void target_free(struct target *target)
{
	for (unsigned int i = 0; i < target->npools; i++)
		free(target->pools[i]);
	free(target->pools);
	free(target->users);
	free(target->parts);
	free(target->is);
	devices_free(&target->graph);
}

bool target_is_same(const struct target *a, const struct target *b)
{
	const char *x = a->cgroup ? a->cgroup : a->nparts ? a->parts[0].name : "";
	const char *y = b->cgroup ? b->cgroup : b->nparts ? b->parts[0].name : "";

	return !strcmp(x, y);
}
