/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps that bring a module from one state to another. docs/architecture.md has the table:
 * which state and which desired state need which step. A function with a parameter `ns` attaches
 * BPF programs for about `ns` nanoseconds at most, and detaches for as long at most, even if there
 * is more to do. `ns` does not limit the time to load an object.
 */
#ifndef ESTAT_PMDA_LIFECYCLE_H
#define ESTAT_PMDA_LIFECYCLE_H

#include "load/module.h"

/* Make a module of an edition. The module owns the edition and the edition's path. */
struct module *module_new(struct edition *e);

/* Detach, unload and free a module. */
void module_free(struct module *m);

enum module_change {
	CHANGE_GOES_ON, /* call module_change() again */
	CHANGE_READY,   /* the new object is attached, or only checked: call module_commit() */
	/*
	 * nothing to commit: the edition is off or has failed, or the BPF programs of the old
	 * object fit the present state of the kernel modules
	 */
	CHANGE_OVER,
};

/*
 * Replace the module's object, if there is one, by a new object of the edition: load the new
 * object, attach it and detach the old object in steps. If no client reads a module on demand, only
 * check the new object, unless the new object uses the maps of the old object. Every start and
 * change of a module is made by this function: a first start, a start after a failure, other
 * probes, a new file, new settings, an attachment on demand.
 *
 * If a new edition fails, a running module keeps its object and edition, unless the module is idle
 * and the kernel can attach no edition of it. A module that does not run but has counters keeps its
 * edition, too, if the new edition has an error or the new counters have the same types. In both
 * cases m->refused says why the new edition is refused. Any other module takes the new edition, and
 * waits or has failed. If a new object of the module's own edition fails, an attached module goes
 * on with the old object, unless the new object was to attach again what an earlier failed change
 * had detached. Any other module waits or has failed.
 *
 * Takes over `e`, and frees `e` if the module keeps another edition.
 */
enum module_change module_change(struct module *m, struct edition *e, uint64_t ns);

/*
 * Put the new object in the place of the old object, and the new object's edition in the place of
 * the old edition. If the two editions differ, the caller frees the old edition. If
 * loaded_goes_on(), the counters go on; else they begin at 0.
 */
void module_commit(struct module *m);

/*
 * Set the state of a module from MODULE_IDLE to MODULE_WAITING. Does nothing in the states in which
 * module_runs() is false. The caller starts the module next.
 */
void module_stand_by(struct module *m);

/*
 * Unload the object of a module that estat.conf switches off, and make `e` the module's edition.
 * If `e` is a new edition, the caller frees the old edition.
 */
void module_switch_off(struct module *m, struct edition *e);

/*
 * Detach BPF programs for about `ns` nanoseconds, and unload the object after the last. Returns
 * whether all is done; if not, the caller calls again.
 */
bool module_detach(struct module *m, uint64_t ns);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
