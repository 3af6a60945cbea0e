/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, times and sizes as short texts. NAN, a value that is not known, is "-". */
#ifndef ESTAT_LIB_FORMAT_H
#define ESTAT_LIB_FORMAT_H

#include <stdint.h>

#define FORMAT_LEN 24 /* bytes for the text of any of these functions, with its NUL */

/*
 * Write a number with `digits` (0 to 3) decimals below 1, one decimal less below 10, and so on. A
 * number without decimals has at most `most` characters if k, M, G or T makes that possible.
 */
void format_number(char text[FORMAT_LEN], double n, int digits, int most);

/* Write a figure of a table: with two decimals from 0.005 to 0.995, else as an integer. */
void format_figure(char text[FORMAT_LEN], double n, int most);

/* Write a latency in us as 2ms, 400us with 2 or 3 significant digits; digits 0: as 2.0ms, 400us. */
const char *format_latency(char text[FORMAT_LEN], double us, int digits);

/* Write a size in bytes, rounded down, as 512, 1K, 16M. */
const char *format_size(char text[FORMAT_LEN], uint64_t bytes);

#endif /* ESTAT_LIB_FORMAT_H */
