/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes in the modules folder and in estat.conf's, by inotify(7): which files, once
 * they are closed and all has been quiet for a moment, so that none is taken half written.
 */
#ifndef ESTAT_PMDA_WATCH_H
#define ESTAT_PMDA_WATCH_H

#include <stdbool.h>

/* Watch both. What cannot be watched is logged: watch_look() tries again. */
void watch_begin(const char *folder, const char *config);
void watch_end(void);

/* What to poll, or -1. */
int watch_fd(void);

/* Take what inotify has to say. */
void watch_read(void);

/* Watch what could not be watched, as it was not there: all in it has changed then. */
void watch_look(void);

/* Milliseconds until there is something to be done: 0 if there is, -1 if nothing has changed. */
int watch_wait(void);

/* Has estat.conf changed, or the file of that name in the modules folder, or one of any name? */
bool watch_configured(void);
bool watch_changed(const char *name);
bool watch_any(void);

/* That is dealt with. */
void watch_done(void);

#endif /* ESTAT_PMDA_WATCH_H */
