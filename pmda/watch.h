/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the folder of modules and the folder of estat.conf, with inotify(7). The agent reads a
 * changed file when its writer has closed it, and neither a module's file nor estat.conf has
 * changed for 0.3 s, so that the agent does not read a half-written file.
 */
#ifndef ESTAT_PMDA_WATCH_H
#define ESTAT_PMDA_WATCH_H

#include <stdbool.h>

/* Watch both folders. Log which folder cannot be watched; watch_look() tries it again. */
void watch_begin(const char *folder, const char *config);
void watch_end(void);

/* The descriptor to poll; -1: inotify does not work. */
int watch_fd(void);

/* Read inotify's events. */
void watch_read(void);

/*
 * Try to watch each folder that is not watched. If a watch begins, the folder's files count as
 * changed: all modules' files, or estat.conf.
 */
void watch_look(void);

/*
 * Milliseconds until the changes so far count; 0: they count now. Without changes: milliseconds
 * until watch_look() is due; -1: watch_look() has nothing to do, because both folders are watched
 * or inotify does not work.
 */
int watch_wait(void);

/*
 * A write changes a file when the writer closes the file. watch_configured(): has estat.conf
 * changed, and does nobody write to it? watch_changed(): has the module's file `name` changed, and
 * does nobody write to it? watch_any(): has any module's file changed, or do all count as changed?
 * watch_any() is true even if somebody writes to the changed file again.
 */
bool watch_configured(void);
bool watch_changed(const char *name);
bool watch_any(void);

/* Forget all changes, because reconcile() has noted them in the modules. */
void watch_done(void);

#endif /* ESTAT_PMDA_WATCH_H */
