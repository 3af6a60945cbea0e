/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an interval is printed.
 */
#ifndef ESTAT_CLIENT_VIEW_OUTPUT_H
#define ESTAT_CLIENT_VIEW_OUTPUT_H

#include <stdio.h>

#include "source/programs.h"
#include "source/rows.h"
#include "source/stats.h"

/* Counters that are no operations. */
struct count {
	const char *title;
	double value; /* NAN: not known */
};

struct counts {
	unsigned int n;
	struct count counts[MAX_COUNTS * MAX_COUNTERS];
	bool all; /* or only those that are not 0 are told to people */
};

/* Of how much of the time what follows is, if not of all. */
void print_measured(const struct interval *interval);

/* As the original does: histograms, summary, total; or, with -j, an object a line. */
void print_tables(const struct options *o, const struct rows *rows, const struct counts *counts,
		  double seconds);
void print_lines(const struct options *o, const struct rows *rows, const struct counts *counts,
		 const struct interval *interval);

/* What stands below a heading. */
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

#define CELL 24 /* more than the longest text of a figure */

double figure(const struct row *row, enum figure figure, double seconds);

/* A figure of at most so many characters, if that can be; - if it is not known. */
void print_cell(char *text, double n, int most);

/* A row's title: "write, asyncw". To be freed. */
char *row_title(const struct row *row);

/* One JSON document in a line. */
void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval);

/* Members of an object: when it was; what is told of operations; a figure, null if not known. */
void print_when(const struct interval *interval);
void print_operations(const struct values *v, double seconds);
void print_figure(const char *name, double figure);

/* A row's name, axis and axes: how its object begins. */
void print_row_names(const struct row *row);

/* A text in quotes. */
void print_string(const char *text);

#endif /* ESTAT_CLIENT_VIEW_OUTPUT_H */
