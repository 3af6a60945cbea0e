// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints for -j a JSON object for each row, all values as strings, as the original estat does. */
#include <inttypes.h>
#include <math.h>

#include "compat.h"
#include "lib/histogram.h"
#include "source/stats.h"

#define NS_PER_US 1000

/*
 * The number that names a bucket in the original estat: the upper edge of a latency bucket in
 * nanoseconds, the upper edge of a size bucket less 1. The last bucket has no upper edge: the
 * number is that of the original estat's bucket with the same lower edge.
 */
static uint64_t original_bucket(enum histogram kind, unsigned int i)
{
	bool last = i + 1 == histogram_buckets(kind);
	uint64_t bound = last ? 2 * bucket_edge(kind, i) : bucket_edge(kind, i + 1);

	return kind == HISTOGRAM_LATENCY ? bound * NS_PER_US : bound - 1;
}

/* Print a histogram as pairs of bucket and count: "microseconds":"{500000,36},{600000,37}". */
static void print_pairs(const char *name, enum histogram kind, const uint64_t *counts)
{
	bool any = false;

	printf(", \"%s\":\"", name);
	for (unsigned int i = 0; i < histogram_buckets(kind); i++) {
		if (!counts[i])
			continue;
		printf("%s{%" PRIu64 ",%" PRIu64 "}", any ? "," : "", original_bucket(kind, i),
		       counts[i]);
		any = true;
	}
	fputs(any ? "\"" : "{ }\"", stdout);
}

/* Print a JSON member: a figure below 1 with two decimals, else an integer; NAN: print nothing. */
static void print_line_figure(const char *name, double figure)
{
	if (!isnan(figure))
		printf(figure >= 0.005 && figure < 0.995 ? ", \"%s\":\"%.2f\""
							 : ", \"%s\":\"%.0f\"",
		       name, figure);
}

/* Print a JSON member with an integer, as the original estat does; NAN: print nothing. */
static void print_line_integer(const char *name, double figure)
{
	if (!isnan(figure))
		printf(", \"%s\":\"%.0f\"", name, figure);
}

static void print_line_summary(const struct options *o, const struct row *row, double seconds,
			       bool total)
{
	const struct values *v = &row->values;

	print_line_integer("iops(/s)", count(v->ops, v, FIELD_OPS) / seconds);
	if (!total) {
		print_line_integer("avg latency(us)", mean(v));
		print_line_integer("stddev(us)", deviation(v));
	}
	print_line_integer("throughput(k/s)", count(v->bytes, v, FIELD_BYTES) / 1024 / seconds);
	for (int i = 0; o->percentiles && i < QUANTILES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s(us)", quantiles[i].name);
		print_line_figure(name, quantile(v, &quantiles[i]));
	}
	if (o->percentiles)
		print_line_integer("errors", count(v->errors, v, FIELD_ERRORS));
	print_line_integer("ops", count(v->ops, v, FIELD_OPS));
}

static void print_line_name(const struct row *row, const char *size,
			    const struct interval *interval, bool total)
{
	printf("{\"t\":\"%.0f\"", interval->end);
	if (interval->left_out > 0)
		printf(", \"measured(s)\":\"%.1f\", \"left out(s)\":\"%.1f\"", interval->seconds,
		       interval->left_out);
	if (size)
		printf(", \"size\":\"%s\"", size);
	fputs(", \"name\":", stdout);
	print_string(row->name);
	if (!total) {
		fputs(", \"axis\":", stdout);
		print_string(row->axis);
	}
}

/* The original estat's size buckets. The first has all smaller sizes, the last all larger sizes. */
static const char *const original_sizes[] = {
	"512",   "1KB", "2KB", "4KB", "8KB", "16KB", "32KB", "64KB", "128KB", "256KB",
	"512KB", "1MB", "2MB", "4MB", "8MB", "16MB", "32MB", "64MB", ">64MB",
};

#define ORIGINAL_SIZES (sizeof(original_sizes) / sizeof(original_sizes[0]))

/* The index in original_sizes for a bucket's lower edge: the sizes of most I/Os are powers of 2. */
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
	uint64_t latency[ORIGINAL_SIZES][ESTAT_LATENCY_BUCKETS] = {}, n[ORIGINAL_SIZES] = {};

	for (unsigned int i = 0; i < ESTAT_SIZE_BUCKETS; i++) {
		unsigned int size = original_size(i);

		for (unsigned int j = 0; j < ESTAT_LATENCY_BUCKETS; j++) {
			latency[size][j] += row->values.by_size[i][j];
			n[size] += row->values.by_size[i][j];
		}
	}
	for (unsigned int size = 0; size < ORIGINAL_SIZES; size++) {
		if (!n[size])
			continue;
		print_line_name(row, original_sizes[size], interval, false);
		print_pairs("microseconds", HISTOGRAM_LATENCY, latency[size]);
		puts("}");
	}
}

/* Print one JSON object with all counters that do not count operations. */
static void print_line_counts(const struct counts *counts, const struct interval *interval)
{
	struct row row = { .name = "counts" };
	unsigned int n = 0;

	for (unsigned int i = 0; i < counts->n; i++) {
		const struct count *c = &counts->counts[i];

		if (isnan(c->value) || (!counts->all && c->value <= 0))
			continue;
		if (!n++)
			print_line_name(&row, NULL, interval, true);
		print_line_integer(c->title, c->value);
	}
	if (n)
		puts("}");
}

void print_lines(const struct options *o, const struct rows *rows, const struct counts *counts,
		 const struct interval *interval)
{
	if (o->summary)
		print_line_counts(counts, interval);
	for (unsigned int i = 0; o->by_size && i < rows->n; i++)
		print_lines_by_size(&rows->rows[i], interval);
	for (unsigned int i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		print_line_name(row, NULL, interval, false);
		if (o->summary)
			print_line_summary(o, row, interval->seconds, false);
		if (o->latency && !lacks(&row->values, FIELD_LATENCY))
			print_pairs("microseconds", HISTOGRAM_LATENCY, row->values.latency);
		if (o->size && !lacks(&row->values, FIELD_SIZE))
			print_pairs("bytes", HISTOGRAM_SIZE, row->values.size);
		puts("}");
	}
	if (o->summary && o->total) {
		print_line_name(&rows->total, NULL, interval, true);
		print_line_summary(o, &rows->total, interval->seconds, true);
		puts("}");
	}
}
