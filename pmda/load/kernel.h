/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel: its release, and which kernel modules are loaded.
 */
#ifndef ESTAT_PMDA_LOAD_KERNEL_H
#define ESTAT_PMDA_LOAD_KERNEL_H

#include <stdbool.h>

/*
 * A number that changes with the kernel's modules and their sizes, of which each loses what its
 * beginning took as that ends; *settled: is none on its way in or out?
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older? */
bool kernel_is_before(unsigned int major, unsigned int minor);

#endif /* ESTAT_PMDA_LOAD_KERNEL_H */
