/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its release, its loaded kernel modules, and what it lets BPF programs do. */
#ifndef ESTAT_PMDA_LOAD_KERNEL_H
#define ESTAT_PMDA_LOAD_KERNEL_H

#include <stdbool.h>

/*
 * A checksum of the loaded kernel modules' names and sizes: a kernel module shrinks when loading
 * ends, as it frees its init section. *settled: no kernel module is being loaded or unloaded.
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older than major.minor? */
bool kernel_is_before(unsigned int major, unsigned int minor);

/* Can the kernel probe functions by kprobes at all? */
bool kernel_has_kprobes(void);

/* Is the kernel locked down so that no BPF program may read its memory or be on a kprobe? */
bool kernel_is_confidential(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_H */
