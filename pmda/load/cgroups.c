// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "cgroups.h"
#include "lib/file.h"
#include "schema/label.h"

/* Set `root` to the directory where cgroup2 is mounted. Returns false if cgroup2 is not mounted. */
static bool find_root(char *root, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m = NULL;

	while (mounts && (m = getmntent(mounts)) && strcmp(m->mnt_type, "cgroup2"))
		;
	if (m)
		snprintf(root, size, "%s", m->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return m;
}

/* Does cgroup v1 have blkio, the controller that is io in cgroup2? Then cgroup2 has no io. */
static bool is_v1(void)
{
	unsigned int hierarchy = 0;

	scan_lines("/proc/cgroups", "blkio %u", &hierarchy);
	return hierarchy;
}

/*
 * Write to `text` the names of the cgroups directly below the root that have children, but do not
 * give the controller io to these children.
 */
static void list_parents(const char *root, char *text, size_t size)
{
	DIR *folder = opendir(root);
	char path[MAXPATHLEN + 256];
	const char *name;
	size_t n = 0;

	while (folder && n < size && (name = next_folder(folder))) {
		snprintf(path, sizeof(path), "%s/%s", root, name);
		if (cgroup_gives_io(path) <= 0 && has_folder(path))
			n += snprintf(text + n, size - n, " /%s", name);
	}
	if (folder)
		closedir(folder);
}

void cgroups_explain(char *text, size_t size)
{
	char root[MAXPATHLEN], parents[256] = "";

	*text = '\0';
	if (!find_root(root, sizeof(root)) || !has_folder(root))
		return;
	if (is_v1()) {
		snprintf(text, size,
			 "all of cgroup2 is the row /: cgroup v1 has blkio (boot with "
			 "cgroup_no_v1=blkio)");
	} else if (cgroup_gives_io(root) <= 0) {
		snprintf(text, size,
			 "all cgroups are the row /: the controller io is off (write +io to "
			 "%s/cgroup.subtree_control)",
			 root);
	} else {
		list_parents(root, parents, sizeof(parents));
		if (*parents)
			snprintf(text, size,
				 "each of these is one row with all cgroups below it, which have "
				 "no controller io:%s",
				 parents);
	}
}
