/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings each module from its actual to its desired state: kernel modules are
 * loaded and unloaded, files and estat.conf change, clients begin and stop to read.
 */
#ifndef ESTAT_PMDA_RECONCILE_H
#define ESTAT_PMDA_RECONCILE_H

#include "serve/agent.h"

/* Note the kernel modules, before the first module is opened. */
void reconcile_begin(struct agent *a);

/* Milliseconds until reconcile() has something to do; -1: until an event. */
int reconcile_wait(const struct agent *a);

/* What reconcile() has done. */
enum reconcile_done {
	RECONCILE_NOTHING,
	/* a step that took privileges, memory and time; there may be more to do */
	RECONCILE_LOADED,
	RECONCILE_CHANGED, /* such a step, and the tables must be built again */
};

/* Do one step for one module, if any is due. */
enum reconcile_done reconcile(struct agent *a);

#endif /* ESTAT_PMDA_RECONCILE_H */
