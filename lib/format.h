/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, times and sizes as short texts. The text of NAN, an unknown value, is "-". */
#ifndef ESTAT_LIB_FORMAT_H
#define ESTAT_LIB_FORMAT_H

#include <stdint.h>

#define FORMAT_LEN 24 /* bytes for the text of any of these functions, with its NUL */

/*
 * Write a number with `digits` (0 to 3) decimals if it is below 1, with one decimal less if it is
 * below 10, and so on; but 0 is "0". If a number without decimals is longer than `most` characters,
 * it is given in k, M, G or T.
 */
void format_number(char text[FORMAT_LEN], double n, int digits, int most);

/*
 * Write a figure of a table. From 0.005 to below 0.995 it has two decimals. Any other figure has no
 * decimals, as by format_number() with `digits` 0.
 */
void format_figure(char text[FORMAT_LEN], double n, int most);

/*
 * Write a latency of `us` microseconds in us, ms or s. A number from 10 (with `digits` 3: from 100)
 * has no decimals. A lower number has at most `digits` significant digits, such as 2.5ms or 2ms, or
 * with `digits` 0 always one decimal, such as 2.0ms; but 0 is 0us.
 */
const char *format_latency(char text[FORMAT_LEN], double us, int digits);

/* Write a number of bytes in bytes, KiB, MiB or GiB, rounded down: 512, 1K, 16M. */
const char *format_size(char text[FORMAT_LEN], uint64_t bytes);

#endif /* ESTAT_LIB_FORMAT_H */
