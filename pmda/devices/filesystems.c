// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "filesystems.h"
#include "lib/escape.h"
#include "lib/file.h"
#include "lib/xalloc.h"

struct node *device_at(const struct graph *g, const char *path)
{
	size_t length = strlen("/dev/");
	struct node *node = graph_find(g, path);

	if (node || strncmp(path, "/dev/", length) || strchr(path + length, '/'))
		return node;
	return graph_find(g, path + length); /* the node of /dev/sda is sda */
}

/* The directory of the mount on which an escaped path lies; NULL: none. */
static const char *mount_of(const struct graph *g, const char *path)
{
	char *part = xalloc(strdup(path)), *slash;
	const struct node *node = *path == '/' ? graph_find(g, part) : NULL;

	while (!node && (slash = strrchr(part, '/'))) {
		*slash = '\0';
		node = graph_find(g, *part ? part : "/");
		if (!*part)
			break;
	}
	free(part);
	return node && *node->name == '/' ? node->name : NULL;
}

void stand_on_path(const struct graph *g, struct node *node, const char *path)
{
	const struct node *device = device_at(g, path);
	const char *mount = device ? NULL : mount_of(g, path);

	if (device)
		graph_stand(node, "data", device->name);
	else if (mount)
		graph_stand(node, "file", mount);
}

/*
 * The value of the next option `name` in a list of options, for the caller to free; NULL: none.
 * Searches from *at on, and sets *at to what follows the option, for the next call.
 */
static char *next_option(const char **at, const char *name)
{
	size_t length = strlen(name), n;

	for (; **at; *at += n + ((*at)[n] == ',')) {
		const char *option = *at;

		n = strcspn(option, ",");
		if (strncmp(option, name, length) || option[length] != '=')
			continue;
		*at += n + (option[n] == ',');
		return xalloc(strndup(option + length + 1, n - length - 1));
	}
	return NULL;
}

static void stand_on_device(const struct graph *g, struct node *node, const char *role,
			    const char *path)
{
	const struct node *device = device_at(g, path);

	if (device)
		graph_stand(node, role, device->name);
}

/* Add XFS's log or real-time device: the mount's option has the path that mount(8) was given. */
static void add_option(const struct graph *g, struct node *node, const struct mount *mount,
		       const char *option, const char *role)
{
	const char *at = mount->options;
	char *path = next_option(&at, option);

	if (path)
		stand_on_device(g, node, role, path);
	free(path);
}

/*
 * Add the device of ext4's journal. The journal's thread is jbd2/DEVICE if the journal has a device
 * of its own, else jbd2/DEVICE-INODE. Before Linux 5.17 the kernel cuts a thread's name after 15
 * bytes, which can make jbd2/DEVICE of jbd2/DEVICE-INODE. The folder of the journal in
 * /proc/fs/jbd2 has the full name: only a journal with a device of its own has a folder DEVICE.
 */
static void add_journal(const struct graph *g, struct node *node, const struct node *data)
{
	char path[512], line[256];
	const char *name = line + strlen("jbd2/");

	snprintf(path, sizeof(path), "/sys/fs/ext4/%s/journal_task", data->name);
	if (!first_line(path, line, sizeof(line)))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", atoi(line));
	if (!first_line(path, line, sizeof(line)) || strncmp(line, "jbd2/", strlen("jbd2/")))
		return;
	snprintf(path, sizeof(path), "/proc/fs/jbd2/%s", name);
	if (graph_find(g, name) && !access(path, F_OK))
		graph_stand(node, "log", name);
}

static void add_device(const struct graph *g, struct node *node, const struct mount *mount)
{
	const struct node *data = graph_find(g, mount->number);

	if (!data)
		return;
	graph_stand(node, "data", data->name);
	if (!strcmp(mount->type, "xfs")) {
		add_option(g, node, mount, "logdev", "log");
		add_option(g, node, mount, "rtdev", "realtime");
	} else if (!strncmp(mount->type, "ext", 3)) {
		add_journal(g, node, data);
	}
}

static bool has_member(const char *uuid, const char *device)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices/%s", uuid, device);
	return !access(path, F_OK);
}

static const char *member(const struct node *node, const char *device)
{
	(void)node;
	(void)device;
	return "member";
}

