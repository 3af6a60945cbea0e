// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What changes in the modules folder and in estat.conf's.
 */
#include <errno.h>
#include <libgen.h>
#include <pcp/pmapi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"
#include "util.h"

/* How long all must have been quiet. */
#define QUIET_NS UINT64_C(300000000)

/* Of a file that is being written IN_MODIFY comes, and at its end IN_CLOSE_WRITE. */
#define EVENTS (IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)

struct names {
	unsigned int n;
	char **names;
};

static int fd = -1, folder_watch = -1, config_watch = -1;
static char *config_name;
static struct names changed; /* in the modules folder */
static struct names written; /* there or estat.conf: somebody has them open for that */
static bool configured;
static bool all_changed; /* the folder's owner or mode has, or events were lost */
static char *folder_path;
static struct stat folder_was;
static uint64_t last; /* when something did, CLOCK_MONOTONIC nanoseconds */

static bool has(const struct names *names, const char *name)
{
	for (unsigned int i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static void add(struct names *names, const char *name)
{
	if (has(names, name))
		return;
	names->names = or_die(realloc(names->names, (names->n + 1) * sizeof(*names->names)));
	names->names[names->n++] = or_die(strdup(name));
}

static void drop(struct names *names, const char *name)
{
	for (unsigned int i = 0; i < names->n; i++) {
		if (strcmp(names->names[i], name))
			continue;
		free(names->names[i]);
		names->names[i] = names->names[--names->n];
		return;
	}
}

static void clear(struct names *names)
{
	while (names->n)
		free(names->names[--names->n]);
	free(names->names);
	names->names = NULL;
}

static int watch(const char *path)
{
	int w = inotify_add_watch(fd, path, EVENTS | IN_ONLYDIR);

	if (w < 0)
		pmNotifyErr(LOG_WARNING, "%s: it is not watched, a change takes a restart: %s",
			    path, osstrerror());
	return w;
}

void live_begin(const char *folder, const char *config)
{
	char *path = or_die(strdup(config)), *base = or_die(strdup(config));

	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	config_name = or_die(strdup(basename(base)));
	folder_path = or_die(strdup(folder));
	folder_watch = watch(folder);
	if (stat(folder, &folder_was))
		folder_was = (struct stat){};
	config_watch = watch(dirname(path));
	free(path);
	free(base);
}

void live_end(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	free(config_name);
	free(folder_path);
	config_name = folder_path = NULL;
	clear(&changed);
	clear(&written);
}

int live_fd(void)
{
	return fd;
}

/* Whose the folder is, and its mode, decide of all files in it. */
static bool folder_is_other(void)
{
	struct stat before = folder_was;

	return !stat(folder_path, &folder_was) &&
	       (before.st_uid != folder_was.st_uid || before.st_mode != folder_was.st_mode);
}

/* A file is being written, or it is another one now, or no more. */
static void note(const struct inotify_event *e)
{
	bool is_config = e->wd == config_watch && e->len && !strcmp(e->name, config_name);

	if (!e->len && e->wd == folder_watch && e->mask & IN_ATTRIB && folder_is_other()) {
		last = clock_now();
		all_changed = true;
	}
	if (!e->len || (!is_config && e->wd != folder_watch))
		return;
	last = clock_now();
	if (e->mask & IN_MODIFY) {
		add(&written, e->name);
		return;
	}
	if (!(e->mask & IN_ATTRIB))
		drop(&written, e->name);
	if (is_config)
		configured = true;
	else
		add(&changed, e->name);
}

void live_read(void)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(fd, buffer, sizeof(buffer)); /* once: others may write without an end */
	const struct inotify_event *e;

	for (char *at = buffer; at < buffer + n; at += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)at;
		if (e->mask & IN_Q_OVERFLOW)
			all_changed = configured = true;
		note(e);
	}
}

int live_wait(void)
{
	uint64_t quiet = clock_now() - last;

	if (!configured && !live_any())
		return -1;
	return quiet >= QUIET_NS ? 0 : (QUIET_NS - quiet) / 1000000 + 1;
}

bool live_configured(void)
{
	return configured && !has(&written, config_name);
}

bool live_changed(const char *name)
{
	return (all_changed || has(&changed, name)) && !has(&written, name);
}

bool live_any(void)
{
	return all_changed || changed.n;
}

void live_done(void)
{
	clear(&changed);
	configured = all_changed = false;
}
