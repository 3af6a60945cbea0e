/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_XALLOC_H
#define ESTAT_LIB_XALLOC_H

/* Returns `memory`. If NULL: calls xalloc_failed(), logs "out of memory", exits with status 1. */
void *xalloc(void *memory);

/* As asprintf(3), checked by xalloc(). The caller frees the text. */
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

/* A function that may end the process before xalloc() does; NULL: none. */
extern void (*xalloc_failed)(void);

#endif /* ESTAT_LIB_XALLOC_H */
