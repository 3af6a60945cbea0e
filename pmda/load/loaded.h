/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads an edition's object into the kernel, in the place of another object or of none. */
#ifndef ESTAT_PMDA_LOAD_LOADED_H
#define ESTAT_PMDA_LOAD_LOADED_H

#include "module.h"

/*
 * Make *l an object of the edition, not loaded yet, to replace `from` (NULL: none). If `from` has
 * the same edition, l->memory.maps is the array of `from`; else it is a new array, which the caller
 * frees.
 */
void loaded_begin(struct loaded *l, struct edition *e, const struct loaded *from);

/*
 * Open, prepare and load the object, and map its maps. If `from` is loaded and has the same
 * edition, the object uses the maps of `from`; else it has new maps. If loaded_goes_on(), new maps
 * begin with the keys, names and event records of `from`. Returns 0 or a negative errno. After an
 * error l->error may say why, and the caller calls loaded_end().
 */
int loaded_load(struct loaded *l, const struct loaded *from);

/*
 * Find out, without loading the object, whether the kernel lets the agent load BPF programs and has
 * what the object probes. Returns 0 or a negative errno. The object is closed afterwards.
 */
int loaded_check(struct loaded *l);

/*
 * Do the counters of `from` go on in `l`? They do if both have the same types of keys, values and
 * events, and `from` is loaded or has what loaded_rest() kept.
 */
bool loaded_goes_on(const struct loaded *l, const struct loaded *from);

/* Detach, unmap and unload the object, and free l->kept. Maps that another object uses stay. */
void loaded_end(struct loaded *l);

/*
 * Unload an object whose BPF programs are detached, and keep its keys, names and event records for
 * the next object. Adds to *counters the counts that belong to no key. Before the call,
 * exports_keep() or exports_gather() must have given the keys' counts to the rows.
 */
void loaded_rest(struct loaded *l, struct module_counters *counters);

/*
 * Put *l, loaded or checked, in the place of *from, whose BPF programs are detached: unload *from,
 * and move *l to *from. If loaded_goes_on(), first add to *counters those counts of *from that *l
 * does not have. The caller must not use *l afterwards.
 */
void loaded_replace(struct loaded *from, struct loaded *l, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_LOADED_H */
