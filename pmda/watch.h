/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the folder of modules and the folder of estat.conf, with inotify(7). A file counts as
 * changed once it is closed and nothing has changed for 0.3 s: no half-written file is read.
 */
#ifndef ESTAT_PMDA_WATCH_H
#define ESTAT_PMDA_WATCH_H

#include <stdbool.h>

/* Watch both folders. If a folder cannot be watched, log it; watch_look() tries again. */
void watch_begin(const char *folder, const char *config);
void watch_end(void);

/* The descriptor to poll; -1: inotify does not work. */
int watch_fd(void);

/* Read inotify's events. */
void watch_read(void);

/* Watch a folder that could not be watched before; then all its files count as changed. */
void watch_look(void);

/* Milliseconds until changes can be taken (0: now), or watch_look() is due; -1: neither. */
int watch_wait(void);

/* Has estat.conf changed? A module's file `name`? Any file in the folder of modules? */
bool watch_configured(void);
bool watch_changed(const char *name);
bool watch_any(void);

/* Forget the changes, because reconcile() has taken them. */
void watch_done(void);

#endif /* ESTAT_PMDA_WATCH_H */
