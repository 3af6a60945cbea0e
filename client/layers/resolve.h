/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what a name stands for on this host. The name can be a path, a tag such as UUID=x, a
 * device number, a process, a unit. Reads files in /proc and /sys, and only the parts of a path
 * that lie on local file systems: a stat(2) on a mount of NFS can hang.
 */
#ifndef ESTAT_CLIENT_LAYERS_RESOLVE_H
#define ESTAT_CLIENT_LAYERS_RESOLVE_H

#include <stdbool.h>

/* What a name stands for. The caller owns the texts; a text that does not apply is NULL. */
struct resolved {
	char *disk; /* the kernel name of a block device */
	/* directory of a mount: the name is the mount's source or number, or a path in the mount */
	char *mount;
	char *type;   /* the type of the file system at `mount` */
	char *source; /* the source of the file system: /dev/sda1, tank/data, server:/export */
	char *number; /* MAJ:MIN of the file system */
	/* of NFS: `source` with the server's address in place of the server's name; else NULL */
	char *server;
	char *cgroup; /* the path of a cgroup from cgroup2's root: /system.slice/x.service, or / */
	bool pool;    /* the name is that of an imported pool of ZFS */
};

/*
 * Find out what `name` stands for on this host. Returns false, and sets all members to NULL, if the
 * host has nothing of this name.
 */
bool resolve_here(struct resolved *resolved, const char *name);

/*
 * The cgroup of a container by twelve or more digits of the container's id; NULL: there is none.
 * The caller frees the text.
 */
char *resolve_container(const char *id);

/* How many letters the tag of a name such as UUID=x or LABEL=x has; 0: the name has no tag. */
unsigned int resolve_tag(const char *name);

#endif /* ESTAT_CLIENT_LAYERS_RESOLVE_H */
