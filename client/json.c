// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON: a line a row with texts only, as the original prints it for Telegraf, or a
 * document an interval.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "output.h"
#include "stats.h"

#define NS_PER_US 1000

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

/*
 * By what the original calls a bucket: of latency the upper bound, in nanoseconds, of sizes that
 * less one. The last bucket has no bound; it is called as the first of the original's there.
 */
static uint64_t original_bucket(enum histogram kind, unsigned int i)
{
	bool last = i + 1 == histogram_buckets(kind);
	uint64_t bound = last ? 2 * bucket_edge(kind, i) : bucket_edge(kind, i + 1);

	return kind == HISTOGRAM_LATENCY ? bound * NS_PER_US : bound - 1;
}

/* "microseconds":"{500000,36},{600000,37}" */
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

/* A figure of a line; none if it is not known. */
static void print_line_figure(const char *name, double figure)
{
	if (!isnan(figure))
		printf(", \"%s(us)\":\"%.0f\"", name, figure);
}

static void print_line_summary(const struct options *o, const struct row *row, double seconds,
			       bool total)
{
	const struct values *v = &row->values;

	printf(", \"iops(/s)\":\"%.0f\"", v->ops / seconds);
	if (!total) {
		print_line_figure("avg latency", mean(v));
		print_line_figure("stddev", deviation(v));
	}
	if (row->has_bytes)
		printf(", \"throughput(k/s)\":\"%.0f\"", v->bytes / 1024.0 / seconds);
	for (int i = 0; o->percentiles && i < QUANTILES; i++)
		print_line_figure(quantiles[i].name, quantile(v, &quantiles[i]));
	if (o->percentiles)
		printf(", \"errors\":\"%" PRIu64 "\"", v->errors);
}

static void print_line_name(const struct row *row, const char *size, double time, bool total)
{
	printf("{\"t\":\"%.0f\"", time);
	if (size)
		printf(", \"size\":\"%s\"", size);
	fputs(", \"name\":", stdout);
	print_string(row->name);
	if (!total) {
		fputs(", \"axis\":", stdout);
		print_string(row->axis);
	}
}

/* The original's sizes. Its first has all below, its last all above. */
static const char *const original_sizes[] = {
	"512",   "1KB", "2KB", "4KB", "8KB", "16KB", "32KB", "64KB", "128KB", "256KB",
	"512KB", "1MB", "2MB", "4MB", "8MB", "16MB", "32MB", "64MB", ">64MB",
};

#define ORIGINAL_SIZES (sizeof(original_sizes) / sizeof(original_sizes[0]))

/* Which of them a bucket of sizes is, by its lower bound: most sizes are powers of two. */
static unsigned int original_size(unsigned int bucket)
{
	unsigned int size = 0;

	while (size < ORIGINAL_SIZES - 1 && bucket_edge(HISTOGRAM_SIZE, bucket) > UINT64_C(512)
											  << size)
		size++;
	return size;
}

static void print_lines_by_size(const struct row *row, double time)
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
		print_line_name(row, original_sizes[size], time, false);
		print_pairs("microseconds", HISTOGRAM_LATENCY, latency[size]);
		puts("}");
	}
}

void print_lines(const struct options *o, const struct rows *rows, const struct interval *interval)
{
	for (unsigned int i = 0; o->by_size && i < rows->n; i++)
		print_lines_by_size(&rows->rows[i], interval->end);
	for (unsigned int i = 0; i < rows->n; i++) {
		const struct row *row = &rows->rows[i];

		print_line_name(row, NULL, interval->end, false);
		if (o->summary)
			print_line_summary(o, row, interval->seconds, false);
		if (o->latency)
			print_pairs("microseconds", HISTOGRAM_LATENCY, row->values.latency);
		if (o->size)
			print_pairs("bytes", HISTOGRAM_SIZE, row->values.size);
		puts("}");
	}
	if (o->summary && o->total) {
		print_line_name(&rows->total, NULL, interval->end, true);
		print_line_summary(o, &rows->total, interval->seconds, true);
		puts("}");
	}
}

/* ,"latency":[[400,500,36],[10000000,null,1]]: low bound, high bound, count */
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

/* A figure of an object; null if it is not known. */
static void print_figure(const char *name, double figure)
{
	if (isnan(figure))
		printf(",\"%s\":null", name);
	else
		printf(",\"%s\":%.3f", name, figure);
}

static void print_values(const struct options *o, const struct row *row, double seconds)
{
	const struct values *v = &row->values;

	printf("\"ops\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"iops\":%.3f", v->ops, v->errors,
	       v->ops / seconds);
	if (row->has_bytes)
		printf(",\"bytes\":%" PRIu64 ",\"throughput\":%.3f", v->bytes,
		       v->bytes / 1024.0 / seconds);
	if (v->ops) {
		print_figure("avg_latency", mean(v));
		print_figure("stddev", deviation(v));
		for (int i = 0; i < QUANTILES; i++)
			print_figure(quantiles[i].name, quantile(v, &quantiles[i]));
	}
	if (o->latency)
		print_buckets("latency", HISTOGRAM_LATENCY, v->latency);
	if (o->size)
		print_buckets("size", HISTOGRAM_SIZE, v->size);
	if (v->by_size)
		print_by_size(v);
}

static void print_row(const struct options *o, const struct row *row, double seconds)
{
	fputs("{\"name\":", stdout);
	print_string(row->name);
	fputs(",\"axis\":", stdout);
	print_string(row->axis);
	fputs(",\"axes\":{", stdout);
	for (unsigned int i = 0; i < row->naxes; i++) {
		if (i)
			putchar(',');
		print_string(row->axes[i].name);
		putchar(':');
		print_string(row->axes[i].value);
	}
	fputs("},", stdout);
	print_values(o, row, seconds);
	putchar('}');
}

void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct interval *interval)
{
	fputs("{\"program\":", stdout);
	print_string(o->program);
	fputs(",\"host\":", stdout);
	print_string(source->host);
	printf(",\"begin\":%.6f,\"end\":%.6f,\"seconds\":%.6f,\"rows\":[", interval->begin,
	       interval->end, interval->seconds);
	for (unsigned int i = 0; i < rows->n; i++) {
		if (i)
			putchar(',');
		print_row(o, &rows->rows[i], interval->seconds);
	}
	putchar(']');
	if (o->total) {
		fputs(",\"total\":{", stdout);
		print_values(o, &rows->total, interval->seconds);
		putchar('}');
	}
	puts("}");
}
