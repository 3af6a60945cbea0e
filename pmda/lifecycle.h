/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a module: one NAME.bpf.o, from its file to its programs attached in the
 * kernel and its maps in the agent's memory.
 */
#ifndef ESTAT_PMDA_LIFECYCLE_H
#define ESTAT_PMDA_LIFECYCLE_H

#include "load/module.h"

/*
 * Read a module's object: check that only root can have written it, open it and
 * read its schema. Returns the module, whose status tells how that went: OFF
 * means that it can now be configured and started.
 */
struct module *module_open(const char *path);

/* Take the module's section of estat.conf. */
void module_configure(struct module *m, struct config *config);

/* Is that what it has? */
bool module_is_configured(const struct module *m, struct config *config);

/*
 * Load, attach and map, in that order; everything is undone if one fails.
 * Sets the status to RUNNING, WAITING or FAILED and logs it.
 */
void module_start(struct module *m);

/* Stop a module that is off now, as estat.conf says. */
void module_switch_off(struct module *m, struct config *config);

/* What module_replace() has done. */
enum module_replaced {
	MODULE_KEPT,    /* it failed or waits, and the former goes on */
	MODULE_ANEW,    /* what it counts begins at 0, if it runs */
	MODULE_GOES_ON, /* what the former has counted is to be carried over */
};

/* Start a module, which has been configured, in the place of another one. */
enum module_replaced module_replace(struct module *m, struct module *old);

/*
 * Somebody looks at a module that runs and is not attached: attach it, as far as that takes no
 * longer than so. Returns whether it is, or has failed.
 */
bool module_attend(struct module *m, uint64_t ns);

/*
 * Detach a module, as far as that takes no longer than so. Returns whether it is. One with so many
 * programs that pmcd might give the agent up is to be detached by that alone.
 */
bool module_leave(struct module *m, uint64_t ns);
bool module_takes_long(const struct module *m);

/* Does it await what any kernel module may bring: what it probes, or the BTF of that? */
bool module_awaits_any(const struct module *m);

/*
 * The kernel's modules are settled; are they the same as the last time? If not,
 * one that waits for what it probes is to start again. One that lacked BTF is to
 * ask for it again, for as long as they change: a kernel module that was on its way
 * in has functions before it has types.
 */
void module_retry(struct module *m, bool same);

/*
 * Has what a module probes changed, or is it time to try again, so that
 * module_update() has something to do?
 */
bool module_is_outdated(const struct module *m);

/*
 * Detach a module from a kernel module that is gone, start it with one that is
 * there; hold one that is in use, by fentry and fexit, and let go of one that is
 * not, by kprobe and kretprobe. Its counters go on. Returns false if detaching takes longer than
 * `ns`: then there is more to do.
 */
bool module_update(struct module *m, uint64_t ns);

/* Detach, unmap, free. */
void module_free(struct module *m);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
