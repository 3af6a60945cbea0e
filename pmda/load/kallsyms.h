/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells from /proc/kallsyms which functions can be probed (inlined functions have no symbol), and
 * the addresses of variables. A reading of the file's 200,000 lines takes 30 ms or more. So one
 * reading looks up all symbols that kallsyms_want() has named. The first call of
 * kallsyms_is_function(), kallsyms_module(), kallsyms_address() or kallsyms_hides() reads the file.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open /proc/kallsyms now, while the agent is root, because the privileges at the opening decide
 * whether /proc/kallsyms shows addresses. If it shows none, a BPF iterator is read instead.
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

/* A symbol's address; 0: no such symbol, or kallsyms_hides() it. */
uint64_t kallsyms_address(const char *name);

/*
 * Is the symbol's address not known, while kernel.kptr_restrict or a lack of CAP_SYSLOG hides all
 * addresses? True for a symbol that the kernel lacks, too.
 */
bool kallsyms_hides(const char *name);

/*
 * Forget what /proc/kallsyms said, because kernel modules may have changed. The next look-up of a
 * symbol reads /proc/kallsyms again.
 */
void kallsyms_forget(void);
void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
