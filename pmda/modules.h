/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of modules: finds files in the folder; opens, starts, replaces and removes modules. */
#ifndef ESTAT_PMDA_MODULES_H
#define ESTAT_PMDA_MODULES_H

#include "serve/agent.h"

/*
 * Open and configure the modules in the folder, in the order of file names. Build the metrics of
 * all that are on, so that a client finds the names before reconcile() has started the modules.
 */
void modules_open(struct agent *a);

/* Is there a module that is due to start for the first time? */
bool modules_is_starting(const struct agent *a);

/* Read estat.conf again. Returns false if it cannot be read; then the previous settings stay. */
bool modules_configure(struct agent *a);

/* Can only root write the folder of modules? If not, log it: any user could add a module. */
bool modules_trusts_folder(const struct agent *a);

/* Add the module of a new file. reconcile() starts the module. */
void modules_add(struct agent *a, const char *file);

/*
 * Start a module for the first time; replace a module, as its file or settings have changed; remove
 * a module whose file is gone. Each returns true if agent_build() must be called. A module that
 * takes long to detach becomes `leaving` instead: call again when it is detached.
 */
bool modules_begin(struct agent *a, unsigned int index);
bool modules_replace(struct agent *a, unsigned int index);
bool modules_remove(struct agent *a, unsigned int index);

/* Stop and free all modules, and free the agent's memory. */
void modules_stop(struct agent *a);

#endif /* ESTAT_PMDA_MODULES_H */
