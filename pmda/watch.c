// SPDX-License-Identifier: GPL-2.0-or-later
/* Watches the modules' folder and estat.conf's folder. */
#include <libgen.h>
#include <pcp/pmapi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/object.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "watch.h"

/* The agent acts on changes after this time without a further change, nanoseconds. */
#define QUIET_NS UINT64_C(300000000)
#define LOOK_MS  1000 /* milliseconds from one look for a missing folder to the next */

/*
 * A process that writes a file causes IN_MODIFY, and IN_CLOSE_WRITE at the end. truncate(2) with a
 * path causes IN_MODIFY alone, so the file looks as if it were still being written.
 */
#define EVENTS (IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)

/* The folder itself was renamed or deleted, or its file system unmounted. */
#define GONE (IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT)

struct names {
	unsigned int n;
	char **names;
};

struct folder {
	char *path;
	int watch; /* inotify's watch descriptor; -1: the folder is not watched for now */
};

static int fd = -1;
static struct folder modules = { .watch = -1 }; /* the folder of modules */
static struct folder config = { .watch = -1 };  /* the folder of estat.conf */
static char *config_name;                       /* the last component of the path of estat.conf */
static struct names changed;                    /* files changed in the folder of modules */
static struct names written; /* modules' files and estat.conf, while they are being written */
static bool configured;      /* estat.conf has changed */
/*
 * All modules' files count as changed, because the folder of modules has got another owner or mode,
 * is watched again after a time without a watch, or inotify has lost events.
 */
static bool all_changed;
static struct stat folder_was; /* the folder of modules at the last look at its owner and mode */
/* time of the newest change of a watched file or folder, CLOCK_MONOTONIC nanoseconds */
static uint64_t last;

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
	names->names = grow(names->names, names->n, sizeof(*names->names));
	names->names[names->n++] = xalloc(strdup(name));
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

/* Watch a folder, if it is not watched yet. Returns whether the watch begins now. */
static bool watch(struct folder *f)
{
	if (fd < 0 || f->watch >= 0)
		return false;
	f->watch = inotify_add_watch(fd, f->path, EVENTS | GONE | IN_ONLYDIR);
	return f->watch >= 0;
}

static void warn(const struct folder *f, const char *why)
{
	pmNotifyErr(LOG_WARNING, "%s: not watched for now: %s", f->path, why);
}

static void begin(struct folder *f, const char *path)
{
	f->path = xalloc(strdup(path));
	if (fd >= 0 && !watch(f))
		warn(f, osstrerror());
}

static void see_folder(void)
{
	if (stat(modules.path, &folder_was))
		folder_was = (struct stat){};
}

void watch_begin(const char *folder, const char *config_file)
{
	char *path = xalloc(strdup(config_file)), *base = xalloc(strdup(config_file));

	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fd < 0)
		pmNotifyErr(LOG_WARNING,
			    "inotify: %s: a change of modules or estat.conf needs a restart",
			    osstrerror());
	config_name = xalloc(strdup(basename(base)));
	begin(&modules, folder);
	begin(&config, dirname(path));
	see_folder();
	free(path);
	free(base);
}

static void end(struct folder *f)
{
	free(f->path);
	*f = (struct folder){ .watch = -1 };
}

void watch_end(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	free(config_name);
	config_name = NULL;
	end(&modules);
	end(&config);
	clear(&changed);
	clear(&written);
}

int watch_fd(void)
{
	return fd;
}

/*
 * Has the folder of modules another owner or mode than at the previous look? The owner and the mode
 * decide whether the agent trusts the folder's files.
 */
static bool folder_is_other(void)
{
	struct stat before = folder_was;

	return !stat(modules.path, &folder_was) &&
	       (before.st_uid != folder_was.st_uid || before.st_mode != folder_was.st_mode);
}

/* If `e` says that the folder is gone, end its watch: watch_look() tries to watch it again. */
static void lose(struct folder *f, const struct inotify_event *e)
{
	if (e->len || e->wd != f->watch || !(e->mask & GONE))
		return;
	inotify_rm_watch(fd, f->watch);
	f->watch = -1;
	clear(&written); /* no event tells when a file in a lost folder is closed */
	warn(f, "it is gone");
}

static bool is_module_file(const struct inotify_event *e)
{
	return e->wd == modules.watch && object_is_module_file(e->name);
}

static void note(const struct inotify_event *e)
{
	bool is_config = e->wd == config.watch && e->len && !strcmp(e->name, config_name);

	if (!e->len && e->wd == modules.watch && e->mask & IN_ATTRIB && folder_is_other()) {
		last = clock_now();
		all_changed = true;
	}
	if (!e->len || !(is_config || is_module_file(e)))
		return; /* a file that is neither a module's nor estat.conf delays nothing */
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

void watch_read(void)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	/*
	 * read once in a call, not until the queue is empty, because a process that writes without
	 * end causes events without end
	 */
	ssize_t n = read(fd, buffer, sizeof(buffer));
	const struct inotify_event *e;

	for (char *at = buffer; at < buffer + n; at += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)at;
		if (e->mask & IN_Q_OVERFLOW) {
			all_changed = configured = true;
			clear(&written); /* the event that a file was closed may be lost */
		}
		note(e);
		lose(&modules, e);
		lose(&config, e);
	}
}

static bool is_lost(void)
{
	return fd >= 0 && (modules.watch < 0 || config.watch < 0);
}

void watch_look(void)
{
	if (watch(&modules)) {
		see_folder();
		last = clock_now();
		all_changed = true;
	}
	if (watch(&config)) {
		last = clock_now();
		configured = true;
	}
}

int watch_wait(void)
{
	uint64_t quiet = clock_now() - last;

	if (!configured && !watch_any())
		return is_lost() ? LOOK_MS : -1;
	return quiet >= QUIET_NS ? 0 : (QUIET_NS - quiet) / 1000000 + 1;
}

bool watch_configured(void)
{
	return configured && !has(&written, config_name);
}

bool watch_changed(const char *name)
{
	return (all_changed || has(&changed, name)) && !has(&written, name);
}

bool watch_any(void)
{
	return all_changed || changed.n;
}

void watch_done(void)
{
	clear(&changed);
	configured = all_changed = false;
}
