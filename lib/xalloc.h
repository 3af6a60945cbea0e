/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_XALLOC_H
#define ESTAT_LIB_XALLOC_H

/* Returns `memory`. If NULL: calls xalloc_failed(), logs "out of memory", exits with status 1. */
void *xalloc(void *memory);

/* As asprintf(3), checked by xalloc(). The caller frees the text. */
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

/* May end the process in another way. NULL: not called. Set before the first xalloc(). */
extern void (*xalloc_failed)(void);

#endif /* ESTAT_LIB_XALLOC_H */
