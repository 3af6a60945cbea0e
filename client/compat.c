// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints for -j JSON objects, one a line, all values as strings, as the original estat does: for
 * the counters, for each row and size, for each row, and for the total.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "compat.h"
#include "lib/histogram.h"
#include "source/stats.h"

#define NS_PER_US 1000

/*
 * The number by which the original estat names a bucket: the upper edge of a latency bucket
 * in nanoseconds, or the upper edge of a size bucket minus 1 byte. The last bucket has no upper
 * edge, so it gets the number of the original estat's bucket with the same lower edge.
 */
static uint64_t original_bucket(enum histogram kind, unsigned int i)
{
	bool last = i + 1 == histogram_buckets(kind);
	uint64_t bound = last ? 2 * bucket_edge(kind, i) : bucket_edge(kind, i + 1);

	return kind == HISTOGRAM_LATENCY ? bound * NS_PER_US : bound - 1;
}

/*
 * Write a histogram as pairs of original_bucket() and count: "{500000,36},{600000,37}"; "{ }" if
 * all counts are 0. The original estat, too, names latencies in ns "microseconds".
 */
static void write_pairs(struct json *j, const char *name, enum histogram kind,
			const uint64_t *counts)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < histogram_buckets(kind); i++)
		if (counts[i])
			fprintf(f, "%s{%" PRIu64 ",%" PRIu64 "}", ftell(f) ? "," : "",
				original_bucket(kind, i), counts[i]);
	if (!ftell(f))
		fputs("{ }", f);
	fclose(f);
	json_put_string(j, name, text);
	free(text);
}

/* Write a number as a string; NAN: write nothing. */
static void write_number(struct json *j, const char *name, const char *format, double n)
{
	char text[64];

	if (isnan(n))
		return;
	snprintf(text, sizeof(text), format, n);
	json_put_string(j, name, text);
}

static void write_summary(struct json *j, const struct options *o, const struct row *row,
			  double seconds, bool total)
{
	for (enum figure f = 0; f < FIGURES; f++) {
		double n = figure(&row->values, f, seconds);
		bool latency = f >= P50 && f <= HIGHEST;

		if ((total && (f == MEAN || f == DEVIATION)) ||
		    (!o->percentiles && (latency || f == ERRORS)))
			continue;
		write_number(j, figures[f].heading,
			     latency && n >= 0.005 && n < 0.995 ? "%.2f" : "%.0f", n);
	}
}

struct json line_begin(double time)
{
	struct json j = { .f = stdout, .comma = ", " };

	json_begin(&j, NULL, '{');
	write_number(&j, "t", "%.0f", time);
	return j;
}

/*
 * Begin a line about a row. `size`: the size bucket that the line is about; NULL: the line is about
 * all sizes. `total`: leave out the row's axis.
 */
static struct json begin_row(const struct row *row, const char *size,
			     const struct interval *interval, bool total)
{
	struct json j = line_begin(interval->end);

	if (interval->left_out > 0) {
		write_number(&j, "measured(s)", "%.1f", interval->seconds);
		write_number(&j, "left out(s)", "%.1f", interval->left_out);
	}
	if (size)
		json_put_string(&j, "size", size);
	json_put_string(&j, "name", row->name);
	if (!total)
		json_put_string(&j, "axis", row->axis);
	return j;
}

/*
 * Size buckets of the original estat. -j counts sizes from 1 KiB to less than 2 KiB in "1KB", and
 * so on; all sizes below 1 KiB in "512"; all sizes from 128 MiB on in ">64MB".
 */
static const char *const original_sizes[] = {
	"512",   "1KB", "2KB", "4KB", "8KB", "16KB", "32KB", "64KB", "128KB", "256KB",
	"512KB", "1MB", "2MB", "4MB", "8MB", "16MB", "32MB", "64MB", ">64MB",
};

#define ORIGINAL_SIZES (sizeof(original_sizes) / sizeof(original_sizes[0]))

/*
 * The index in original_sizes for one of our size buckets. The bucket's lower edge decides, because
 * most I/Os in a bucket have that size, a power of 2.
 */
static unsigned int original_size(unsigned int bucket)
{
	unsigned int size = 0;

	while (size < ORIGINAL_SIZES - 1 && bucket_edge(HISTOGRAM_SIZE, bucket) > UINT64_C(512)
											  << size)
		size++;
	return size;
}

static void print_lines_by_size(const struct row *row, const struct interval *interval)
{
	uint64_t latency[ORIGINAL_SIZES][ESTAT_LATENCY_BUCKETS] = {};

	for (unsigned int i = 0; i < ESTAT_SIZE_BUCKETS; i++) {
		unsigned int size = original_size(i);

		for (unsigned int j = 0; j < ESTAT_LATENCY_BUCKETS; j++)
			latency[size][j] += row->values.by_size[i][j];
	}
	for (unsigned int size = 0; size < ORIGINAL_SIZES; size++) {
		struct json j;

		if (!histogram_sum(HISTOGRAM_LATENCY, latency[size]))
			continue;
		j = begin_row(row, original_sizes[size], interval, false);
		write_pairs(&j, "microseconds", HISTOGRAM_LATENCY, latency[size]);
		document_end(&j);
	}
}

static void print_line_counts(const struct counts *counts, const struct interval *interval)
{
	struct row row = { .name = "counts" };
	struct json j = { 0 };

	for (unsigned int i = 0; i < counts->n; i++) {
		const struct count *c = &counts->counts[i];

		if (isnan(c->value) || (!counts->all && c->value <= 0))
			continue;
		if (!j.f)
			j = begin_row(&row, NULL, interval, true);
		write_number(&j, c->title, "%.0f", c->value);
	}
	if (j.f)
		document_end(&j);
}

void print_lines(const struct options *o, const struct rows *rows, const struct counts *counts,
		 const struct interval *interval)
{
	struct json j;

	if (o->summary)
		print_line_counts(counts, interval);
	for (unsigned int i = 0; o->by_size && i < rows->n; i++)
		print_lines_by_size(&rows->rows[i], interval);
	for (unsigned int i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		j = begin_row(row, NULL, interval, false);
		if (o->summary)
			write_summary(&j, o, row, interval->seconds, false);
		if (o->latency && !lacks(&row->values, FIELD_LATENCY))
			write_pairs(&j, "microseconds", HISTOGRAM_LATENCY, row->values.latency);
		if (o->size && !lacks(&row->values, FIELD_SIZE))
			write_pairs(&j, "bytes", HISTOGRAM_SIZE, row->values.size);
		document_end(&j);
	}
	if (o->summary && o->total) {
		j = begin_row(&rows->total, NULL, interval, true);
		write_summary(&j, o, &rows->total, interval->seconds, true);
		document_end(&j);
	}
}
