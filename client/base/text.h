/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Widths of texts in terminal columns, by the locale. */
#ifndef ESTAT_CLIENT_BASE_TEXT_H
#define ESTAT_CLIENT_BASE_TEXT_H

#include <wchar.h>

/* Return the first character of *text ('?': not printable) and its width; move *text past it. */
wchar_t next_character(const char **text, int *columns);

/* The width of a text in terminal columns. */
int text_width(const char *text);

/* Print a text in at least `width` columns, aligned right; if `width` is negative, aligned left. */
void print_aligned(const char *text, int width);

#endif /* ESTAT_CLIENT_BASE_TEXT_H */
