// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filesystems.h"
#include "lib/file.h"
#include "lib/xalloc.h"
#include "luns.h"

#define CONFIG "/sys/kernel/config/target/"

/*
 * Have a LUN stand on what its backstore stands on. The backstore's file `info` has for iblock a
 * disk's number, for fileio a path, and for other backstores neither.
 */
static void add_backstore(const struct graph *g, struct node *lun, const char *backstore)
{
	char *path = xasprintf(CONFIG "core/%s/info", backstore), *info = read_text(path), *name;
	unsigned int major, minor;

	free(path);
	if (info) {
		if ((name = strstr(info, "Major: ")) &&
		    sscanf(name, "Major: %u Minor: %u", &major, &minor) == 2) {
			path = xasprintf("%u:%u", major, minor);
			stand_on_path(g, lun, path);
			free(path);
		} else if ((name = strstr(info, "File: /"))) {
			name += strlen("File: ");
			*(strstr(name, "  Size: ") ?: name) = '\0';
			path = graph_escape(name);
			stand_on_path(g, lun, path);
			free(path);
		}
	}
	free(info);
}

/* Add the LUN of a link iscsi/TARGET/tpgt_1/lun/lun_0/NAME, which leads to .../core/BACKSTORE. */
static void add_lun(struct graph *g, char *link)
{
	char to[1024], *rest = link + strlen(CONFIG "iscsi/"), *target, *lun, *name;
	ssize_t n = readlink(link, to, sizeof(to) - 1);
	const char *backstore;
	struct node *node;

	if (n <= 0)
		return;
	to[n] = '\0';
	backstore = strstr(to, "/core/");
	target = strsep(&rest, "/");
	lun = strstr(rest, "/lun_") + strlen("/lun_");
	lun[strcspn(lun, "/")] = '\0';
	if (!backstore)
		return;
	backstore += strlen("/core/");
	name = xasprintf("%s::%s", target, lun);
	node = graph_add(g, name, "lun");
	graph_name(g, node, "", backstore);
	add_backstore(g, node, backstore);
	free(name);
}

void luns_add(struct graph *g)
{
	glob_t links = {};

	if (!glob(CONFIG "iscsi/*/tpgt_*/lun/lun_*/*", 0, NULL, &links))
		for (size_t i = 0; i < links.gl_pathc; i++)
			add_lun(g, links.gl_pathv[i]);
	globfree(&links);
}
