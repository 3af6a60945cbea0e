/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the BPF programs of SEC("perf_event") by a clock of each CPU, see ESTAT_CLOCK. */
#ifndef ESTAT_PMDA_LOAD_CLOCKS_H
#define ESTAT_PMDA_LOAD_CLOCKS_H

#include <stdbool.h>

#include "module.h"

/* Does a clock run this BPF program? */
bool clocks_run(const struct bpf_program *p);

/* How many links the object's clocks need: one for each possible CPU, or 0 without a clock. */
unsigned int clocks_links(const struct bpf_object *object);

/*
 * Give each CPU that is online a clock, and take away the clocks of CPUs that are offline: a CPU
 * that comes online again has lost its clock. `links` has an element for each possible CPU. Returns
 * 0 or a negative errno.
 */
int clocks_attach(const struct loaded *l, struct bpf_link **links);

#endif /* ESTAT_PMDA_LOAD_CLOCKS_H */
