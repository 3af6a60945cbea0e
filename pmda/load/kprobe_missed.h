/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads how many times kprobes were hit. At some of the hits the kernel may have run no BPF
 * program.
 */
#ifndef ESTAT_PMDA_LOAD_KPROBE_MISSED_H
#define ESTAT_PMDA_LOAD_KPROBE_MISSED_H

#include <stdbool.h>
#include <stdint.h>

/* Call kallsyms_want() for the symbol that kprobe_missed_hits() looks up. */
void kprobe_missed_want(void);

/*
 * Add to *hits the number of times that the kprobe of a BPF link was hit, on all CPUs. `link`: the
 * link's descriptor. Returns false if the kernel does not tell all hits: then *hits may lack some.
 */
bool kprobe_missed_hits(int link, uint64_t *hits);

#endif /* ESTAT_PMDA_LOAD_KPROBE_MISSED_H */
