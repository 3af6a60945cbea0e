/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often kprobes were hit, whether the kernel ran a BPF program then or not. */
#ifndef ESTAT_PMDA_LOAD_KPROBE_MISSED_H
#define ESTAT_PMDA_LOAD_KPROBE_MISSED_H

#include <stdbool.h>
#include <stdint.h>

/* Name the symbols that kprobe hits need; see kallsyms_want(). */
void kprobe_missed_want(void);

/*
 * Add the hits on all CPUs of the kprobe behind a BPF link (a
 * descriptor) to *hits. Returns false if the kernel does not tell.
 */
bool kprobe_missed_hits(int link, uint64_t *hits);

#endif /* ESTAT_PMDA_LOAD_KPROBE_MISSED_H */
