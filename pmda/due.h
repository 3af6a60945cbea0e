/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells whether a step of a module's life cycle is due: because of the module's clients, because
 * kernel modules have changed, or because it is time to repeat a failed step. reconcile.c asks, and
 * lifecycle.c has the steps.
 */
#ifndef ESTAT_PMDA_DUE_H
#define ESTAT_PMDA_DUE_H

#include "load/module.h"

/*
 * Must the module start again? True if the kernel module that the module probes has come, gone or
 * got its BTF. Also true if the module does not run, and a failed start is due again or
 * module_retry() has asked for a start.
 */
bool module_must_start(const struct module *m);

/*
 * Must the agent choose anew which BPF programs of the loaded object run? True if the kernel module
 * that the module probes has come into use or is no longer in use, if the kernel module of
 * ESTAT_ALSO has come, gone or got its BTF, or if module_retry() has asked for another try.
 */
bool module_must_probe(const struct module *m);

/* Is it time to repeat a start or change that failed? */
bool module_try_is_due(const struct module *m);

/* Shall the module be attached, because it is not on demand, or because a client reads it? */
bool module_is_wanted(const struct module *m);

/*
 * Has a client fetched values of the module, or was the module attached for a client, within
 * `linger` seconds? If the module is neither attached nor detaching: has a client fetched values
 * since the module was last detached because no client read it?
 */
bool module_is_read(const struct module *m);

/*
 * Shall the agent prefer the edition's kprobe and kprobe.multi programs to those for fentry and
 * fexit?
 */
bool module_wants_kprobes(const struct edition *e);

/*
 * Has the kernel module of ESTAT_ALSO come, gone, or got its BTF since the BPF programs were
 * chosen?
 */
bool module_also_changed(const struct module *m);

/*
 * Does the module wait until a kernel module, no matter which, brings the probed functions or their
 * BTF? True for a module that runs by kprobes because BTF is missing, until the last try that
 * module_retry() asks for has failed. True, too, for a waiting module that declares no ESTAT_NEEDS.
 */
bool module_awaits_any(const struct module *m);

/*
 * If module_awaits_any() is true, set m->retry: the module shall start again or, if it runs, try
 * fentry again. Call this while no kernel module is being loaded or unloaded. `same`: no kernel
 * module came or went since the previous call. If `same`, only a running module for which no try is
 * pending tries, for the last time: after a failure module_awaits_any() is false. This last try is
 * for a kernel module's BTF, which appears later than the kernel module's functions.
 */
void module_retry(struct module *m, bool same);

#endif /* ESTAT_PMDA_DUE_H */
