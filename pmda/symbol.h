/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the kernel has, with its modules: those that it can probe,
 * for what compilers have inlined is not among them.
 */
#ifndef ESTAT_SYMBOL_H
#define ESTAT_SYMBOL_H

#include <stdbool.h>

/* It will be asked for: looking for all at once takes no longer than for one. */
void symbol_want(const char *function);

bool symbol_exists(const char *function);

/* Kernel modules may have come or gone. */
void symbol_forget(void);

#endif /* ESTAT_SYMBOL_H */
