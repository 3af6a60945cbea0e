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
 * Open, prepare and load the object, and map its maps. If `from` is loaded and has the same
 * edition, the object uses the maps of `from`. Else it gets maps of its own; if the types of keys
 * and values are the same, with the keys of `from`. Returns 0 or a negative errno; l->error may say
 * why, and the caller calls loaded_end().
 */
int loaded_load(struct loaded *l, const struct loaded *from);

/* Have two objects' counters the same types, so that counters can go on? */
bool loaded_goes_on(const struct loaded *l, const struct loaded *from);

/* Detach, unmap and unload. Maps that another object uses stay. */
void loaded_end(struct loaded *l);

/*
 * Put *l in the place of *from, whose BPF programs are detached: unload *from and, if counters go
 * on, add what it has counted to *counters. *l is unset afterwards.
 */
void loaded_replace(struct loaded *from, struct loaded *l, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_LOADED_H */
