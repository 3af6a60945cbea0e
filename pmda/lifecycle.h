/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps that bring a module from one state to another. docs/architecture.md has the table:
 * which state and which desired state need which step. A step takes about `ns` nanoseconds.
 */
#ifndef ESTAT_PMDA_LIFECYCLE_H
#define ESTAT_PMDA_LIFECYCLE_H

#include "load/module.h"

/* Make a module of an edition, whose path becomes the module's. */
struct module *module_new(struct edition *e);

/* Detach, unload and free. */
void module_free(struct module *m);

enum module_change {
	CHANGE_GOES_ON, /* call module_change() again */
	CHANGE_READY,   /* the new object can count: call module_commit() */
	CHANGE_OVER,    /* no change: the edition is off or fails, or the old object fits */
};

/*
 * Replace the object of a module, or none, by a new one of the edition: load it, attach it in
 * steps, detach the old one in steps; if no client reads a module on demand, check the new object
 * and load nothing. A module starts, starts again, changes its probes, takes a new file or new
 * settings and is attached on demand by this one function.
 *
 * If a new edition fails, a running module keeps its object and edition. So does a module that does
 * not run but has counters, if the new file or settings are refused or the new counters have the
 * same types. m->refused then says why. Any other module takes the edition, and waits or has
 * failed. If the module's own edition fails with other BPF programs, the module goes on with the
 * old ones; if it shall be attached but is not, it waits or has failed.
 *
 * Takes over `e`, and frees `e` if the module keeps another edition.
 */
enum module_change module_change(struct module *m, struct edition *e, uint64_t ns);

/*
 * The new object takes the place of the old one, and its edition that of the old edition, which
 * the caller frees. Counters go on if keys and values have the same types, else begin at 0.
 */
void module_commit(struct module *m);

/* An idle module waits from now on for the start that follows. */
void module_stand_by(struct module *m);

/* Unload the object of a module that estat.conf switches off, and take the edition. */
void module_switch_off(struct module *m, struct edition *e);

/*
 * Detach BPF programs for about `ns` nanoseconds, and unload the object after the last. Returns
 * false if that is not finished: call again.
 */
bool module_detach(struct module *m, uint64_t ns);

/* Must the object be loaded again: the kernel module has come or gone, or a try is due? */
bool module_must_start(const struct module *m);

/*
 * May other BPF programs fit: has a kernel module got or lost users, has the one of ESTAT_ALSO come
 * or gone, or may BTF be there now?
 */
bool module_must_probe(const struct module *m);

/* Is it time to repeat a start or change that failed? */
bool module_try_is_due(const struct module *m);

/* Shall the module be attached: by `attach = always`, or because a client reads it? */
bool module_is_wanted(const struct module *m);

/* Does the module wait for any kernel module that brings the probed functions or their BTF? */
bool module_awaits_any(const struct module *m);

/*
 * Call this while no kernel module is being loaded; `same`: none came or went since the last call.
 * If not `same`, a module starts again for which module_awaits_any() is true. If `same`, a running
 * module tries fentry once more: while a kernel module is loaded, its functions appear before its
 * BTF.
 */
void module_retry(struct module *m, bool same);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
