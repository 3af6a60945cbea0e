/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often kprobes were hit, whether the kernel ran a BPF program then or not. */
#ifndef ESTAT_PMDA_LOAD_KPROBE_MISSED_H
#define ESTAT_PMDA_LOAD_KPROBE_MISSED_H

#include <stdbool.h>
#include <stdint.h>

/* Call kallsyms_want() for the symbol that kprobe_missed_hits() looks up. */
void kprobe_missed_want(void);

/*
 * Add to *hits how often the kprobe behind a BPF link (a descriptor)
 * was hit, on all CPUs. Returns false if the kernel does not tell.
 */
bool kprobe_missed_hits(int link, uint64_t *hits);

#endif /* ESTAT_PMDA_LOAD_KPROBE_MISSED_H */
