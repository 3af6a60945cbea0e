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
 * the caller frees with module_free(). m->status is MODULE_FAILED or, until a start, MODULE_OFF.
 */
struct module *module_open(const char *path);

/* Read the module's section of estat.conf, and find the kernel modules that the module probes. */
void module_configure(struct module *m, struct config *config);

/* Is m->settings what estat.conf says now? */
bool module_is_configured(const struct module *m, struct config *config);

/* Load, map and attach the module, or undo all. Sets m->status to any of the four values. */
void module_start(struct module *m);

/* Stop a module that estat.conf switches off. */
void module_switch_off(struct module *m, struct config *config);

/* What module_replace() has done. */
enum module_replaced {
	MODULE_KEPT,    /* the new module failed or waits; the old one stays */
	MODULE_RESET,   /* the new module replaces the old one; its counters begin at 0 */
	MODULE_CARRIED, /* the new module replaces the old one; the caller carries over the rows */
};

/* Start the configured module `m` in the place of `old`, which has the same name. */
enum module_replaced module_replace(struct module *m, struct module *old);

/*
 * module_attend() attaches a running module that a client reads, or says in m->error why it cannot.
 * module_leave() detaches a module. Both return false after about `ns` nanoseconds: call again.
 */
bool module_attend(struct module *m, uint64_t ns);
bool module_leave(struct module *m, uint64_t ns);

/* Has the module so many BPF programs that pmcd could time out while all are detached at once? */
bool module_takes_long(const struct module *m);

/* Does the module wait for any kernel module that brings the probed functions or their BTF? */
bool module_awaits_any(const struct module *m);

/*
 * Call this while no kernel module is being loaded; `same`: none came or went since the last call.
 * If not `same`, a module of module_awaits_any() starts again. If `same`, a running one tries
 * fentry once more: while a kernel module is loaded, its functions appear before its BTF.
 */
void module_retry(struct module *m, bool same);

/* Must module_update() be called: a kernel module has changed, or a failed start is due again? */
bool module_is_outdated(const struct module *m);

/*
 * Adapt the module to its kernel module: detach if the kernel module is gone, start if it was
 * loaded, use fentry while it is in use and else kprobes. Counters go on. Returns false if
 * detaching takes more than about `ns` nanoseconds: then call again.
 */
bool module_update(struct module *m, uint64_t ns);

/* Detach, unload and free. */
void module_free(struct module *m);

#endif /* ESTAT_PMDA_LIFECYCLE_H */
