/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps and BPF programs of an object in the kernel, without libbpf's struct of the object. */
#ifndef ESTAT_PMDA_LOAD_HELD_H
#define ESTAT_PMDA_LOAD_HELD_H

#include "module.h"

/*
 * After bpf_object__load(): fill l->held from l->object, and duplicate the descriptors. Returns 0
 * or a negative errno; in both cases the caller frees l->held with held_free().
 */
int held_take(struct loaded *l);
void held_free(struct held *held);

/* The map of this name; NULL: there is none. */
const struct held_map *held_map(const struct held *held, const char *name);

/* The descriptor of the map of this name; -1: there is none. */
int held_map_fd(const struct held *held, const char *name);

/* The BPF program of this name; NULL: there is none. */
const struct held_program *held_program(const struct held *held, const char *name);

#endif /* ESTAT_PMDA_LOAD_HELD_H */
