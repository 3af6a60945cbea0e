/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Liveness: does an attached module see what it measures? The running kernel may do the work in
 * functions that the module does not probe. A module can declare files as evidence of that work. If
 * the files change and the module counts nothing, the module is blind, and estat.module.error says
 * so. A module that cannot do without ftrace or kprobes is blind, too, while the kernel's switch
 * for them is off: the agent reads the switches at the attachment and every 10 s.
 */
#ifndef ESTAT_PMDA_LOAD_LIVENESS_H
#define ESTAT_PMDA_LOAD_LIVENESS_H

#include "module.h"

/* Start looking at a module that was just attached, if the module declares evidence. */
void liveness_begin(struct module *m);

/*
 * Shall liveness_look() look at the module? True if the module runs and declares evidence, and has
 * counted nothing between liveness_begin() and the previous look.
 */
bool liveness_is_wanted(const struct module *m);

/*
 * Look at the module's counters and evidence, unless m->switched_off.blinds is set. If the module
 * is blind, set m->liveness.error. If the module has counted, call liveness_end().
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
