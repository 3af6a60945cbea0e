/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings each module from its actual to its desired state after kernel modules, files or estat.conf
 * have changed, or after clients have begun or stopped reading a module.
 */
#ifndef ESTAT_PMDA_RECONCILE_H
#define ESTAT_PMDA_RECONCILE_H

#include "serve/agent.h"

/* Remember the loaded kernel modules, before the first module is opened. */
void reconcile_begin(struct agent *a);

/*
 * Milliseconds until reconcile() or reconcile_rests() has something to do; -1: nothing until
 * watch_fd() or kmod_events_fd() has an event, or pmcd sends a request.
 */
int reconcile_wait(const struct agent *a);

/*
 * To be called when the milliseconds that reconcile_wait() returned have passed. If reconcile() has
 * nothing to do yet, look at the kernel modules that modules probe. If none of them has changed,
 * return true, and set *wait to the milliseconds until the next call. Such a look reads few cache
 * lines, and no memory of the series. Returns false if the caller shall call reconcile().
 */
bool reconcile_rests(struct agent *a, int *wait);

enum reconcile_done {
	RECONCILE_NOTHING,
	RECONCILE_LOADED,  /* did a step for one module; the set of metrics is the same */
	RECONCILE_CHANGED, /* modules or metrics have changed: call request_serve_again() */
};

/*
 * Take note of changed kernel modules, files and settings. Then do one step for one module or, if
 * no module needs a step, look at modules' liveness and at exported series, as far as that is due.
 */
enum reconcile_done reconcile(struct agent *a);

/*
 * Do the next step for this module, if the module needs a step. If the module's file is gone, the
 * last step frees the module. Does nothing if the module was freed earlier.
 */
enum reconcile_done reconcile_module(struct agent *a, const struct module *m);

#endif /* ESTAT_PMDA_RECONCILE_H */
