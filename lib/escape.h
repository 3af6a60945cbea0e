/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_ESCAPE_H
#define ESTAT_LIB_ESCAPE_H

/*
 * Put the character in place of each \ooo, by which /proc and the agent write a blank, tab,
 * newline or backslash in a name. Returns `text`.
 */
char *unescape_name(char *text);

#endif /* ESTAT_LIB_ESCAPE_H */
