/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Widths of texts in terminal columns. A character has one byte or several, and no, one or two
 * columns, by the locale.
 */
#ifndef ESTAT_CLIENT_BASE_TEXT_H
#define ESTAT_CLIENT_BASE_TEXT_H

#include <wchar.h>

/* Take the next character of a text and its columns. A character that cannot be printed is '?'. */
wchar_t next_character(const char **text, int *columns);

/* The columns of a text. */
int text_width(const char *text);

/*
 * Print a text in `width` columns: at their right end, or for a negative width at their left end. A
 * longer text is not cut.
 */
void print_aligned(const char *text, int width);

#endif /* ESTAT_CLIENT_BASE_TEXT_H */
