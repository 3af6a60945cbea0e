// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints tables like those of the original estat, a BCC script, with more columns such as ops. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "lib/histogram.h"
#include "output.h"

#define BAR 40

char *row_title(const struct row *row)
{
	return xasprintf("%s%s%s", row->name, *row->axis ? ", " : "", row->axis);
}

/* Write the range of a bucket as [400, 500) or [1K, 2K). */
static void range(char *text, size_t size, enum histogram kind, unsigned int bucket)
{
	bool last = bucket + 1 == histogram_buckets(kind);
	uint64_t low = bucket_edge(kind, bucket), high = last ? 0 : bucket_edge(kind, bucket + 1);
	char a[FORMAT_LEN], b[FORMAT_LEN];

	if (kind == HISTOGRAM_SIZE) {
		format_size(a, low);
		format_size(b, high);
	} else {
		snprintf(a, sizeof(a), "%" PRIu64, low);
		snprintf(b, sizeof(b), "%" PRIu64, high);
	}
	snprintf(text, size, "[%s, %s)", a, last ? "inf" : b);
}

static void print_heading(const char *heading, const char *title)
{
	printf("   %-20s", heading);
	print_aligned(title, 49);
	putchar('\n');
}

static void print_histogram(const char *heading, const char *title, enum histogram kind,
			    const uint64_t *counts)
{
	static const char bar[BAR + 1] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	uint64_t total = histogram_sum(kind, counts);

	if (!total)
		return;
	print_heading(heading, title);
	printf("%-16s %16s %s\n", "value range", "count",
	       "------------- Distribution -------------");
	for (unsigned int i = 0; i < histogram_buckets(kind); i++) {
		char text[80];

		if (!counts[i])
			continue;
		range(text, sizeof(text), kind, i);
		printf("%-16s %16" PRIu64 " |%.*s\n", text, counts[i],
		       (int)((counts[i] - 1) * BAR / total + 1), bar);
	}
	putchar('\n');
}

/* Print "not recorded" for a histogram that the source lacks for the interval or a part of it. */
static void print_unknown(const char *heading, const char *title)
{
	print_heading(heading, title);
	puts("not recorded\n");
}

static void print_by_size(const struct rows *rows)
{
	for (unsigned int i = 0; i < rows->n; i++) {
		char *title = row_title(&rows->rows[i]);

		if (lacks(&rows->rows[i].values, FIELD_BY_SIZE))
			print_unknown("microseconds", title);
		for (unsigned int size = 0;
		     !lacks(&rows->rows[i].values, FIELD_BY_SIZE) && size < ESTAT_SIZE_BUCKETS;
		     size++) {
			char text[80], *both;

			range(text, sizeof(text), HISTOGRAM_SIZE, size);
			both = xasprintf("%s, %s", text, title);
			print_histogram("microseconds", both, HISTOGRAM_LATENCY,
					rows->rows[i].values.by_size[size]);
			free(both);
		}
		free(title);
	}
}

static void print_histograms(const struct options *o, const struct rows *rows)
{
	for (unsigned int i = 0; i < rows->n; i++) {
		const struct values *v = &rows->rows[i].values;
		char *title = row_title(&rows->rows[i]);

		if (o->latency && lacks(v, FIELD_LATENCY) && rows->has & 1U << FIELD_LATENCY)
			print_unknown("microseconds", title);
		else if (o->latency)
			print_histogram("microseconds", title, HISTOGRAM_LATENCY, v->latency);
		if (o->size && lacks(v, FIELD_SIZE) && rows->has & 1U << FIELD_SIZE)
			print_unknown("bytes", title);
		else if (o->size)
			print_histogram("bytes", title, HISTOGRAM_SIZE, v->size);
		free(title);
	}
}

struct column {
	char heading[FORMAT_LEN];
	bool shown;
	bool in_total;
	int width; /* width of the column, with the blank before the column */
};

/* The layout of the summary table for the width of the output. */
struct summary {
	struct column columns[FIGURES];
	int title;  /* width of rows' titles; a longer title has its own line */
	bool brief; /* short headings, narrow columns */
};

/* Widths in characters. */
#define WIDE          17
#define WIDE_QUANTILE 12
#define TITLE         30
#define BRIEF_TITLE   14 /* least width of titles in a brief summary */
#define DIGITS        6  /* most characters of a figure in the narrowest summary */

static void set_heading(struct summary *s, enum figure i)
{
	strcpy(s->columns[i].heading, s->brief ? figures[i].brief : figures[i].heading);
}

static int needed(const struct summary *s)
{
	int width = 0;

	for (int i = 0; i < FIGURES; i++)
		width += s->columns[i].shown ? s->columns[i].width : 0;
	return width;
}

/*
 * Make each column as wide as the longest of its heading and its figures, plus a blank.
 * format_figure() shortens each figure to at most `most` characters.
 */
static void fit(struct summary *s, const struct rows *rows, double seconds, int most)
{
	for (int i = 0; i < FIGURES; i++) {
		struct column *c = &s->columns[i];
		int width = strlen(c->heading);

		for (unsigned int r = 0; r <= rows->n; r++) {
			char text[FORMAT_LEN];
			int length;

			format_figure(text,
				      figure(r < rows->n ? &rows->rows[r].values
							 : &rows->total.values,
					     i, seconds),
				      most);
			length = strlen(text);
			width = length > width ? length : width;
		}
		c->width = width + 1;
	}
}

