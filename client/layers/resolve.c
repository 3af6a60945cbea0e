// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "lib/escape.h"
#include "lib/file.h"
#include "lib/xalloc.h"
#include "resolve.h"

#define MAX_LINKS 40 /* the most symbolic links that the kernel follows in a path */
/* how many times at most ends_soon() waits 10 ms for the kernel to read a file's inode */
#define TRIES    100
#define SHORT_ID 12 /* how many digits of a container's id docker ps and podman ps print */

/* A line of /proc/self/mountinfo. */
static struct mount {
	char *number, *directory, *type, *source, *options;
} * mounts;
static unsigned int nmounts;

static void read_mounts(void)
{
	FILE *f = nmounts ? NULL : fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size;

	while (f && getline(&line, &size, f) > 0) {
		char *rest = strstr(line, " - ");
		struct mount m;

		if (!rest || sscanf(line, "%*s %*s %ms %*s %ms", &m.number, &m.directory) != 2 ||
		    sscanf(rest + 3, "%ms %ms %ms", &m.type, &m.source, &m.options) != 3)
			continue;
		unescape_name(m.directory);
		unescape_name(m.source);
		mounts = grow(mounts, nmounts, sizeof(*mounts));
		mounts[nmounts++] = m;
	}
	free(line);
	if (f)
		fclose(f);
}

/*
 * The mount on which a path without symbolic links lies: of the mounts whose directory the path
 * begins with, that with the longest directory; of several there, the last in mountinfo.
 */
static const struct mount *mount_of(const char *path)
{
	const struct mount *found = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < nmounts; i++) {
		size_t length = strlen(mounts[i].directory);

		if (length == 1)
			length = 0; /* "/" */
		if (length >= longest && !strncmp(path, mounts[i].directory, length) &&
		    (!path[length] || path[length] == '/')) {
			longest = length;
			found = &mounts[i];
		}
	}
	return found;
}

/*
 * Does the kernel surely answer for the files of the mount without a server or a daemon? True also
 * for 9p and virtiofs: as a rule the server is the host of this virtual machine, which is up.
 */
static bool is_local(const struct mount *mount)
{
	static const char *const types[] = { "tmpfs",    "devtmpfs", "ramfs",   "rootfs",
					     "btrfs",    "zfs",      "overlay", "9p",
					     "virtiofs", "sysfs",    "cgroup2" };

	if (!mount)
		return true;
	if (strncmp(mount->number, "0:", 2)) /* the file system of a block device */
		return strcmp(mount->type, "fuseblk") != 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(mount->type, types[i]))
			return true;
	return false;
}

/* Put a symbolic link's target before the rest of a path. False: the link cannot be read. */
static bool follow(const char *link, char **path, const char *rest)
{
	char target[PATH_MAX], *before = *path;
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	*path = xasprintf("%s/%s", target, rest);
	free(before);
	return true;
}

/*
 * Would lstat(2) end soon? If the path is not in memory, a child process reads it from the disk,
 * because a disk that hangs would hold the caller up. If the child needs longer than a second, the
 * answer is false; such a child can outlive this command. Before Linux 5.12 the kernel cannot tell
 * what it has in memory, and the answer is true.
 */
static bool ends_soon(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_CACHED };
	int fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	struct stat st;
	pid_t child;

	if (fd >= 0)
		close(fd);
	if (fd >= 0 || errno != EAGAIN)
		return true;
	child = fork();
	if (!child) {
		/*
		 * close the child's copy of this command's output, because a program that reads the
		 * output waits until all copies are closed
		 */
		close_range(0, ~0U, 0);
		_exit(lstat(path, &st) != 0);
	}
	for (int i = 0; child > 0 && i < TRIES; i++) {
		if (waitpid(child, NULL, WNOHANG))
			return true;
		usleep(10000);
	}
	if (child > 0)
		kill(child, SIGKILL);
	return child < 0;
}

/* Is this the root of a mount: a directory, or the file of a bind mount? */
static bool is_mounted(const char *path)
{
	const struct mount *mount = mount_of(path);

	return mount && !strcmp(mount->directory, path);
}

/*
 * The path without symbolic links, . and .., as by realpath(3). A part of the path that is on a
 * mount that is not local, or on a disk that hangs, is taken as it is. Sets *device to the number
 * of the block device at the path; 0: the file is no block device, or was not looked at. NULL: a
 * part of the path cannot be looked at, or too many links. The caller frees the path.
 */
