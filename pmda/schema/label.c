// SPDX-License-Identifier: GPL-2.0-or-later
/* Labels beside those of a key's axes: device_name, unit, container, vm and includes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "label.h"
#include "lib/file.h"
#include "lib/xalloc.h"

#define HEXADECIMAL   "0123456789abcdef"
#define CONTAINER_LEN 64

static bool mapper_name(const char *disk, char *name)
{
	char path[AXIS_TEXT_LEN + 32];

	snprintf(path, sizeof(path), "/sys/block/%s/dm/name", disk);
	return first_line(path, name, AXIS_TEXT_LEN);
}

/*
 * The name of an md array: the name of the link in /dev/md to the disk. udev or mdadm makes the
 * link.
 */
static bool array_name(const char *disk, char *name)
{
	char target[AXIS_TEXT_LEN];
	DIR *folder = strncmp(disk, "md", 2) ? NULL : opendir("/dev/md");
	bool found = false;
	struct dirent *entry;

	while (folder && !found && (entry = readdir(folder))) {
		ssize_t n = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
		const char *last;

		if (n <= 0)
			continue;
		target[n] = '\0';
		last = strrchr(target, '/');
		found = !strcmp(last ? last + 1 : target, disk);
		if (found)
			snprintf(name, AXIS_TEXT_LEN, "%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

void put_device_labels(struct json *j, const char *disk)
{
	char name[AXIS_TEXT_LEN];

	if (!strcmp(disk, "none"))
		return;
	if (!mapper_name(disk, name) && !array_name(disk, name))
		snprintf(name, sizeof(name), "%s", disk);
	json_put_string(j, "device_name", name);
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length > n && !strncmp(text + length - n, end, n);
}

static bool is_unit(const char *folder, size_t length)
{
	return ends_in(folder, length, ".service") || ends_in(folder, length, ".scope") ||
	       ends_in(folder, length, ".slice");
}

/* A part of a cgroup's path. */
struct part {
	const char *text; /* where the part begins in the path; NULL: the path has no such part */
	size_t length;
};

/* Write a label. If `escaped`, undo systemd's escapes, such as \x2d for a hyphen. */
static void put_part(struct json *j, const char *name, struct part part, bool escaped)
{
	char text[AXIS_TEXT_LEN], *to = text;
	unsigned int code;

	if (!part.text)
		return;
	for (size_t i = 0; i < part.length && to < text + sizeof(text) - 1; i++)
		if (escaped && part.length - i >= 4 &&
		    sscanf(part.text + i, "\\x%2x", &code) == 1 && code) {
			*to++ = code;
			i += 3;
		} else {
			*to++ = part.text[i];
		}
	*to = '\0';
	json_put_string(j, name, text);
}

/*
 * If a folder's name begins with `begin` and ends in `end`, the text between the two. .text NULL:
 * the name has another form, or nothing is between.
 */
static struct part between(struct part folder, const char *begin, const char *end)
{
	size_t before = strlen(begin), after = strlen(end);

	if (folder.length <= before + after || strncmp(folder.text, begin, before) ||
	    strncmp(folder.text + folder.length - after, end, after))
		return (struct part){ 0 };
	return (struct part){ folder.text + before, folder.length - before - after };
}

/* NAME, if the part is N-NAME or, as systemd escapes the hyphen, N\x2dNAME; else .text is NULL. */
static struct part after_number(struct part part)
{
	size_t digits = part.text ? strspn(part.text, "0123456789") : 0;
	size_t skip = digits ? digits + (part.text[digits] == '-' ? 1 : 4) : 0;

	if (!digits || skip >= part.length ||
	    (skip > digits + 1 && strncmp(part.text + digits, "\\x2d", 4)))
		return (struct part){ 0 };
	return (struct part){ part.text + skip, part.length - skip };
}

/*
 * The id of a container, 64 hexadecimal digits, in a folder's name. If the name has several ids,
 * the last one. .text NULL: the name has no id.
 */
static struct part id_in(struct part folder)
{
	struct part id = { 0 };
	size_t length;

	for (size_t i = 0; i < folder.length; i += length + 1) {
		length = strspn(folder.text + i, HEXADECIMAL);
		if (length == CONTAINER_LEN)
			id = (struct part){ folder.text + i, length };
	}
	return id;
}

static struct part first_of(struct part a, struct part b)
{
	return a.text ? a : b;
}

static bool is_folder(struct part folder, const char *name)
{
	return folder.length == strlen(name) && !strncmp(folder.text, name, folder.length);
}

/*
 * The virtual machine of the cgroup whose folder is `folder` in `parent`: NUMBER in
 * qemu.slice/NUMBER.scope (Proxmox), NAME in machine-qemu\x2dN\x2dNAME.scope (libvirt with
 * machined) or in qemu-N-NAME.libvirt-qemu (libvirt without machined). .text NULL: the folder has
 * none of these names.
 */
static struct part machine_in(struct part folder, struct part parent)
{
	if (is_folder(parent, "qemu.slice"))
		return between(folder, "", ".scope");
	return after_number(first_of(between(folder, "machine-qemu\\x2d", ".scope"),
				     between(folder, "qemu-", ".libvirt-qemu")));
}

/*
 * The container of the cgroup whose folder is `folder` in `parent`: an id (Docker, Podman), NAME in
 * lxc.payload.NAME or lxc/NAME (LXC), NAME in machine-lxc\x2dN\x2dNAME.scope or
 * lxc-N-NAME.libvirt-lxc (libvirt), NAME in machine-NAME.scope or systemd-nspawn@NAME.service
 * (systemd-nspawn). .text NULL: the folder has none of these names.
 */
static struct part container_in(struct part folder, struct part parent)
{
	struct part lxc = after_number(first_of(between(folder, "machine-lxc\\x2d", ".scope"),
						between(folder, "lxc-", ".libvirt-lxc")));
	struct part machine = first_of(between(folder, "machine-", ".scope"),
				       between(folder, "systemd-nspawn@", ".service"));
	struct part found =
		first_of(id_in(folder), first_of(between(folder, "lxc.payload.", ""), lxc));

	if (!found.text && is_folder(parent, "lxc"))
		return folder;
	return first_of(found, machine);
}

/*
 * Is the folder that of conmon, a process that watches a container? The folder's name has the
 * container's id, but the container is in another folder.
 */
static bool is_monitor(struct part folder)
{
	return between(folder, "libpod-conmon-", "").text ||
	       between(folder, "crio-conmon-", "").text;
}

void put_cgroup_labels(struct json *j, const char *path)
{
	struct part unit = { 0 }, container = { 0 }, vm = { 0 }, folder = { 0 };

	while (*(path += strspn(path, "/"))) {
		struct part parent = folder, machine, inner;

		folder = (struct part){ path, strcspn(path, "/") };
		path += folder.length;
		if (is_unit(folder.text, folder.length))
			unit = folder;
		machine = machine_in(folder, parent);
		inner = container_in(folder, parent);
		if (machine.text)
			vm = machine;
		else if (inner.text && !is_monitor(folder))
			container = inner;
	}
	put_part(j, "unit", unit, false);
	put_part(j, "container", container, true);
	put_part(j, "vm", vm, true);
}

const char *next_folder(DIR *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(folder)))
		if (entry->d_type == DT_DIR && *entry->d_name != '.')
			return entry->d_name;
	return NULL;
}

bool has_folder(const char *path)
{
	DIR *folder = opendir(path);
	bool has = folder && next_folder(folder);

	if (folder)
		closedir(folder);
	return has;
}

int cgroup_gives_io(const char *cgroup)
{
	char *path = xasprintf("%s/cgroup.subtree_control", cgroup), list[AXIS_TEXT_LEN] = " ";
	int gives = -1;

	/* an empty file is no error, but says that no controller is enabled */
	if (first_line(path, list + 1, sizeof(list) - 2) || !access(path, F_OK))
		gives = strstr(strcat(list, " "), " io ") != NULL;
	free(path);
	return gives;
}

/*
 * Do the cgroups directly below `path` lack the controller io? False, too, if no cgroups are below,
 * and for cgroup v1.
 */
static bool charges_below(const char *cgroups, const char *path)
{
	char *cgroup = xasprintf("%s%s", cgroups, path);
	bool charges = cgroup_gives_io(cgroup) == 0 && has_folder(cgroup);

	free(cgroup);
	return charges;
}

void put_includes(struct json *j, const char *path, const char *cgroups, const char *pools)
{
	bool zfs = !strcmp(path, "/") && has_folder(pools);
	bool below = charges_below(cgroups, path);

	if (zfs || below)
		json_put_string(j, "includes",
				!below ? "ZFS"
				: zfs  ? "ZFS, cgroups below"
				       : "cgroups below");
}
