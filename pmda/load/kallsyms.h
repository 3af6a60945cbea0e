/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells from /proc/kallsyms which functions the kernel and kernel modules have (inlined functions
 * have no symbol), and the addresses of symbols. A reading of the file's 200,000 lines takes 30 ms
 * or more. So one reading looks up all symbols that kallsyms_want() has named. A call of
 * kallsyms_is_function(), kallsyms_module(), kallsyms_address() or kallsyms_hides() reads the file
 * only if no reading since kallsyms_forget() has looked for the symbol.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open /proc/kallsyms now, while the agent is root, because the privileges at the opening decide
 * whether /proc/kallsyms shows addresses. If /proc/kallsyms shows none, the agent reads a BPF
 * iterator, too.
 */
void kallsyms_open(void);

/*
 * Have the next reading of /proc/kallsyms look up a symbol. Without this call, the first question
 * about the symbol causes a reading of its own.
 */
void kallsyms_want(const char *name);

bool kallsyms_is_function(const char *name);

/* Name of a function's kernel module, valid until kallsyms_forget(); NULL: built in, or missing. */
const char *kallsyms_module(const char *name);

/* A symbol's address; 0: there is no such symbol, or addresses are hidden: kallsyms_hides(). */
uint64_t kallsyms_address(const char *name);

/*
 * True if the symbol's address is unknown, and neither /proc/kallsyms nor the BPF iterator showed
 * any address. If neither did, the result is true even for a symbol that the kernel lacks.
 */
bool kallsyms_hides(const char *name);

/*
 * Forget what /proc/kallsyms said, because kernel modules may have changed. The next look-up of a
 * symbol reads /proc/kallsyms again.
 */
void kallsyms_forget(void);
void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
