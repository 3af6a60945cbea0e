/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_ESCAPE_H
#define ESTAT_LIB_ESCAPE_H

/*
 * Replace in `text` each \ooo, a backslash and three octal digits, by the byte with that code. \ooo
 * stands in /proc for a blank, tab, newline, backslash or #, and in the agent's texts for a blank,
 * a control character or a backslash. Returns `text`.
 */
char *unescape_name(char *text);

#endif /* ESTAT_LIB_ESCAPE_H */
