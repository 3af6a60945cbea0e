// SPDX-License-Identifier: GPL-2.0-or-later
/* Labels beside those of a key's axes: device_name, unit and container. */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "label.h"

#define HEXADECIMAL   "0123456789abcdef"
#define CONTAINER_LEN 64

bool first_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool is_read = f && fgets(line, size, f);

	if (f)
		fclose(f);
	line[is_read ? strcspn(line, "\n") : 0] = '\0';
	return *line;
}

static bool mapper_name(const char *disk, char *name)
{
	char path[AXIS_TEXT_LEN + 32];

	snprintf(path, sizeof(path), "/sys/block/%s/dm/name", disk);
	return first_line(path, name, AXIS_TEXT_LEN);
}

/* The name of an md array: in /dev/md, udev or mdadm links the name to the disk. */
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

static void put_part(struct json *j, const char *name, const char *text, size_t length)
{
	char part[AXIS_TEXT_LEN];

	snprintf(part, sizeof(part), "%.*s", (int)length, text);
	json_put_string(j, name, part);
}

void put_cgroup_labels(struct json *j, const char *path)
{
	const char *unit = NULL, *container = NULL;
	size_t length, unit_length = 0;

	for (const char *p = path; *p; p += length) {
		p += *p == '/';
		length = strcspn(p, "/");
		if (is_unit(p, length)) {
			unit = p;
			unit_length = length;
		}
	}
	for (const char *p = path; *p; p += length + !!p[length]) {
		length = strspn(p, HEXADECIMAL);
		if (length == CONTAINER_LEN)
			container = p;
	}
	if (unit)
		put_part(j, "unit", unit, unit_length);
	if (container)
		put_part(j, "container", container, CONTAINER_LEN);
}
