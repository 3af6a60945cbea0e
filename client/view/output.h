/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing of intervals: tables, and documents of --json. */
#ifndef ESTAT_CLIENT_VIEW_OUTPUT_H
#define ESTAT_CLIENT_VIEW_OUTPUT_H

#include <stdio.h>

#include "source/modules.h"
#include "source/rows.h"
#include "source/stats.h"

/* A counter that does not count operations. */
struct count {
	const char *title;
	double value; /* NAN: unknown */
};

struct counts {
	unsigned int n;
	struct count counts[MAX_COUNTS * MAX_COUNTERS];
	bool all; /* false: tables and lines of -j have only counters above 0 */
};

/* Print a line with the measured time and the length of the interval, if they differ. */
void print_measured(const struct interval *interval);

/* Print an interval as tables, as the original estat does. */
void print_tables(const struct options *o, const struct rows *rows, const struct counts *counts,
		  double seconds);

/* The columns of a summary. */
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

#define CELL 24 /* bytes; longer than any figure's text */

/* A figure of a row; NAN if unknown. `seconds` is the measured time. */
double figure(const struct row *row, enum figure figure, double seconds);

/* Write a figure to text[CELL], if possible in `most` characters by k, M, G or T; NAN as "-". */
void print_cell(char *text, double n, int most);

/* A row's title: "write, asyncw". The caller frees the text. */
char *row_title(const struct row *row);

/* Print an interval as one JSON document in one line. */
void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval);

/* Print members of a JSON object: times; figures of operations; one figure, NAN as null. */
void print_when(const struct interval *interval);
void print_operations(const struct values *v, double seconds);
void print_figure(const char *name, double figure);

/* Print the begin of a row's JSON object: "{", name, axis and axes. */
void print_row_names(const struct row *row);

/* Print a JSON string. Bytes that are not UTF-8 become U+FFFD. */
void print_string(const char *text);

#endif /* ESTAT_CLIENT_VIEW_OUTPUT_H */
