// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows: keys by the original's names, selected and sorted.
 */
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "rows.h"

#define DEFAULT_POOL "domain0"

/*
 * The original's name and axis of a key. {AXIS} is that axis' value, {AXIS:N} its first N
 * characters. Other programs' name is their axis op, and their axis the others.
 */
static const struct title {
	const char *module, *name, *axis;
} titles[] = {
	{ "backend_io", "{op}", "" },
	{ "zio", "{op}", "{priority}" },
	{ "zio_queue", "{op}", "{priority}" },
	{ "zpl", "zfs_{op} {sync}", "" },
	{ "zvol", "{op}", "{sync}" },
	{ "metaslab_alloc", "{vdev}", "{result}" },
	{ "nfs", "{version:2}/{op}", "{how}" },
	{ "nfs_by_client", "{version:2}/{op}/{how}", "{client}" },
	{ "iscsi", "{op}", "" },
};

/* The original's names of zil's stages. */
static const struct {
	const char *stage, *name;
} stages[] = {
	{ "write_sync", "zfs_write sync" }, { "write_async", "zfs_write async" },
	{ "fsync", "zfs_fsync" },           { "commit", "zil_commit" },
	{ "allocation", "allocation" },     { "io_wait", "io wait" },
};

const struct quantile quantiles[QUANTILES] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 }, { "max", 1 },
};

static char *fill(const char *format, const struct key *key)
{
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));

	for (const char *p = format; *p; p++) {
		int length = 0, most = INT_MAX;
		char axis[64];

		if ((sscanf(p, "{%63[^:}]}%n", axis, &length) == 1 && length) ||
		    (sscanf(p, "{%63[^:}]:%d}%n", axis, &most, &length) == 2 && length)) {
			const char *value = key_axis(key, axis);

			fprintf(f, "%.*s", most, value ? value : "");
			p += length - 1;
		} else {
			fputc(*p, f);
		}
	}
	fclose(f);
	return or_die(text);
}

/* All axes but these, joined. */
static char *other_axes(const struct key *key, const char *but)
{
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));
	bool any = false;

	for (unsigned int i = 0; i < key->naxes; i++) {
		if (!strcmp(key->axes[i].name, but) || !strcmp(key->axes[i].name, "pool"))
			continue;
		fprintf(f, "%s%s", any ? ", " : "", key->axes[i].value);
		any = true;
	}
	fclose(f);
	return or_die(text);
}

/* The axis of a key with -a lun. */
static const char *by_disk(const struct key *key)
{
	return key_axis(key, "lun") ? "{target} {lun} {initiator}" : "{disk}";
}

void title(const struct options *o, const struct key *key, char **name, char **axis)
{
	const char *stage = key_axis(key, "stage");

	for (size_t i = 0; stage && i < sizeof(stages) / sizeof(stages[0]); i++)
		if (!strcmp(stage, stages[i].stage)) {
			*name = or_die(strdup(stages[i].name));
			*axis = or_die(strdup(""));
			return;
		}
	if (key->naxes == 1 && !strcmp(key->name, ESTAT_OTHERS_NAME)) {
		*name = or_die(strdup(ESTAT_OTHERS_NAME));
		*axis = or_die(strdup(""));
		return;
	}
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(o->module, titles[i].module)) {
			*name = fill(titles[i].name, key);
			*axis = fill(o->by_disk ? by_disk(key) : titles[i].axis, key);
			if (key_axis(key, "volume") && !strcmp(*name, "read"))
				**axis = '\0'; /* the original does not tell them apart */
			return;
		}
	*name = key_axis(key, "op") ? fill("{op}", key) : other_axes(key, "");
	*axis = key_axis(key, "op") ? other_axes(key, "op") : or_die(strdup(""));
}

bool selected(const struct options *o, const struct key *key)
{
	for (unsigned int i = 0; i < o->nfilters; i++) {
		const char *value = key_axis(key, o->filters[i].axis);

		if (!value || fnmatch(o->filters[i].glob, value, 0))
			return false;
	}
	return true;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The values that an axis has, sorted, as "a, b"; `axis` NULL: the axes themselves. */
static char *seen(const struct series *series, const char *axis)
{
	const char **values = or_die(calloc(series->nkeys * MAX_AXES + 1, sizeof(*values)));
	unsigned int n = 0;
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));

	for (unsigned int k = 0; k < series->nkeys; k++)
		for (unsigned int i = 0; i < series->keys[k]->naxes; i++) {
			const struct axis *a = &series->keys[k]->axes[i];

			if (!axis)
				values[n++] = a->name;
			else if (!strcmp(a->name, axis))
				values[n++] = a->value;
		}
	qsort(values, n, sizeof(*values), compare_texts);
	for (unsigned int i = 0; i < n; i++)
		if (i == 0 || strcmp(values[i], values[i - 1]))
			fprintf(f, "%s%s", i ? ", " : "", values[i]);
	if (n == 0)
		fputs("none so far", f);
	fclose(f);
	free(values);
	return or_die(text);
}

static void check_filter(const struct series *series, const struct filter *filter)
{
	bool known = series->nkeys == 0;

	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *value = key_axis(series->keys[k], filter->axis);

		if (value && !fnmatch(filter->glob, value, 0))
			return;
		known |= value != NULL;
	}
	if (!known)
		die(EXIT_USAGE, "%s has no axis %s; it has: %s", series->prefix, filter->axis,
		    seen(series, NULL));
	die(EXIT_NO_DATA, "%s has never seen the %s %s; seen were: %s", series->prefix,
	    filter->axis, filter->glob, seen(series, filter->axis));
}