static char *real_path(const char *name, dev_t *device)
{
	char *path = xalloc(strdup(name)), *done = xalloc(strdup("")), *rest = path;
	unsigned int links = 0;

	*device = 0;
	while (*rest) {
		size_t length;
		char *next;
		struct stat st;

		rest += strspn(rest, "/");
		length = strcspn(rest, "/");
		if (!length || (length == 1 && *rest == '.')) {
			rest += length;
			continue;
		}
		if (length == 2 && !strncmp(rest, "..", 2)) {
			if (*done)
				*strrchr(done, '/') = '\0';
			*device = 0;
			rest += length;
			continue;
		}
		next = xasprintf("%s/%.*s", done, (int)length, rest);
		rest += length;
		if (is_mounted(next) || !is_local(mount_of(*done ? done : "/")) ||
		    !ends_soon(next)) {
			*device = 0;
		} else if (lstat(next, &st) ||
			   (S_ISLNK(st.st_mode) &&
			    (links++ == MAX_LINKS || !follow(next, &path, rest)))) {
			free(next);
			free(path);
			free(done);
			return NULL;
		} else if (S_ISLNK(st.st_mode)) {
			rest = path;
			if (*path == '/')
				*done = '\0';
			free(next);
			continue;
		} else {
			*device = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
		}
		free(done);
		done = next;
	}
	free(path);
	return done;
}

/* The kernel name of a block device by its number MAJ:MIN; NULL: none. */
static char *disk_of(const char *number)
{
	char *link = xasprintf("/sys/dev/block/%s", number), target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	free(link);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	return xalloc(strdup(strrchr(target, '/') + 1));
}

/* The source of a mount of NFS, with an address as the server; NULL: not known, or not NFS. */
static char *server_of(const struct mount *mount)
{
	const char *address = strstr(mount->options, ",addr="),
		   *export = strstr(mount->source, ":/");

	if (!address || !export)
		return NULL;
	address += strlen(",addr=");
	return xasprintf("%.*s%s", (int)strcspn(address, ","), address, export);
}

static void take_mount(struct resolved *r, const struct mount *mount)
{
	r->mount = xalloc(strdup(mount->directory));
	r->type = xalloc(strdup(mount->type));
	r->source = xalloc(strdup(mount->source));
	r->number = xalloc(strdup(mount->number));
	r->server = server_of(mount);
}

static bool resolve_path(struct resolved *r, const char *name)
{
	const struct mount *mount = NULL;
	char *path, *number;
	dev_t device;

	/* a mount's directory is looked up in mounts[], which asks no file system */
	if (is_mounted(name)) {
		take_mount(r, mount_of(name));
		return true;
	}
	path = real_path(name, &device);
	if (!path)
		return false;
	number = xasprintf("%u:%u", major(device), minor(device));
	if (device)
		r->disk = disk_of(number);
	else if ((mount = mount_of(path)))
		take_mount(r, mount);
	free(number);
	free(path);
	return r->disk || mount;
}

/* The directory on which cgroup2 is mounted; NULL: cgroup2 is not mounted. */
static const char *cgroup_root(void)
{
	for (unsigned int i = 0; i < nmounts; i++)
		if (!strcmp(mounts[i].type, "cgroup2"))
			return mounts[i].directory;
	return NULL;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/*
 * The cgroup at a path such as /system.slice, or at a path that begins with the directory of
 * cgroup2, such as /sys/fs/cgroup/system.slice; NULL: there is none.
 */
static char *cgroup_at(const char *name)
{
	const char *root = cgroup_root();
	char *path = NULL, *found = NULL;

	if (!root)
		return NULL;
	if (!strncmp(name, root, strlen(root)) &&
	    (name[strlen(root)] == '/' || !name[strlen(root)]))
		name += strlen(root);
	if (*name && *name != '/')
		return NULL;
	path = xasprintf("%s%s", root, name);
	if (is_directory(path))
		found = xalloc(strdup(*name ? name : "/"));
	free(path);
	return found;
}

static char *cgroup_of_process(const char *pid)
{
	char *path = xasprintf("/proc/%s/cgroup", pid), *found = NULL;

	scan_lines(path, "0::%m[^\n]", &found);
	free(path);
	return found;
}

/*
 * Does the name of a cgroup's folder match the glob? \x2d in the name, which systemd writes for a
 * hyphen, counts as a hyphen. Folders of podman's monitor, conmon, never match: they have the
 * container's id in their names, too.
 */
static bool is_called(const char *folder, const char *glob)
{
	char *text = xalloc(strdup(folder)), *to = text;
	bool is;

	for (const char *from = folder; *from; from++) {
		bool hyphen = !strncmp(from, "\\x2d", 4);

		*to++ = hyphen ? '-' : *from;
		from += hyphen ? 3 : 0;
	}
	*to = '\0';
	is = !fnmatch(glob, text, 0);
	free(text);
	return is && !strstr(folder, "conmon");
}

/*
 * The path, from the root of cgroup2, of a cgroup whose folder's name matches the glob, see
 * is_called(). The names of the cgroups above do not match. NULL: there is none. The caller frees
 * the path.
 */
static char *find_cgroup(const char *glob)
{
	char *roots[] = { (char *)cgroup_root(), NULL }, *found = NULL;
	FTS *tree = *roots ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_D && entry->fts_level &&
		    is_called(entry->fts_name, glob))
			found = xalloc(strdup(entry->fts_path + strlen(*roots)));
	if (tree)
		fts_close(tree);
	return found;
}

