// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "focus.h"
#include "schema/label.h"

/* The id of a cgroup of version 2 is the number of its folder's inode (Linux, kernfs_ino()). */
static bool set_cgroup(struct estat_focus *of, const char *path)
{
	char folder[AXIS_TEXT_LEN + sizeof(CGROUPS)], real[PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof(folder), "%s%s", CGROUPS, path);
	if (*path != '/' || !realpath(folder, real) || strncmp(real, CGROUPS, strlen(CGROUPS)) ||
	    cgroup_gives_io(real) < 0 || stat(real, &st))
		return false;
	of->cgroup = st.st_ino;
	for (const char *p = real + strlen(CGROUPS); *p; p++)
		of->level += *p == '/';
	return true;
}

/*
 * The first character must be a digit from 1 to 9, because strtoul() would take blanks and signs,
 * too.
 */
static bool set_pid(struct estat_focus *of, const char *text)
{
	char *end;
	unsigned long pid = strtoul(text, &end, 10);

	if (*text < '1' || *text > '9' || *end || pid > INT_MAX)
		return false;
	of->pid = pid;
	return true;
}

bool focus_set(struct focus *focus, const char *text)
{
	struct estat_focus of = {};

	if (strlen(text) >= sizeof(focus->text))
		return false;
	if (!strncmp(text, "cgroup ", 7)) {
		if (!set_cgroup(&of, text + 7))
			return false;
	} else if (!strncmp(text, "pid ", 4)) {
		if (!set_pid(&of, text + 4))
			return false;
	} else if (*text) {
		return false;
	}
	strcpy(focus->text, text);
	focus->of = of;
	return true;
}
