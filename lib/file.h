/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading small files, as the kernel has them in /proc and /sys. */
#ifndef ESTAT_LIB_FILE_H
#define ESTAT_LIB_FILE_H

#include <stdbool.h>

/*
 * Read a file's first line, at most size - 1 bytes, without its newline. If the file has no line,
 * cannot be read, or its first line is empty, sets `line` to "" and returns false.
 */
bool first_line(const char *path, char *line, int size);

/* Read a file up to its first NUL or its end. The caller frees the text; NULL: nothing was read. */
char *read_text(const char *path);

/*
 * Scan a file by the format of sscanf(3), and store the values of the first line that has at least
 * one value. Returns how many values were stored; 0: no line has a value, or the file cannot be
 * read.
 */
__attribute__((format(scanf, 2, 3))) int scan_lines(const char *path, const char *format, ...);

#endif /* ESTAT_LIB_FILE_H */
