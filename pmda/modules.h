/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of modules: finds files in the folder; opens, starts, replaces and removes modules. */
#ifndef ESTAT_PMDA_MODULES_H
#define ESTAT_PMDA_MODULES_H

#include "serve/agent.h"

/*
 * Find and configure the modules in the folder, and build the metrics of all that are on as if
 * they ran. So a client finds the names while modules are still starting, which takes a while.
 * reconcile() starts the modules, one at a time. A module's status tells what is wrong with it.
 */
void modules_open(struct agent *a);

/* Has a module not been started for the first time yet? */
bool modules_is_starting(const struct agent *a);

/* Read estat.conf again. Returns false if it cannot be read; then the previous settings stay. */
bool modules_configure(struct agent *a);

/* Can only root write the folder? A user who can write it can put modules there. Logs it if not. */
bool modules_trusts_folder(const struct agent *a);

/* Add the module of a new file. It is due to be started. */
void modules_add(struct agent *a, const char *file);

/*
 * Start a module for the first time; replace a module by one from its file and settings as they
 * are now; remove a module whose file is gone. Each returns whether agent_build() must be called.
 * A module that takes long to detach becomes `leaving` instead: call again when it has left.
 */
bool modules_begin(struct agent *a, unsigned int index);
bool modules_replace(struct agent *a, unsigned int index);
bool modules_remove(struct agent *a, unsigned int index);

void modules_stop(struct agent *a);

#endif /* ESTAT_PMDA_MODULES_H */
