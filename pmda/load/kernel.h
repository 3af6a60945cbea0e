/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its release and its loaded kernel modules. */
#ifndef ESTAT_PMDA_LOAD_KERNEL_H
#define ESTAT_PMDA_LOAD_KERNEL_H

#include <stdbool.h>

/*
 * A checksum of the names and sizes of the loaded kernel modules. Sizes
 * matter because a kernel module frees its init section, with symbols in it,
 * when loading ends. *settled: no kernel module is being loaded or unloaded.
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older than major.minor? */
bool kernel_is_before(unsigned int major, unsigned int minor);

#endif /* ESTAT_PMDA_LOAD_KERNEL_H */
