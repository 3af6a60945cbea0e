/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of -j. "The original estat" is the BCC script that this command replaces. */
#ifndef ESTAT_CLIENT_COMPAT_H
#define ESTAT_CLIENT_COMPAT_H

#include "view/output.h"

/*
 * Print an interval for `estat -j`: lines with a JSON object each, of the counters, of each row and
 * of the total. Options choose which of these are printed.
 */
void print_lines(const struct options *o, const struct rows *rows, const struct counts *counts,
		 const struct interval *interval);

/*
 * Begin a line of the output of -j, with the member "t": `time`, seconds since 1970 as a string.
 * document_end() ends the line.
 */
struct json line_begin(double time);

#endif /* ESTAT_CLIENT_COMPAT_H */
