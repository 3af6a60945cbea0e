/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts in columns: a character of a name may be several bytes, and take none, one or two columns,
 * as the locale has it.
 */
#ifndef ESTAT_CLIENT_BASE_TEXT_H
#define ESTAT_CLIENT_BASE_TEXT_H

#include <wchar.h>

/* The next character of a text, and the columns that it takes; ? if it cannot be shown. */
wchar_t next_character(const char **text, int *columns);

/* How many columns a text takes. */
int text_width(const char *text);

/* Print it at the right end of so many columns, or of a negative number at their left, as
 * printf(3). */
void print_aligned(const char *text, int width);

#endif /* ESTAT_CLIENT_BASE_TEXT_H */
