// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "lib/file.h"
#include "lib/xalloc.h"

/* Pairs: a prefix, and the kind of the devices whose name is this prefix and a number. */
static const char *const prefixes[][2] = {
	{ "zd", "zvol" }, { "zram", "zram" }, { "loop", "loop" },     { "nbd", "nbd" },
	{ "rbd", "rbd" }, { "drbd", "drbd" }, { "bcache", "bcache" },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The first line of CLASS_BLOCK/DISK/FILE, escaped. The caller frees the line. NULL: the file
 * cannot be read, or its first line is empty.
 */
static char *attribute(const char *disk, const char *file)
{
	char path[512], line[256];

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/%s", disk, file);
	return first_line(path, line, sizeof(line)) ? graph_escape(line) : NULL;
}

static bool has(const char *disk, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/%s", disk, file);
	return !access(path, F_OK);
}

/*
 * The target of the symbolic link CLASS_BLOCK/DISK. The caller frees the target; "": there is no
 * such link.
 */
static char *link_of(const char *disk)
{
	char path[512], target[1024];
	ssize_t n;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s", disk);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	return xalloc(strdup(target));
}

void stand_on_links(struct node *node,
		    const char *(*role)(const struct node *node, const char *device),
		    const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, versionsort);

	for (int i = 0; i < n; i++) {
		if (*entries[i]->d_name != '.')
			graph_stand(node, role(node, entries[i]->d_name), entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *kind_by_prefix(const char *name)
{
	for (size_t i = 0; i < LENGTH(prefixes); i++) {
		size_t length = strlen(prefixes[i][0]);

		if (!strncmp(name, prefixes[i][0], length) &&
		    strchr("0123456789", name[length] ?: 'x'))
			return prefixes[i][1];
	}
	return NULL;
}

static void set_kind(struct graph *g, struct node *node)
{
	const char *kind = kind_by_prefix(node->name);
	char *level = attribute(node->name, "md/level"), *name = attribute(node->name, "dm/name");

	if (name)
		graph_name(g, node, "/dev/mapper/", name);
	if (has(node->name, "partition"))
		graph_set_kind(node, "partition");
	else if (name)
		graph_set_kind(node, "dm");
	else if (level || has(node->name, "md"))
		graph_set_kind(node, level ?: "md");
	else if (kind)
		graph_set_kind(node, kind);
	free(level);
	free(name);
}

/*
 * udev's properties whose values become names of a node, and the prefix of each such name. In a
 * value \xHH stands for the byte HH, such as \x20 for a blank.
 */
static const char *const properties[][2] = {
	{ "E:ID_PART_ENTRY_UUID=", "PARTUUID=" },
	{ "E:ID_PART_ENTRY_NAME=", "PARTLABEL=" },
	/*
	 * All members of an array, a pool or a file system can have the same values of the two
	 * properties below, and so the same names.
	 */
	{ "E:ID_FS_UUID=", "UUID=" },
	{ "E:ID_FS_LABEL_ENC=", "LABEL=" },
};

#define NOT_SHARED 2

/*
 * Can other devices have the same values of the last two properties[]? True for a member of an
 * array or a pool, and for each device of a Btrfs or bcachefs, even if that file system has only
 * one device. `text` is what udev's database has of the device.
 */
static bool is_member(const char *text)
{
	/* for these types libblkid (seen in 2.40) sets ID_FS_USAGE to filesystem, not raid */
	static const char *const types[] = { "\nE:ID_FS_TYPE=btrfs\n", "\nE:ID_FS_TYPE=bcachefs\n",
					     "\nE:ID_FS_TYPE=zfs_member\n" };
	bool member = strstr(text, "\nE:ID_FS_USAGE=raid\n");

	for (size_t i = 0; i < LENGTH(types); i++)
		member |= strstr(text, types[i]) != NULL;
	return member;
}

static void decode_hexadecimal(char *text)
{
	unsigned int character;
	char *end = text;

	while (*text)
		if (!strncmp(text, "\\x", 2) && isxdigit((unsigned char)text[2]) &&
		    isxdigit((unsigned char)text[3]) && sscanf(text + 2, "%2x", &character) == 1) {
			*end++ = character;
			text += 4;
		} else {
			*end++ = *text++;
		}
	*end = '\0';
}

static void take_property(struct graph *g, struct node *node, char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(properties[i][0]);
		char *value;

		if (strncmp(line, properties[i][0], length))
			continue;
		decode_hexadecimal(line + length);
		value = graph_escape(line + length);
		graph_name(g, node, properties[i][1], value);
		free(value);
	}
}

/* Name the zvol `node` by its volume, such as tank/vol, and have `node` stand on the pool. */
static void take_volume(struct graph *g, struct node *node, const char *volume)
{
	char *name = graph_escape(volume);

	graph_name(g, node, "", name);
	name[strcspn(name, "/")] = '\0';
	graph_stand(node, "pool", graph_add(g, name, "pool")->name);
	free(name);
}

/*
 * Add udev's link /dev/LINK as a name of `node`. Skip a link in a folder /dev/disk/by-* that told[]
 * lists: a number in by-diskseq is no name, and the names in the other folders are left to
 * take_property(). If the link is zvol/VOLUME, and `node` a zvol, also add the volume and its pool.
 */
static void take_link(struct graph *g, struct node *node, const char *link)
{
	static const char *const told[] = { "uuid/", "label/", "partuuid/", "partlabel/",
					    "diskseq/" };
	char *name;

	for (size_t i = 0; i < LENGTH(told); i++)
		if (!strncmp(link, "disk/by-", 8) && !strncmp(link + 8, told[i], strlen(told[i])))
			return;
	name = graph_escape(link);
	graph_name(g, node, "/dev/", name);
	free(name);
	if (!strncmp(link, "zvol/", strlen("zvol/")) && !strcmp(node->kind, "zvol"))
		take_volume(g, node, link + strlen("zvol/"));
}

/*
 * Add the names that udev's database has for a device, but no UUID or label of a file system that
 * other devices can have, too. The database may lack the device.
 */
static void take_udev(struct graph *g, struct node *node, const char *number)
{
	char *path = xasprintf("/run/udev/data/b%s", number), *text = read_text(path), *rest, *line;
	size_t n = LENGTH(properties);

	if (text) {
		if (is_member(text))
			n = NOT_SHARED;
		for (rest = text; (line = strsep(&rest, "\n"));)
			if (!strncmp(line, "S:", 2))
				take_link(g, node, line + 2);
			else
				take_property(g, node, line, n);
	}
	free(text);
	free(path);
}

static bool is_empty(const char *disk)
{
	char *size = attribute(disk, "size");
	bool empty = size && !strcmp(size, "0");

	free(size);
	return empty;
}

static void add_device(struct graph *g, const char *disk)
{
	struct node *node;
	char *number;

	if (is_empty(disk))
		return;
	node = graph_add(g, disk, "disk");
	set_kind(g, node);
	number = attribute(disk, "dev");
	if (!number)
		return; /* a path of a multipath NVMe disk has no device number */
	graph_name(g, node, "", number);
	take_udev(g, node, number);
	free(number);
}

/*
 * The role of a member of an md array, by the kernel's state of the member: "spare", also while the
 * array is rebuilt onto the member; "log" for the array's journal; "member" for all others.
 */
static const char *member_role(const char *array, const char *member)
{
	char *file = xasprintf("md/dev-%s/state", member), *state = attribute(array, file);
	const char *role = "member";

	if (state && strstr(state, "spare"))
		role = "spare";
	else if (state && strstr(state, "journal"))
		role = "log";
	free(state);
	free(file);
	return role;
}

static const char *slave_role(const struct node *node, const char *slave)
{
	if (!strncmp(node->name, "md", 2))
		return member_role(node->name, slave);
	return has(slave, "bcache/cache_replacement_policy") ? "cache" : "data";
}

/*
 * Have `node` stand on the devices that the kernel lists in the folder `slaves` of `node`: those of
 * an md array, of bcache or of DRBD.
 */
static void add_slaves(struct node *node)
{
	char path[512];

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/slaves", node->name);
	stand_on_links(node, slave_role, path);
}

/* Have a partition stand on its disk: in sysfs the partition's folder is in the disk's folder. */
static void add_disk(struct node *node)
{
	char *link = link_of(node->name), *slash = strrchr(link, '/');

	if (slash && has(node->name, "partition")) {
		*slash = '\0';
		graph_stand(node, "partition-of", last_part(link));
	}
	free(link);
}

/* Have an NVMe disk stand on a path. The paths of nvme0n1 are nvme0c0n1, nvme0c1n1 and so on. */
static void add_path(struct graph *g, struct node *path)
{
	unsigned int subsystem, controller, namespace;
	struct node *head;
	char name[64];
	int end = 0;

	if (sscanf(path->name, "nvme%uc%un%u%n", &subsystem, &controller, &namespace, &end) != 3 ||
	    path->name[end])
		return;
	snprintf(name, sizeof(name), "nvme%un%u", subsystem, namespace);
	head = graph_find(g, name);
	if (!head)
		return;
	graph_set_kind(head, "nvme-head");
	graph_set_kind(path, "nvme-path");
	graph_stand(head, "path", path->name);
}

/* Have an iSCSI disk stand on its session: the folder sessionN in the disk's path in sysfs. */
static void add_session(struct graph *g, struct node *disk)
{
	char *link = link_of(disk->name), *session = strstr(link, "/session"), *target;
	char path[512], line[256];
	struct node *node;

	if (session && !has(disk->name, "partition")) {
		session++;
		session[strcspn(session, "/")] = '\0';
		node = graph_add(g, session, "iscsi-session");
		snprintf(path, sizeof(path), "/sys/class/iscsi_session/%s/targetname", session);
		if (first_line(path, line, sizeof(line))) {
			target = graph_escape(line);
			graph_name(g, node, "", target);
			free(target);
		}
		graph_stand(disk, "session", session);
	}
	free(link);
}

void block_add(struct graph *g)
{
	struct dirent **entries;
	int n = scandir(CLASS_BLOCK, &entries, NULL, alphasort);
	unsigned int disks;

	for (int i = 0; i < n; i++) {
		if (*entries[i]->d_name != '.')
			add_device(g, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	disks = g->n;
	for (unsigned int i = 0; i < disks; i++) {
		if (!has(g->nodes[i]->name, "dm"))
			add_slaves(g->nodes[i]);
		add_disk(g->nodes[i]);
		add_path(g, g->nodes[i]);
		add_session(g, g->nodes[i]);
	}
}
