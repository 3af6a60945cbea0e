/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_XALLOC_H
#define ESTAT_LIB_XALLOC_H

#include <stddef.h>

/*
 * Returns `memory`. If that is NULL, calls xalloc_failed(), logs "out of memory" and exits with
 * status 1.
 */
void *xalloc(void *memory);

/* Returns `array`, reallocated to n + 1 elements of `size` bytes. Exits as xalloc() does. */
void *grow(void *array, unsigned int n, size_t size);

/* Format a text as asprintf(3) does, or exit as xalloc() does. The caller frees the text. */
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

/* The function that xalloc() calls before it logs; NULL: none. The function may end the process. */
extern void (*xalloc_failed)(void);

#endif /* ESTAT_LIB_XALLOC_H */
