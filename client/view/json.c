// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints a JSON document for each interval (--json). */
#include "lib/histogram.h"
#include "output.h"

/*
 * Write a histogram as [[400,500,36]]: lower edge, upper edge, operations. The last bucket's upper
 * edge is null. If `lacking`, write null for the histogram.
 */
static void write_histogram(struct json *j, const char *name, enum histogram kind,
			    const uint64_t *counts, bool lacking)
{
	if (lacking) {
		json_put_string(j, name, NULL);
		return;
	}
	json_begin(j, name, '[');
	for (unsigned int i = 0; i < histogram_buckets(kind); i++) {
		if (!counts[i])
			continue;
		json_begin(j, NULL, '[');
		json_put_integer(j, NULL, bucket_edge(kind, i));
		if (i + 1 < histogram_buckets(kind))
			json_put_integer(j, NULL, bucket_edge(kind, i + 1));
		else
			json_put_string(j, NULL, NULL);
		json_put_integer(j, NULL, counts[i]);
		json_end(j, ']');
	}
	json_end(j, ']');
}

static void write_by_size(struct json *j, const struct values *v)
{
	json_begin(j, "latency_by_size", '[');
	for (unsigned int i = 0; i < ESTAT_SIZE_BUCKETS; i++) {
		if (!histogram_sum(HISTOGRAM_LATENCY, v->by_size[i]))
			continue;
		json_begin(j, NULL, '{');
		json_put_integer(j, "size", bucket_edge(HISTOGRAM_SIZE, i));
		write_histogram(j, "latency", HISTOGRAM_LATENCY, v->by_size[i], false);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void write_count(struct json *j, const char *name, uint64_t n, bool lacking)
{
	if (lacking)
		json_put_string(j, name, NULL);
	else
		json_put_integer(j, name, n);
}

void write_operations(struct json *j, const struct values *v, double seconds)
{
	write_count(j, "ops", v->ops, lacks(v, FIELD_OPS));
	write_count(j, "errors", v->errors, lacks(v, FIELD_ERRORS));
	json_put_number(j, "iops", "%.3f", figure(v, IOPS, seconds));
	write_count(j, "bytes", v->bytes, lacks(v, FIELD_BYTES));
	json_put_number(j, "throughput", "%.3f", figure(v, THROUGHPUT, seconds));
	if (v->ops || lacks(v, FIELD_OPS)) {
		json_put_number(j, "avg_latency", "%.3f", figure(v, MEAN, seconds));
		json_put_number(j, "stddev", "%.3f", figure(v, DEVIATION, seconds));
		for (enum figure f = P50; f <= HIGHEST; f++)
			json_put_number(j, figures[f].name, "%.3f", figure(v, f, seconds));
	}
}

/* Write the figures and histograms of a row, and close the row's object. */
static void write_values(struct json *j, const struct options *o, const struct row *row,
			 double seconds)
{
	const struct values *v = &row->values;

	write_operations(j, v, seconds);
	if (o->latency)
		write_histogram(j, "latency", HISTOGRAM_LATENCY, v->latency,
				lacks(v, FIELD_LATENCY));
	if (o->size)
		write_histogram(j, "size", HISTOGRAM_SIZE, v->size, lacks(v, FIELD_SIZE));
	if (v->by_size && lacks(v, FIELD_BY_SIZE))
		json_put_string(j, "latency_by_size", NULL);
	else if (v->by_size)
		write_by_size(j, v);
	json_end(j, '}');
}

void write_axes(struct json *j, const struct axis *axes, unsigned int n)
{
	json_begin(j, "axes", '{');
	for (unsigned int i = 0; i < n; i++)
		json_put_string(j, axes[i].name, axes[i].value);
	json_end(j, '}');
}

void write_row_names(struct json *j, const struct row *row)
{
	json_begin(j, NULL, '{');
	json_put_string(j, "name", row->name);
	json_put_string(j, "axis", row->axis);
	write_axes(j, row->axes, row->naxes);
}

void write_when(struct json *j, const struct interval *interval)
{
	json_put_number(j, "begin", "%.6f", interval->begin);
	json_put_number(j, "end", "%.6f", interval->end);
	json_put_number(j, "seconds", "%.6f", interval->seconds);
	json_put_number(j, "left_out", "%.6f", interval->left_out);
}

struct json document_begin(const char *name, const char *host)
{
	struct json j = { .f = stdout };

	json_begin(&j, NULL, '{');
	if (name)
		json_put_string(&j, "program", name);
	if (host)
		json_put_string(&j, "host", host);
	return j;
}

void document_end(struct json *j)
{
	json_end(j, '}');
	putchar('\n');
}

void print_json(const struct options *o, const struct source *source, const struct rows *rows,
		const struct counts *counts, const struct interval *interval)
{
	struct json j = document_begin(o->name, source->host);

	write_when(&j, interval);
	json_begin(&j, "rows", '[');
	for (unsigned int i = 0; i < rows->n; i++) {
		write_row_names(&j, &rows->rows[i]);
		write_values(&j, o, &rows->rows[i], interval->seconds);
	}
	json_end(&j, ']');
	if (counts->n) {
		json_begin(&j, "counts", '{');
		for (unsigned int i = 0; i < counts->n; i++)
			json_put_number(&j, counts->counts[i].title, "%.0f",
					counts->counts[i].value);
		json_end(&j, '}');
	}
	if (o->total) {
		json_begin(&j, "total", '{');
		write_values(&j, o, &rows->total, interval->seconds);
	}
	document_end(&j);
}
