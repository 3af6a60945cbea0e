/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an interval as tables or, with --json, as a JSON document. */
#ifndef ESTAT_CLIENT_VIEW_OUTPUT_H
#define ESTAT_CLIENT_VIEW_OUTPUT_H

#include <stdio.h>

#include "lib/json.h"
#include "source/modules.h"
#include "source/rows.h"
#include "source/stats.h"

/* A counter of things other than operations, such as block allocations. */
struct count {
	const char *title;
	double value; /* NAN: unknown */
};

struct counts {
	unsigned int n;
	struct count counts[MAX_COUNTS * MAX_COUNTERS];
	bool all; /* false: tables, and lines of `estat -j`, omit counters that are 0 */
};

/* If a part of the interval was not measured, print a line with the measured time. */
void print_measured(const struct interval *interval);

/*
 * Print an interval as tables in the format of the original estat, a BCC script. `seconds`: the
 * measured time.
 */
void print_tables(const struct options *o, const struct rows *rows, const struct counts *counts,
		  double seconds);

/* The title of a row: "NAME, AXIS", such as "write, asyncw". The caller frees the text. */
char *row_title(const struct row *row);

/* Print an interval as a JSON document in one line. */
void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval);

/*
 * document_begin() begins a JSON object on the standard output, with the members program (`name`)
 * and host. If an argument is NULL, its member is left out. document_end() ends the object.
 */
struct json document_begin(const char *name, const char *host);
void document_end(struct json *j);

/*
 * Each of these functions writes members of the open JSON object: write_when() the times of an
 * interval, write_operations() ops, errors, bytes, rates and latencies, write_axes() the axes.
 */
void write_when(struct json *j, const struct interval *interval);
void write_operations(struct json *j, const struct values *v, double seconds);
void write_axes(struct json *j, const struct axis *axes, unsigned int n);

/* Open a row's JSON object, and write its first members: name, axis and axes. */
void write_row_names(struct json *j, const struct row *row);

#endif /* ESTAT_CLIENT_VIEW_OUTPUT_H */