void check_selection(struct options *o, const struct series *series)
{
	for (unsigned int i = 0; i < o->nfilters; i++)
		check_filter(series, &o->filters[i]);
	if (o->nfilters == MAX_FILTERS)
		return;
	for (unsigned int i = 0; i < o->nfilters; i++)
		if (!strcmp(o->filters[i].axis, "pool"))
			return;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const char *pool = key_axis(series->keys[k], "pool");

		if (pool && !strcmp(pool, DEFAULT_POOL)) {
			o->filters[o->nfilters++] = (struct filter){ "pool", DEFAULT_POOL };
			return;
		}
	}
}

/* The row with this name and axis, which is made if there is none. It takes them. */
static struct row *row_of(struct rows *rows, char *name, char *axis, const struct key *key)
{
	struct row *row;

	for (unsigned int i = 0; i < rows->n; i++) {
		row = &rows->rows[i];
		if (!strcmp(row->name, name) && !strcmp(row->axis, axis)) {
			free(name);
			free(axis);
			return row;
		}
	}
	rows->rows = or_die(realloc(rows->rows, (rows->n + 1) * sizeof(*rows->rows)));
	row = &rows->rows[rows->n++];
	*row = (struct row){ .name = name, .axis = axis, .naxes = key->naxes };
	memcpy(row->axes, key->axes, sizeof(row->axes));
	return row;
}

/* Keep the axes of a row that this key has the same value of. */
static void common_axes(struct row *row, const struct key *key)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < row->naxes; i++) {
		const char *value = key_axis(key, row->axes[i].name);

		if (value && !strcmp(value, row->axes[i].value))
			row->axes[n++] = row->axes[i];
	}
	row->naxes = n;
}

/* The original's order: by axis, then by name. */
static int compare_names(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->axis, y->axis);

	return order ? order : strcmp(x->name, y->name);
}

static double sort_value(const char *by, const struct row *row)
{
	const struct values *v = &row->values;

	for (int i = 0; i < QUANTILES; i++)
		if (!strcmp(by, quantiles[i].name))
			return quantile(v, &quantiles[i]);
	if (!strcmp(by, "avg"))
		return mean(v);
	if (!strcmp(by, "stddev"))
		return deviation(v);
	if (!strcmp(by, "throughput"))
		return v->bytes;
	return strcmp(by, "errors") ? v->ops : v->errors;
}

/* The highest first. */
static int compare_values(const void *a, const void *b, void *by)
{
	double x = sort_value(by, a), y = sort_value(by, b);

	return x > y ? -1 : x < y ? 1 : compare_names(a, b);
}

void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name)
{
	rows->total.name = "total";
	rows->total.axis = "";
	rows->total.has_bytes |= series->has_bytes;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const struct key *key = series->keys[k];
		char *own, *axis;
		struct row *row;

		if ((!key->values.ops && !key->values.errors) || !selected(o, key))
			continue;
		title(o, key, &own, &axis);
		if (name) {
			free(own);
			own = or_die(strdup(name));
			*axis = '\0';
		}
		row = row_of(rows, own, axis, key);
		row->has_bytes = series->has_bytes;
		common_axes(row, key);
		values_add(&row->values, &key->values);
		values_add(&rows->total.values, &key->values);
	}
}

void rows_sort(struct rows *rows, const struct options *o)
{
	if (!rows->n)
		return;
	qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_names);
	if (o->sort && strcmp(o->sort, "name"))
		qsort_r(rows->rows, rows->n, sizeof(*rows->rows), compare_values, (void *)o->sort);
}

void rows_free(struct rows *rows)
{
	for (unsigned int i = 0; i < rows->n; i++) {
		free(rows->rows[i].name);
		free(rows->rows[i].axis);
		free(rows->rows[i].values.by_size);
	}
	free(rows->rows);
	free(rows->total.values.by_size);
}

double mean(const struct values *v)
{
	return v->ops ? latency_mean(v->ops, v->sum_ns) : 0;
}

double deviation(const struct values *v)
{
	double average = mean(v);
	double variance = v->ops ? v->sumsq / v->ops - average * average : 0;

	return variance > 0 ? sqrt(variance) : 0;
}

static uint64_t sum(const uint64_t *counts, unsigned int n)
{
	uint64_t all = 0;

	while (n-- > 0)
		all += counts[n];
	return all;
}

/*
 * Have the fine buckets all operations? A source may have none, or not for all of the
 * time: latency_fine was switched on or off, or pmlogger was told of it later.
 */
static bool has_fine(const struct values *v)
{
	return sum(v->fine, ESTAT_FINE_BUCKETS) == sum(v->latency, ESTAT_LATENCY_BUCKETS);
}

double highest(const struct values *v)
{
	if (has_fine(v))
		return latency_highest(HISTOGRAM_FINE, v->fine, 0);
	return latency_highest(HISTOGRAM_LATENCY, v->latency, 0);
}

double percentile(const struct values *v, double share)
{
	if (has_fine(v))
		return latency_percentile(HISTOGRAM_FINE, v->fine, share, highest(v));
	return latency_percentile(HISTOGRAM_LATENCY, v->latency, share, highest(v));
}

double quantile(const struct values *v, const struct quantile *q)
{
	return q->share < 1 ? percentile(v, q->share) : highest(v);
}
