/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life cycle of a module, from its file to its BPF programs in the kernel.
 * docs/architecture.md has the table: which event leads to which status.
 */
#ifndef ESTAT_PMDA_LIFECYCLE_H
#define ESTAT_PMDA_LIFECYCLE_H

#include "load/module.h"

/*
 * Open a module's file, which only root may have written, and read the schema. Never returns NULL;
 * the caller frees with module_free(). m->status is MODULE_OFF (configure it) or MODULE_FAILED.
 */
struct module *module_open(const char *path);

/* Read the module's section of estat.conf, and find the kernel modules that the module probes. */
void module_configure(struct module *m, struct config *config);

/* Are the module's settings those in estat.conf now? */
bool module_is_configured(const struct module *m, struct config *config);

/* Load, map and attach the module, or undo all. Sets and logs m->status: any of the four. */
void module_start(struct module *m);

/* Stop a module that estat.conf switches off. */
void module_switch_off(struct module *m, struct config *config);

/* What module_replace() has done. */
enum module_replaced {
	MODULE_KEPT,    /* the new module failed or waits; the old one stays */
	MODULE_RESET,   /* the new one replaces the old; its counters begin at 0 */
	MODULE_CARRIED, /* the new one replaces the old; the caller carries the rows over */
};

/* Start the configured module `m` in the place of `old`, which has the same name. */
enum module_replaced module_replace(struct module *m, struct module *old);

/*
 * module_attend() attaches a running module, because a client reads it, or sets it to failed.
 * module_leave() detaches a module. Both return false after some `ns` nanoseconds: call again.
 */
bool module_attend(struct module *m, uint64_t ns);
bool module_leave(struct module *m, uint64_t ns);

/* Has the module so many BPF programs that pmcd could time out while all are detached at once? */
bool module_takes_long(const struct module *m);

/* Does the module wait until some kernel module brings the probed functions, or their BTF? */
bool module_awaits_any(const struct module *m);

/*
 * Kernel modules are settled; `same`: and as at the last look. After a change, have a module that
 * waits start again. A module that lacks BTF tries once more when nothing has changed: while a
 * kernel module is loaded, its functions appear before its BTF.
 */
void module_retry(struct module *m, bool same);

/* Must module_update() be called, because a kernel module has changed or a pause has passed? */
bool module_is_outdated(const struct module *m);

/*
 * Adapt the module to its kernel module: detach if the kernel module is gone, start if it was
 * loaded, use fentry while it is in use and else kprobes. Counters go on. Returns false if
 * detaching takes more than some `ns` nanoseconds: then call again.
 */
bool module_update(struct module *m, uint64_t ns);

/* Detach, unload and free. */
void module_free(struct module *m);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
