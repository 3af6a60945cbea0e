/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an interval as tables or, with --json, as a JSON document. */
#ifndef ESTAT_CLIENT_VIEW_OUTPUT_H
#define ESTAT_CLIENT_VIEW_OUTPUT_H

#include <stdio.h>

#include "source/modules.h"
#include "source/rows.h"
#include "source/stats.h"

/* A counter of something else than operations, such as block allocations. */
struct count {
	const char *title;
	double value; /* NAN: unknown */
};

struct counts {
	unsigned int n;
	struct count counts[MAX_COUNTS * MAX_COUNTERS];
	bool all; /* false: tables, and lines of `estat -j`, omit counters that are 0 */
};

/* Print a line with the measured time, if a part of the interval was not measured. */
void print_measured(const struct interval *interval);

/* Print an interval as tables in the original estat's format. `seconds`: the measured time. */
void print_tables(const struct options *o, const struct rows *rows, const struct counts *counts,
		  double seconds);

/* A figure of a row, computed from its values. The summary table has a column for each figure. */
enum figure {
	IOPS,
	MEAN,
	DEVIATION,
	THROUGHPUT,
	FIRST_QUANTILE,
	ERRORS = FIRST_QUANTILE + QUANTILES,
	OPS,
	FIGURES,
};

#define CELL 24 /* bytes for the text of any figure, with the NUL */

/* Compute a figure of a row; NAN if unknown. `seconds`: the interval's measured time. */
double figure(const struct row *row, enum figure figure, double seconds);

/*
 * Write a number to text[CELL], in at most `most` characters if a unit k, M, G or T makes this
 * possible. Both functions round to an integer; print_cell() writes numbers from 0.005 to 0.995
 * with two decimals, and NAN as "-".
 */
void print_short(char *text, double n, int most);
void print_cell(char *text, double n, int most);

/* The title of a row: "NAME, AXIS", such as "write, asyncw". The caller frees the text. */
char *row_title(const struct row *row);

/* Print an interval as a JSON document in one line. */
void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval);

/* Print the times of an interval, or a row's figures, as members of a JSON object. */
void print_when(const struct interval *interval);
void print_operations(const struct values *v, double seconds);
/* Print a figure as a member of a JSON object; null if NAN. */
void print_figure(const char *name, double figure);

/* Print "{" and the first members of a row's JSON object: name, axis and axes. */
void print_row_names(const struct row *row);

/* Print the JSON member "axes". */
void print_axes(const struct axis *axes, unsigned int n);

/* Print a text as a JSON string. Bytes that are not UTF-8 become U+FFFD. */
void print_string(const char *text);

#endif /* ESTAT_CLIENT_VIEW_OUTPUT_H */
