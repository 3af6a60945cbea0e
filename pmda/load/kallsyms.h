/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of the kernel and of kernel modules, from /proc/kallsyms: which functions can
 * be probed (those that the compiler inlined are missing) and the addresses of variables.
 * The file has some 200,000 lines, so one reading answers all questions known by then.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open the file and keep it open. Privileges at this moment decide whether
 * the file shows addresses. If not called, the first question opens the file.
 */
void kallsyms_open(void);

/* Name a symbol before the first question: all symbols named by then share one reading. */
void kallsyms_want(const char *name);

bool kallsyms_is_function(const char *name);

/*
 * The kernel module that has the function `name`, valid until kallsyms_forget().
 * NULL: the function is built into the kernel, or does not exist.
 */
const char *kallsyms_module(const char *name);

/*
 * The address of a symbol; 0: the symbol does not exist, or the
 * kernel hides addresses (kernel.kptr_restrict, CAP_SYSLOG).
 */
uint64_t kallsyms_address(const char *name);

/* Kernel modules may have been loaded or unloaded: the next question reads the file again. */
void kallsyms_forget(void);

void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
