/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the kernel's symbols and their addresses, by a BPF iterator. */
#ifndef ESTAT_PMDA_LOAD_SYMBOLS_H
#define ESTAT_PMDA_LOAD_SYMBOLS_H

#include <stdio.h>

/*
 * A file with lines as in /proc/kallsyms, to be read once and closed by the caller. NULL: the
 * kernel has no BPF iterator over symbols (before Linux 6.0), or forbids it.
 */
FILE *symbols_open(void);

#endif /* ESTAT_PMDA_LOAD_SYMBOLS_H */
