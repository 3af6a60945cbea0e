/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols, with those of its modules, from /proc/kallsyms: the functions that
 * it can probe, for what compilers have inlined is not among them, and the addresses of
 * variables. The file has some 200,000 lines and is read once for all that is asked.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open the file, which is kept open: whether it tells addresses depends on the privileges of
 * that moment. Without this it is opened when first read.
 */
void kallsyms_open(void);

/* It will be asked for: what is wanted before the first question costs no reading more. */
void kallsyms_want(const char *name);

bool kallsyms_is_function(const char *name);

/*
 * The name of the kernel module that it is in, as long as nothing is forgotten; NULL if the
 * kernel has none of that name, or has it itself.
 */
const char *kallsyms_module(const char *name);

/* 0: the kernel does not have it, or does not tell (kernel.kptr_restrict, CAP_SYSLOG). */
uint64_t kallsyms_address(const char *name);

/* Kernel modules may have come or gone: the next question reads the file again. */
void kallsyms_forget(void);

void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
