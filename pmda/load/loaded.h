/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads an edition's object into the kernel, in the place of another object or of none. */
#ifndef ESTAT_PMDA_LOAD_LOADED_H
#define ESTAT_PMDA_LOAD_LOADED_H

#include "module.h"

/*
 * Make *l an object, not yet loaded, of the edition, to replace `from` (NULL: none). If both have
 * the same edition, l->memory.maps is the array of `from`; else the caller frees the array.
 */
void loaded_begin(struct loaded *l, struct edition *e, const struct loaded *from);

/*
 * Open, prepare and load the object, and map its maps. The maps are those of `from` if `from` is
 * loaded and has the same edition; else the maps are new. If loaded_goes_on(), new maps begin with
 * the keys and names of `from`, and with its event records. Returns 0; or a negative errno: then
 * l->error may say why, and the caller calls loaded_end().
 */
int loaded_load(struct loaded *l, const struct loaded *from);

/*
 * Find out without loading the object whether the kernel lets the agent load BPF programs and has
 * what the object probes. Returns as loaded_load(); the object is not open afterwards.
 */
int loaded_check(struct loaded *l);

/*
 * Are the types of keys, values and events the same, and is `from` loaded or has it kept what a
 * loaded object had? Then counters go on.
 */
bool loaded_goes_on(const struct loaded *l, const struct loaded *from);

/* Detach, unmap and unload, and free what was kept. Maps that another object uses stay. */
void loaded_end(struct loaded *l);

/*
 * Unload an object whose BPF programs are detached, and keep its keys, names and event records for
 * the next one. The caller has kept the counts of the keys. Adds all other counts to *counters.
 */
void loaded_rest(struct loaded *l, struct module_counters *counters);

/*
 * Put *l, loaded or checked, in the place of *from, whose BPF programs are detached: unload *from
 * and, if counters go on, add what it has counted to *counters. *l is unset afterwards.
 */
void loaded_replace(struct loaded *from, struct loaded *l, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_LOADED_H */
