/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules: found in their folder, opened, started, replaced and removed.
 */
#ifndef ESTAT_PMDA_MODULES_H
#define ESTAT_PMDA_MODULES_H

#include "serve/agent.h"

/*
 * Find and configure the modules in estat.conf's folder, and build the metrics of all that are
 * on, as if they ran: a client that looks for names finds them while modules have yet to start,
 * which takes a while. reconcile() starts them, one at a time. What is wrong with a module is in
 * its status.
 */
void modules_open(struct agent *a);

/* Are there some that have yet to start for the first time? */
bool modules_is_starting(const struct agent *a);

/* Read estat.conf again. Returns false if it cannot be read: what was read before is kept. */
bool modules_configure(struct agent *a);

/* Is the folder root's alone to write? Who can write it can put modules there. Logs it if not. */
bool modules_trusts_folder(const struct agent *a);

/* There is a new file in the folder: it is due to be started. */
void modules_add(struct agent *a, const char *file);

/*
 * Start a module that is due for the first time; or one from its file and configuration as
 * they are now in the place of one that is there, or none, as its file is gone. agent_build() when
 * all is done, if that says that it serves more or other ones, or no more. One that takes long to
 * be detached is `leaving` instead: replace or remove it again once it has left.
 */
bool modules_begin(struct agent *a, unsigned int index);
bool modules_replace(struct agent *a, unsigned int index);
bool modules_remove(struct agent *a, unsigned int index);

void modules_stop(struct agent *a);

#endif /* ESTAT_PMDA_MODULES_H */