static int longest_title(const struct rows *rows)
{
	int longest = 0;

	for (unsigned int i = 0; i < rows->n; i++) {
		char *title = row_title(&rows->rows[i]);
		int length = text_width(title);

		longest = length > longest ? length : longest;
		free(title);
	}
	return longest + 2;
}

static bool any_errors(const struct rows *rows)
{
	for (unsigned int i = 0; i < rows->n; i++)
		if (rows->rows[i].values.errors)
			return true;
	return rows->total.values.errors;
}

/*
 * Lay out the summary with wide columns, as the original estat's are, or, if the output is too
 * narrow, with short headings and narrow columns. Without -P there is a column of errors only if a
 * row or the total has errors; with -P there always is. With -P the column of the deviation is left
 * out if, with this column, even the narrow columns do not fit into the output.
 */
static void lay_out(const struct options *o, struct summary *s, const struct rows *rows,
		    double seconds)
{
	int room = output_width(o->percentiles ? 80 : INT_MAX), longest = longest_title(rows);

	for (int i = 0; i < FIGURES; i++) {
		bool detail = i >= P50 && i <= ERRORS;
		struct column *c = &s->columns[i];

		c->shown = o->percentiles || !detail || (i == ERRORS && any_errors(rows));
		c->in_total = i != MEAN && i != DEVIATION;
		c->width = detail ? WIDE_QUANTILE : WIDE;
		set_heading(s, i);
	}
	s->columns[THROUGHPUT].shown = rows->has & 1U << FIELD_BYTES;
	s->title = longest > TITLE ? longest : TITLE;
	if (s->title <= room - needed(s))
		return;
	s->brief = true;
	for (int i = 0; i < FIGURES; i++)
		set_heading(s, i);
	fit(s, rows, seconds, FORMAT_LEN);
	s->columns[DEVIATION].shown = !o->percentiles || needed(s) + BRIEF_TITLE <= room;
	if (needed(s) + BRIEF_TITLE > room)
		fit(s, rows, seconds, DIGITS);
	longest = longest < BRIEF_TITLE ? BRIEF_TITLE : longest;
	for (int more = 0; more < 2 && needed(s) + FIGURES + longest <= room; more++)
		for (int i = 0; i < FIGURES; i++)
			s->columns[i].width++;
	s->title = room - needed(s) < longest ? room - needed(s) : longest;
	s->title = s->title < BRIEF_TITLE ? BRIEF_TITLE : s->title;
}

static void print_headings(const struct summary *s, bool total)
{
	printf("%-*s", s->title, "");
	for (int i = 0; i < FIGURES; i++)
		if (s->columns[i].shown)
			printf("%*s", s->columns[i].width,
			       !total || s->columns[i].in_total ? s->columns[i].heading : "");
	putchar('\n');
}

static void print_figures(const struct summary *s, const struct row *row, double seconds,
			  bool total)
{
	char *title = row_title(row);

	putchar(' ');
	print_aligned(title, 1 - s->title);
	if (text_width(title) >= s->title)
		printf("\n%*s", s->title, "");
	free(title);
	for (int i = 0; i < FIGURES; i++) {
		char text[FORMAT_LEN];

		if (!s->columns[i].shown)
			continue;
		format_figure(text, figure(&row->values, i, seconds), s->columns[i].width - 1);
		printf("%*s", s->columns[i].width, !total || s->columns[i].in_total ? text : "");
	}
	putchar('\n');
}

static void print_summary(const struct options *o, const struct rows *rows, double seconds)
{
	struct summary s = { 0 };

	lay_out(o, &s, rows, seconds);
	if (rows->n) {
		print_headings(&s, false);
		for (unsigned int i = 0; i < rows->n; i++)
			print_figures(&s, &rows->rows[i], seconds, false);
		fputs("\n\n", stdout);
	}
	if (o->total) {
		print_headings(&s, true);
		print_figures(&s, &rows->total, seconds, true);
		fputs("\n\n", stdout);
	}
}

/*
 * Print counters in lines such as "block allocations    : 12". An unknown counter has "-" in the
 * place of the number. Without counts->all, a counter that is 0 has no line.
 */
static void print_counts(const struct counts *counts)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < counts->n; i++) {
		const struct count *c = &counts->counts[i];

		if (!counts->all && c->value <= 0)
			continue;
		printf(isnan(c->value) ? "%-20s : -\n" : "%-20s : %.0f\n", c->title, c->value);
		n++;
	}
	if (n)
		putchar('\n');
}

void print_measured(const struct interval *interval)
{
	if (interval->left_out > 0)
		printf(" Measured %.1f s of %.1f s; the rest is left out.\n", interval->seconds,
		       interval->seconds + interval->left_out);
}

void print_tables(const struct options *o, const struct rows *rows, const struct counts *counts,
		  double seconds)
{
	if (o->summary)
		print_counts(counts);
	if (o->by_size)
		print_by_size(rows);
	print_histograms(o, rows);
	if (o->summary)
		print_summary(o, rows, seconds);
}
