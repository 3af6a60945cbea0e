/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module that is attached may yet see nothing, where the kernel does its work by
 * other functions than those that are probed. It has proven itself once it has
 * counted something. Until then the files that it has declared as evidence are
 * looked at: if they show that its subject is at work, and it counts nothing, it
 * is blind, and its error says so.
 */
#ifndef ESTAT_PMDA_LOAD_LIVENESS_H
#define ESTAT_PMDA_LOAD_LIVENESS_H

#include "module.h"

/* It was attached anew: it has to prove itself again. */
void liveness_begin(struct module *m);

/* Does a module that runs have evidence declared, and has it counted nothing yet? */
bool liveness_is_wanted(const struct module *m);

/*
 * Look whether it has counted something by now, or its subject was at work. Which of
 * its probes have not run it learns with the helper's help.
 */
void liveness_look(struct module *m);

/* Give back what looking takes. */
void liveness_end(struct module *m);

#endif /* ESTAT_PMDA_LOAD_LIVENESS_H */