/* Add all devices of a Btrfs to its mount. */
static void add_members(struct graph *g, struct node *node, const char *uuid)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices", uuid);
	stand_on_links(node, member, path);
	graph_name(g, node, "UUID=", uuid);
}

/* Add the devices of a Btrfs. The mount's source is one of the devices. */
static void add_btrfs(struct graph *g, struct node *node, const struct mount *mount)
{
	const struct node *device = device_at(g, mount->source);
	DIR *dir = device ? opendir("/sys/fs/btrfs") : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && has_member(entry->d_name, device->name))
			add_members(g, node, entry->d_name);
	if (dir)
		closedir(dir);
	if (device && !*node->below)
		graph_stand(node, "data", device->name);
}

/* Add the pool of a mount of ZFS. The mount's source is POOL, POOL/DATASET or a snapshot's name. */
static void add_pool(struct graph *g, struct node *node, const struct mount *mount)
{
	char *pool = xalloc(strndup(mount->source, strcspn(mount->source, "/@")));

	if (*pool) {
		graph_stand(node, "pool", graph_add(g, pool, "pool")->name);
		graph_name(g, node, "", mount->source);
	}
	free(pool);
}

static void add_export(struct graph *g, struct node *node, const struct mount *mount)
{
	if (*mount->source)
		graph_stand(node, "export", graph_add(g, mount->source, "export")->name);
}

static void stand_on_mount(const struct graph *g, struct node *node, const char *role,
			   const char *path)
{
	char *escaped = graph_escape(path);
	const char *mount = mount_of(g, escaped);

	/*
	 * mount_of() finds `node` itself if the path lies on a mount that `node` hides: then add no
	 * edge.
	 */
	if (mount && strcmp(mount, node->name))
		graph_stand(node, role, mount);
	free(escaped);
}

/*
 * Add the mounts on which the directories in `list` lie. A colon separates two directories; \: is a
 * colon in a directory's name.
 */
static void add_directories(const struct graph *g, struct node *node, char *list, const char *role)
{
	char *end, *directory = list;

	unescape_name(list);
	for (end = list; *list; list++) {
		if (*list == '\\' && list[1]) {
			*end++ = *++list;
		} else if (*list != ':') {
			*end++ = *list;
		} else {
			*end = '\0';
			stand_on_mount(g, node, role, directory);
			end = directory;
		}
	}
	*end = '\0';
	stand_on_mount(g, node, role, directory);
}

/*
 * Add the mounts below an overlay. The mount's options have the paths that mount(2) was given;
 * relative paths are ignored.
 */
static void add_overlay(const struct graph *g, struct node *node, const struct mount *mount)
{
	static const char *const options[][2] = { { "upperdir", "upper" },
						  { "lowerdir", "lower" },
						  { "lowerdir+", "lower" },
						  { "datadir+", "lower" } };
	char *list;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		for (const char *at = mount->options; (list = next_option(&at, options[i][0]));
		     free(list))
			add_directories(g, node, list, options[i][1]);
}

/* Add the devices of a bcachefs. The mount's source is their paths, separated by colons. */
static void add_sources(const struct graph *g, struct node *node, const struct mount *mount)
{
	char *sources = xalloc(strdup(mount->source)), *rest = sources, *source;

	while ((source = strsep(&rest, ":")))
		if (!strncmp(source, "/dev/", strlen("/dev/")))
			stand_on_device(g, node, "data", source);
	free(sources);
}

void filesystem_add(struct graph *g, struct node *node, const struct mount *mount)
{
	static const char *const remote[] = { "nfs", "nfs4", "cifs", "smb3", "ceph" };

	for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		if (!strcmp(mount->type, remote[i]))
			add_export(g, node, mount);
	if (!strcmp(mount->type, "btrfs"))
		add_btrfs(g, node, mount);
	else if (!strcmp(mount->type, "zfs"))
		add_pool(g, node, mount);
	else if (!strcmp(mount->type, "overlay"))
		add_overlay(g, node, mount);
	else if (strncmp(mount->number, "0:", 2))
		add_device(g, node, mount);
	else if (!strcmp(mount->type, "bcachefs"))
		add_sources(g, node, mount);
}
