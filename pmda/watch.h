/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the modules' folder and estat.conf's folder, by inotify(7). A file counts as changed
 * once it is closed and nothing has changed for a moment, so that no half-written file is taken.
 */
#ifndef ESTAT_PMDA_WATCH_H
#define ESTAT_PMDA_WATCH_H

#include <stdbool.h>

/* Watch both folders. A folder that cannot be watched is logged; watch_look() tries again. */
void watch_begin(const char *folder, const char *config);
void watch_end(void);

/* The descriptor to poll; -1: inotify does not work. */
int watch_fd(void);

/* Read the events that inotify has. */
void watch_read(void);

/* Watch a folder that could not be watched before; then all in it counts as changed. */
void watch_look(void);

/* Milliseconds until a change can be taken: 0: now; -1: nothing has changed. */
int watch_wait(void);

/* Has estat.conf changed; the file `name` in the modules' folder; any file there? */
bool watch_configured(void);
bool watch_changed(const char *name);
bool watch_any(void);

/* Forget the changes, because reconcile() has taken them. */
void watch_done(void);

#endif /* ESTAT_PMDA_WATCH_H */