char *resolve_container(const char *id)
{
	char *glob = NULL, *found;

	if (strlen(id) < SHORT_ID || id[strspn(id, "0123456789abcdef")])
		return NULL;
	read_mounts();
	glob = xasprintf("*%s*", id);
	found = find_cgroup(glob);
	free(glob);
	return found;
}

/* The cgroup of a unit, container or virtual machine. Each tool names the folder differently. */
static char *cgroup_called(const char *name)
{
	static const char *const globs[] = { "%s", "lxc.payload.%s", "machine-%s.scope",
					     "systemd-nspawn@%s.service",
					     "machine-qemu-*-%s.scope" };
	char *found = resolve_container(name), *text = escape_glob(name);

	for (size_t i = 0; !found && i < sizeof(globs) / sizeof(globs[0]); i++) {
		const char *at = strstr(globs[i], "%s");
		char *glob = xasprintf("%.*s%s%s", (int)(at - globs[i]), globs[i], text, at + 2);

		found = find_cgroup(glob);
		free(glob);
	}
	free(text);
	return found;
}

unsigned int resolve_tag(const char *name)
{
	static const char *const tags[] = { "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strncmp(name, tags[i], strlen(tags[i])))
			return strlen(tags[i]) - 1;
	return 0;
}

/* The path of udev's link for a name such as UUID=x; NULL: `name` is no such name. */
static char *link_of(const char *name)
{
	unsigned int length = resolve_tag(name);
	char *path;

	if (!length)
		return NULL;
	path = xasprintf("/dev/disk/by-%.*s/%s", (int)length, name, name + length + 1);
	for (char *p = path; p < path + strlen("/dev/disk/by-") + length; p++)
		*p = tolower((unsigned char)*p);
	return path;
}

/*
 * Find a block device by its name in /dev or /dev/mapper, or by a tag such as UUID=x, for which
 * udev makes links. Returns false if there is none.
 */
static bool resolve_disk(struct resolved *r, const char *name)
{
	char *const paths[] = { link_of(name), xasprintf("/dev/%s", name),
				xasprintf("/dev/mapper/%s", name) };
	bool known = false;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct resolved there = { 0 };

		if (!known && paths[i] && resolve_path(&there, paths[i]) && there.disk) {
			*r = there;
			known = true;
		}
		free(paths[i]);
	}
	return known;
}

static bool resolve_number(struct resolved *r, const char *name)
{
	if (name[strspn(name, "0123456789:")] || !strchr(name, ':'))
		return false;
	r->disk = disk_of(name);
	for (unsigned int i = 0; !r->disk && !r->mount && i < nmounts; i++)
		if (!strcmp(mounts[i].number, name))
			take_mount(r, &mounts[i]);
	return r->disk || r->mount;
}

/* Resolve a name that is the source of a mount: server:/export or tank/data. */
static bool resolve_source(struct resolved *r, const char *name)
{
	for (unsigned int i = 0; !r->mount && i < nmounts; i++)
		if (!strcmp(mounts[i].source, name) && *name != '/' && strpbrk(name, "/"))
			take_mount(r, &mounts[i]);
	return r->mount;
}

static bool is_pool(const char *name)
{
	char *path = xasprintf("/proc/spl/kstat/zfs/%s", name);
	bool is = isalpha((unsigned char)*name) && !strchr(name, '/') && is_directory(path);

	free(path);
	return is;
}

bool resolve_here(struct resolved *r, const char *name)
{
	*r = (struct resolved){ 0 };
	read_mounts();
	if (!strncmp(name, "pid:", 4)) {
		r->cgroup = cgroup_of_process(name + 4);
	} else if (*name == '/') {
		const char *root = cgroup_root();

		if ((!root || strncmp(name, root, strlen(root))) && resolve_path(r, name))
			return true;
		r->cgroup = cgroup_at(name);
	} else {
		r->pool = is_pool(name);
		if (r->pool || resolve_number(r, name) || resolve_disk(r, name) ||
		    resolve_source(r, name))
			return true;
		/*
		 * a number is tried as a container's name first, because Proxmox calls containers
		 * by numbers, and then as a process
		 */
		r->cgroup = cgroup_called(name);
		if (!r->cgroup && !name[strspn(name, "0123456789")])
			r->cgroup = cgroup_of_process(name);
	}
	return r->cgroup;
}
