/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often kprobes were hit, whether the kernel ran a program then or not.
 */
#ifndef ESTAT_PMDA_LOAD_KPROBE_MISSED_H
#define ESTAT_PMDA_LOAD_KPROBE_MISSED_H

#include <stdbool.h>
#include <stdint.h>

/* It will be asked for; see kallsyms_want(). */
void hits_want(void);

/* Add a kprobe's hits on all CPUs; false if the kernel does not tell. */
bool hits_read(int link, uint64_t *hits);

#endif /* ESTAT_PMDA_LOAD_KPROBE_MISSED_H */
