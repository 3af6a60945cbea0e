/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life cycle of a module, from its file to its BPF programs in the kernel.
 * docs/architecture.md has the table: which event leads to which status.
 */
#ifndef ESTAT_PMDA_LIFECYCLE_H
#define ESTAT_PMDA_LIFECYCLE_H

#include "load/module.h"

/*
 * Open a module's file, check that only root can have written it, and read its
 * schema. Never returns NULL; the caller frees with module_free(). m->status is
 * MODULE_OFF: the module can now be configured and started; or MODULE_FAILED.
 */
struct module *module_open(const char *path);

/* Take the module's section of estat.conf, and find the kernel modules that it needs. */
void module_configure(struct module *m, struct config *config);

/* Are the module's settings those of estat.conf? */
bool module_is_configured(const struct module *m, struct config *config);

/*
 * Load, map and attach the module; if one of these fails, undo all. Sets and
 * logs the status: RUNNING, WAITING, FAILED, or OFF if estat.conf says so.
 */
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
 * Attach a module that runs and is attached on demand, because a
 * client reads it. Takes some `ns` nanoseconds. Returns false if more
 * is left: then call it again; true if it is attached or has failed.
 */
bool module_attend(struct module *m, uint64_t ns);

/*
 * module_leave(): detach a module for some `ns` nanoseconds. Returns
 * whether it is detached. module_takes_long(): has the module so many BPF
 * programs that pmcd's timeout might pass while all are detached at once?
 */
bool module_leave(struct module *m, uint64_t ns);
bool module_takes_long(const struct module *m);

/* Does the module wait for any kernel module that brings its functions, or their BTF? */
bool module_awaits_any(const struct module *m);

/*
 * Kernel modules are settled. `same`: they are the same as at the last look.
 * If not, a module that waits for a function starts again. A module that
 * lacks BTF tries again for as long as kernel modules change, and once more:
 * while a kernel module is loaded its functions appear before its BTF.
 */
void module_retry(struct module *m, bool same);

/*
 * Has module_update() something to do, because a kernel module has changed or a pause has passed?
 */
bool module_is_outdated(const struct module *m);

/*
 * Bring the module to the present state of its kernel module: detach if that is gone, start
 * if that has come, use fentry while that is in use and else kprobes. Counters go on. Takes
 * some `ns` nanoseconds; returns false if detaching takes longer: then call it again.
 */
bool module_update(struct module *m, uint64_t ns);

/* Detach, unload and free. */
void module_free(struct module *m);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
