/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module may be attached and still see nothing, because this kernel does the work in
 * functions that the module does not probe. Until a module has counted something, the
 * agent looks at the files that the module declares as evidence. If these files change
 * and the module counts nothing, the module is blind, and estat.module.error says so.
 */
#ifndef ESTAT_PMDA_LOAD_LIVENESS_H
#define ESTAT_PMDA_LOAD_LIVENESS_H

#include "module.h"

/* The module was attached: start looking. The module declares evidence, or nothing happens. */
void liveness_begin(struct module *m);

/* Does a running module declare evidence, and has it counted nothing so far? */
bool liveness_is_wanted(const struct module *m);

/*
 * Look at the counters and at the evidence. If the module is blind, liveness.error
 * names the probes that have not run; the helper has the kernel count runs for that.
 */
void liveness_look(struct module *m);

/* Stop looking; free what the look needs. */
void liveness_end(struct module *m);

#endif /* ESTAT_PMDA_LOAD_LIVENESS_H */
