/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From /proc/kallsyms: functions that can be probed (inlined functions are missing there) and
 * addresses of variables. A reading of its 200,000 lines looks up what kallsyms_want() named.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Optional: open /proc/kallsyms. Privileges at its opening decide whether it shows addresses; if it
 * shows none, a BPF iterator may.
 */
void kallsyms_open(void);

/* Name a symbol, before a question about it: the next reading of /proc/kallsyms looks it up. */
void kallsyms_want(const char *name);

/* Optional: read /proc/kallsyms now, which takes 30 ms or more, and not at the first question. */
void kallsyms_read(void);

bool kallsyms_is_function(const char *name);

/* Name of a function's kernel module, valid until kallsyms_forget(); NULL: built in, or missing. */
const char *kallsyms_module(const char *name);

/* A symbol's address; 0: no such symbol, or kallsyms_hides() it. */
uint64_t kallsyms_address(const char *name);

/* Does the kernel hide the address (kernel.kptr_restrict, CAP_SYSLOG), and has no iterator? */
bool kallsyms_hides(const char *name);

/* Kernel modules may have come or gone: the next question reads /proc/kallsyms again. */
void kallsyms_forget(void);
void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
