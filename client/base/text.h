/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Widths of texts in terminal columns, by the locale. */
#ifndef ESTAT_CLIENT_BASE_TEXT_H
#define ESTAT_CLIENT_BASE_TEXT_H

#include <wchar.h>

/* Take the next character of a text and its columns. A character that cannot be printed is '?'. */
wchar_t next_character(const char **text, int *columns);

/* The columns of a text. */
int text_width(const char *text);

/* Print a text in at least `width` columns, at their right end; if negative, at the left. */
void print_aligned(const char *text, int width);

#endif /* ESTAT_CLIENT_BASE_TEXT_H */
