// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables and lines, as the original prints them. Its columns:
 *	histogram	a range in 16, a count in 16, a bar in 40
 *	its heading	a unit in 20 after 3 blanks, a title in 49
 *	summary		a title in 30, numbers in 17
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "output.h"
#include "stats.h"

#define BAR 40

char *row_title(const struct row *row)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s%s", row->name, *row->axis ? ", " : "", row->axis) < 0)
		or_die(NULL);
	return text;
}

/* A size as 512, 1K, 16M */
static const char *short_size(char *text, size_t size, uint64_t bytes)
{
	const char *units[] = { "", "K", "M", "G" };
	unsigned int unit = 0;

	while (bytes >= 1024 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%" PRIu64 "%s", bytes, units[unit]);
	return text;
}

/* A bucket as [400, 500) or [1K, 2K) */
static void range(char *text, size_t size, enum histogram kind, unsigned int bucket)
{
	bool last = bucket + 1 == histogram_buckets(kind);
	uint64_t low = bucket_edge(kind, bucket), high = last ? 0 : bucket_edge(kind, bucket + 1);
	char a[32], b[32];

	if (kind == HISTOGRAM_SIZE) {
		short_size(a, sizeof(a), low);
		short_size(b, sizeof(b), high);
	} else {
		snprintf(a, sizeof(a), "%" PRIu64, low);
		snprintf(b, sizeof(b), "%" PRIu64, high);
	}
	snprintf(text, size, "[%s, %s)", a, last ? "inf" : b);
}

static void print_histogram(const char *heading, const char *title, enum histogram kind,
			    const uint64_t *counts)
{
	static const char bar[BAR + 1] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
	uint64_t total = 0;

	for (unsigned int i = 0; i < histogram_buckets(kind); i++)
		total += counts[i];
	if (!total)
		return;
	printf("   %-20s%49s\n", heading, title);
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

void print_latency(const char *heading, const char *name,
		   const uint64_t counts[ESTAT_LATENCY_BUCKETS])
{
	print_histogram(heading, name, HISTOGRAM_LATENCY, counts);
}

static void print_by_size(const struct rows *rows)
{
	for (unsigned int i = 0; i < rows->n; i++) {
		char *title = row_title(&rows->rows[i]);

		for (unsigned int size = 0; size < ESTAT_SIZE_BUCKETS; size++) {
			char text[80], *both = NULL;

			range(text, sizeof(text), HISTOGRAM_SIZE, size);
			if (asprintf(&both, "%s, %s", text, title) < 0)
				or_die(NULL);
			print_latency("microseconds", both, rows->rows[i].values.by_size[size]);
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

		if (o->latency)
			print_latency("microseconds", title, v->latency);
		if (o->size)
			print_histogram("bytes", title, HISTOGRAM_SIZE, v->size);
		free(title);
	}
}

/* The further columns of -P. */
static void print_further_headings(const struct options *o)
{
	for (int i = 0; o->percentiles && i < QUANTILES; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s(us)", quantiles[i].name);
		printf("%12s", text);
	}
	printf(o->percentiles ? "%12s\n" : "\n", "errors");
}

/* A figure; - if it is not known. */
static void print_figure(int width, double figure)
{
	if (isnan(figure))
		printf("%*s", width, "-");
	else
		printf("%*.0f", width, figure);
}

static void print_further(const struct options *o, const struct values *v)
{
	for (int i = 0; o->percentiles && i < QUANTILES; i++)
		print_figure(12, quantile(v, &quantiles[i]));
	if (o->percentiles)
		printf("%12" PRIu64, v->errors);
	putchar('\n');
}

static void print_summary(const struct options *o, const struct rows *rows, double seconds)
{
	printf("%-30s%17s%17s%17s", "", "iops(/s)", "avg latency(us)", "stddev(us)");
	if (rows->total.has_bytes)
		printf("%17s", "throughput(k/s)");
	print_further_headings(o);
	for (unsigned int i = 0; i < rows->n; i++) {
		const struct values *v = &rows->rows[i].values;
		char *title = row_title(&rows->rows[i]);

		printf(" %-29s%17.0f%17.0f", title, v->ops / seconds, mean(v));
		print_figure(17, deviation(v));
		if (rows->total.has_bytes)
			printf("%17.0f", v->bytes / 1024.0 / seconds);
		print_further(o, v);
		free(title);
	}
	fputs("\n\n", stdout);
}

static void print_total(const struct options *o, const struct rows *rows, double seconds)
{
	printf("%-30s%17s", "", "iops(/s)");
	if (rows->total.has_bytes)
		printf("%17s", "throughput(k/s)");
	print_further_headings(o);
	printf(" %-29s%17.0f", "total", rows->total.values.ops / seconds);
	if (rows->total.has_bytes)
		printf("%17.0f", rows->total.values.bytes / 1024.0 / seconds);
	print_further(o, &rows->total.values);
	fputs("\n\n", stdout);
}

void print_tables(const struct options *o, const struct rows *rows, double seconds)
{
	if (o->by_size)
		print_by_size(rows);
	print_histograms(o, rows);
	if (o->summary && rows->n)
		print_summary(o, rows, seconds);
	if (o->summary && o->total)
		print_total(o, rows, seconds);
}
