/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Liveness: does an attached module see what it measures? The running kernel may do the work in
 * functions that the module does not probe. A module can declare files as evidence of that work. If
 * the files change and the module counts nothing, the module is blind, and estat.module.error says
 * so. A module that needs ftrace or kprobes is blind at once if the kernel's switch for them is
 * off.
 */
#ifndef ESTAT_PMDA_LOAD_LIVENESS_H
#define ESTAT_PMDA_LOAD_LIVENESS_H

#include "module.h"

/* Start looking at a module that was just attached, if the module declares evidence. */
void liveness_begin(struct module *m);

/* Is the module running, does it declare evidence, and has it counted nothing so far? */
bool liveness_is_wanted(const struct module *m);

/*
 * Look at the module's counters and evidence. If the module is blind, set m->liveness.error. If the
 * module has counted, call liveness_end().
 */
void liveness_look(struct module *m);

/*
 * Set m->switched_off of a running module from `off`, the result of kernel_switched_off(). Log when
 * the first switch that the module needs goes off, and when all are on again.
 */
void liveness_switches(struct module *m, unsigned int off);

/*
 * Stop looking at the module: free what liveness_look() has allocated and opened, and clear
 * m->liveness.error.
 */
void liveness_end(struct module *m);

#endif /* ESTAT_PMDA_LOAD_LIVENESS_H */
