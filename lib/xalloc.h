/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_XALLOC_H
#define ESTAT_LIB_XALLOC_H

/*
 * Returns `memory`, what an allocation returned. If it is NULL, xalloc() calls xalloc_failed,
 * logs "out of memory" and ends the process with status 1.
 */
void *xalloc(void *memory);

/* As asprintf(3), checked by xalloc(). The caller frees the text. */
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

/* Set before the first allocation to end the process in another way. May be NULL. */
extern void (*xalloc_failed)(void);

#endif /* ESTAT_LIB_XALLOC_H */
