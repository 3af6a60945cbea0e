// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints a JSON document for each interval (--json). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/histogram.h"
#include "lib/utf8.h"
#include "output.h"
#include "source/stats.h"

void print_string(const char *text)
{
	putchar('"');
	while (*text) {
		unsigned int n = utf8_length(text);

		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else if (!n)
			fputs("\\ufffd", stdout);
		else
			fwrite(text, n, 1, stdout);
		text += n ? n : 1;
	}
	putchar('"');
}

/* Print buckets as JSON: ,"latency":[[400,500,36]] is lower edge, upper edge, operations. */
static void print_buckets(const char *name, enum histogram kind, const uint64_t *counts)
{
	bool any = false;

	printf(",\"%s\":[", name);
	for (unsigned int i = 0; i < histogram_buckets(kind); i++) {
		if (!counts[i])
			continue;
		printf("%s[%" PRIu64 ",", any ? "," : "", bucket_edge(kind, i));
		if (i + 1 < histogram_buckets(kind))
			printf("%" PRIu64, bucket_edge(kind, i + 1));
		else
			fputs("null", stdout);
		printf(",%" PRIu64 "]", counts[i]);
		any = true;
	}
	putchar(']');
}

static void print_by_size(const struct values *v)
{
	bool any = false;

	fputs(",\"latency_by_size\":[", stdout);
	for (unsigned int i = 0; i < ESTAT_SIZE_BUCKETS; i++) {
		uint64_t n = 0;

		for (unsigned int j = 0; j < ESTAT_LATENCY_BUCKETS; j++)
			n += v->by_size[i][j];
		if (!n)
			continue;
		printf("%s{\"size\":%" PRIu64, any ? "," : "", bucket_edge(HISTOGRAM_SIZE, i));
		print_buckets("latency", HISTOGRAM_LATENCY, v->by_size[i]);
		putchar('}');
		any = true;
	}
	putchar(']');
}

void print_figure(const char *name, double figure)
{
	if (isnan(figure))
		printf(",\"%s\":null", name);
	else
		printf(",\"%s\":%.3f", name, figure);
}

/* Print a JSON member: `name` (with quotes and colon), then n, or null if the source lacks n. */
static void print_count(const char *name, uint64_t n, bool lacks)
{
	fputs(name, stdout);
	if (lacks)
		fputs("null", stdout);
	else
		printf("%" PRIu64, n);
}

/* Print the buckets of a histogram, or null if the source lacks the histogram. */
static void print_histogram(const char *name, enum histogram kind, const uint64_t *counts,
			    bool lacks)
{
	if (lacks)
		printf(",\"%s\":null", name);
	else
		print_buckets(name, kind, counts);
}

void print_operations(const struct values *v, double seconds)
{
	print_count("\"ops\":", v->ops, lacks(v, FIELD_OPS));
	print_count(",\"errors\":", v->errors, lacks(v, FIELD_ERRORS));
	print_figure("iops", count(v->ops, v, FIELD_OPS) / seconds);
	print_count(",\"bytes\":", v->bytes, lacks(v, FIELD_BYTES));
	print_figure("throughput", count(v->bytes, v, FIELD_BYTES) / 1024 / seconds);
	if (v->ops || lacks(v, FIELD_OPS)) {
		print_figure("avg_latency", mean(v));
		print_figure("stddev", deviation(v));
		for (int i = 0; i < QUANTILES; i++)
			print_figure(quantiles[i].name, quantile(v, &quantiles[i]));
	}
}

static void print_values(const struct options *o, const struct row *row, double seconds)
{
	const struct values *v = &row->values;

	print_operations(v, seconds);
	if (o->latency)
		print_histogram("latency", HISTOGRAM_LATENCY, v->latency, lacks(v, FIELD_LATENCY));
	if (o->size)
		print_histogram("size", HISTOGRAM_SIZE, v->size, lacks(v, FIELD_SIZE));
	if (v->by_size && lacks(v, FIELD_BY_SIZE))
		fputs(",\"latency_by_size\":null", stdout);
	else if (v->by_size)
		print_by_size(v);
}

void print_axes(const struct axis *axes, unsigned int n)
{
	fputs("\"axes\":{", stdout);
	for (unsigned int i = 0; i < n; i++) {
		if (i)
			putchar(',');
		print_string(axes[i].name);
		putchar(':');
		print_string(axes[i].value);
	}
	putchar('}');
}

void print_row_names(const struct row *row)
{
	fputs("{\"name\":", stdout);
	print_string(row->name);
	fputs(",\"axis\":", stdout);
	print_string(row->axis);
	putchar(',');
	print_axes(row->axes, row->naxes);
}

static void print_row(const struct options *o, const struct row *row, double seconds)
{
	print_row_names(row);
	putchar(',');
	print_values(o, row, seconds);
	putchar('}');
}

void print_when(const struct interval *interval)
{
	printf(",\"begin\":%.6f,\"end\":%.6f,\"seconds\":%.6f,\"left_out\":%.6f", interval->begin,
	       interval->end, interval->seconds, interval->left_out);
}

void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval)
{
	fputs("{\"program\":", stdout);
	print_string(o->name);
	fputs(",\"host\":", stdout);
	print_string(source->host);
	print_when(interval);
	fputs(",\"rows\":[", stdout);
	for (unsigned int i = 0; i < rows->n; i++) {
		if (i)
			putchar(',');
		print_row(o, &rows->rows[i], interval->seconds);
	}
	putchar(']');
	if (counts->n)
		fputs(",\"counts\":{", stdout);
	for (unsigned int i = 0; i < counts->n; i++) {
		if (i)
			putchar(',');
		print_string(counts->counts[i].title);
		if (isnan(counts->counts[i].value))
			fputs(":null", stdout);
		else
			printf(":%.0f", counts->counts[i].value);
	}
	if (counts->n)
		putchar('}');
	if (o->total) {
		fputs(",\"total\":{", stdout);
		print_values(o, &rows->total, interval->seconds);
		putchar('}');
	}
	puts("}");
}
