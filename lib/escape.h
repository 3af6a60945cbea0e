/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_ESCAPE_H
#define ESTAT_LIB_ESCAPE_H

/*
 * Replace each \ooo in `text`, three octal digits, by the character with that code. /proc and the
 * agent write a blank, tab, newline or backslash of a name so. Returns `text`.
 */
char *unescape_name(char *text);

#endif /* ESTAT_LIB_ESCAPE_H */
