/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an interval is printed.
 */
#ifndef ESTAT_OUTPUT_H
#define ESTAT_OUTPUT_H

#include <stdio.h>

#include "rows.h"

/* As the original does: histograms, summary, total; or, with -j, an object a line. */
void print_tables(const struct options *o, const struct rows *rows, double seconds);
void print_lines(const struct options *o, const struct rows *rows, const struct interval *interval);

/* A latency histogram with its heading, if it has any operation. */
void print_latency(const char *heading, const char *name,
		   const uint64_t counts[ESTAT_LATENCY_BUCKETS]);

/* A row's title: "write, asyncw". To be freed. */
char *row_title(const struct row *row);

/* One JSON document in a line. */
void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct interval *interval);

#endif /* ESTAT_OUTPUT_H */
