/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks: the clock of a CPU is a perf event that runs a BPF program of SEC("perf_event") on this
 * CPU as many times a second as ESTAT_CLOCK says, while the CPU is not idle.
 */
#ifndef ESTAT_PMDA_LOAD_CLOCKS_H
#define ESTAT_PMDA_LOAD_CLOCKS_H

#include <stdbool.h>

#include "module.h"

/* Is this a BPF program for clocks, that is, of SEC("perf_event")? */
bool clocks_run(const struct bpf_program *p);

/*
 * The length of the array of the clocks' BPF links, which CPU numbers index: host_cpus(); 0: the
 * object has no clocks.
 */
unsigned int clocks_links(const struct bpf_object *object);

/*
 * Delete the clock of each CPU that is offline, or has been offline since the clock was made,
 * because such a clock does not run again. Then make a clock for each online CPU that has none.
 * `links`: the links of the clocks, see clocks_links(); an element that is NULL: the CPU has no
 * clock. Returns 0, or the negative errno of the last clock that could not be made.
 */
int clocks_attach(const struct loaded *l, struct bpf_link **links);

#endif /* ESTAT_PMDA_LOAD_CLOCKS_H */
