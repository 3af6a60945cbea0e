/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of modules: finds files in the folder; opens, starts, replaces and removes modules. */
#ifndef ESTAT_PMDA_MODULES_H
#define ESTAT_PMDA_MODULES_H

#include "serve/agent.h"

/*
 * Open and configure the modules in the folder, in the order of file names. Build the metrics of
 * all modules that are neither off nor refused, so that clients find the names before reconcile()
 * has started the modules.
 */
void modules_open(struct agent *a);

/* Is there a module whose first start has not ended yet, and whose file is there? */
bool modules_is_starting(const struct agent *a);

/*
 * Read estat.conf. If estat.conf cannot be read and the agent has settings from an earlier call,
 * returns false, and those settings stay.
 */
bool modules_configure(struct agent *a);

/*
 * Remember in each module whether its file has changed or is gone, and add modules for new files.
 * If another user than root can write to the folder, only remember which files are gone. Returns
 * whether a module was added.
 */
bool modules_look(struct agent *a);

/*
 * Start a module, or start it again. This function, modules_replace(), modules_change() and
 * modules_switch_off() return whether the caller must call agent_build(). For the parameter `ns`
 * see lifecycle.h. If m->next is not NULL afterwards, the change is not over, and the caller later
 * calls modules_change().
 */
bool modules_start(struct agent *a, struct module *m, uint64_t ns);

/* Open the module's file and read its settings again, and begin to replace the object. */
bool modules_replace(struct agent *a, struct module *m, uint64_t ns);

/*
 * If a change is under way, go on with the change. Else choose the module's BPF programs again and,
 * unless they are those of the loaded object, begin to load an object with these BPF programs, in
 * the place of the loaded object if there is one.
 */
bool modules_change(struct agent *a, struct module *m, uint64_t ns);

/*
 * Drop the counters of a module whose object is not in the kernel, and withdraw the module's
 * metrics, because of `enabled = off`, or because estat.conf cannot be read.
 */
bool modules_switch_off(struct agent *a, struct module *m);

/* Remove a detached module whose file is gone. */
void modules_remove(struct agent *a, unsigned int index);

/* Add slots to each table of the loaded objects that has few free slots. */
void modules_grow(const struct agent *a);

/* Stop and free all modules; free the agent's metrics, tables, settings and what modules share. */
void modules_stop(struct agent *a);

#endif /* ESTAT_PMDA_MODULES_H */
