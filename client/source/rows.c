// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "once.h"
#include "rows.h"
#include "stats.h"
#include "title.h"

static uint64_t hash_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3; /* the hash function FNV-1a */
	while (*text++);
	return hash;
}

struct row *rows_find(const struct rows *rows, const struct row *like)
{
	for (struct row *row = rows->rows; row < rows->rows + rows->n; row++)
		if (row->hash == like->hash && !strcmp(row->name, like->name) &&
		    !strcmp(row->axis, like->axis))
			return row;
	return NULL;
}

/*
 * Find or add the row with this name and axis. Takes ownership of both texts. A new row gets the
 * axes of the key.
 */
static struct row *row_of(struct rows *rows, char *name, char *axis, const struct key *key)
{
	uint64_t hash = hash_text(hash_text(0xcbf29ce484222325, name), axis);
	struct row new = { .name = name, .axis = axis, .hash = hash, .naxes = key->naxes };
	struct row *row = rows_find(rows, &new);

	if (row) {
		free(name);
		free(axis);
		return row;
	}
	memcpy(new.axes, key->axes, sizeof(new.axes));
	rows->rows = grow(rows->rows, rows->n, sizeof(*rows->rows));
	rows->rows[rows->n] = new;
	return &rows->rows[rows->n++];
}

/* Remove from row->axes each axis on which this key has another value, or none. */
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

int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->axis, y->axis);

	return order ? order : strcmp(x->name, y->name);
}

static double sort_value(const char *by, const struct row *row)
{
	enum figure f = 0;
	double value;

	while (strcmp(by, figures[f].name))
		f++;
	value = figure(&row->values, f, 1);
	/*
	 * no figure, such as a p99 if nothing has ended: if operations are under way, sort by the
	 * age of the oldest
	 */
	return isnan(value) && row->values.inflight ? row->values.oldest : value;
}

/* For qsort(3): rows with the highest `sorted_by` first, rows without a figure last. */
static int compare_values(const void *a, const void *b)
{
	double x = ((const struct row *)a)->sorted_by, y = ((const struct row *)b)->sorted_by;

	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? compare_rows(a, b) : isnan(x) ? 1 : -1;
	return x > y ? -1 : x < y ? 1 : compare_rows(a, b);
}

static bool is_selected(const struct key *key, const void *o)
{
	return selected(o, key);
}

static void find_twice(const struct options *o, const struct series *series)
{
	if (series->graph)
		once_find(series, series->graph, is_selected, o);
}

/* Are all keys of the row of the same disk as `key`? */
static bool has_disk(const struct row *row, const struct key *key)
{
	for (unsigned int i = 0; i < row->naxes; i++)
		if (!strcmp(row->axes[i].name, "disk"))
			return !strcmp(row->axes[i].value, key_axis(key, "disk"));
	return false;
}

static void add_key(struct rows *rows, const struct options *o, const struct series *series,
		    const struct key *key, const char *name)
{
	struct layout group = { .name = "", .axis = "" };
	char *own, *axis;
	struct row *row;

	title(o, name ? &group : &series->layout, key, &own, &axis);
	if (name) {
		free(own);
		own = xalloc(strdup(name));
	}
	row = row_of(rows, own, axis, key);
	if (key->twice && !has_disk(row, key))
		return;
	common_axes(row, key);
	values_add(&row->values, &key->values);
	row->values.lacks |= series_lacks(series);
	if (!key->twice)
		values_add(&rows->total.values, &key->values);
}

void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name)
{
	bool any_twice = false;

	rows->total.name = "total";
	rows->total.axis = "";
	rows->has |= series->has;
	find_twice(o, series);
	/*
	 * Take keys with `twice` last: a row that already has a key of another disk leaves such a
	 * key out.
	 */
	for (int twice = 0; twice <= (series->graph != NULL); twice++)
		for (unsigned int k = 0; k < series->nkeys; k++) {
			const struct key *key = series->keys[k];

			if (values_idle(&key->values) || !selected(o, key) || key->twice != twice)
				continue;
			any_twice |= twice;
			add_key(rows, o, series, key, name);
		}
	if (any_twice)
		/* do not add series->total: its histograms include keys with `twice` */
		rows->total.values.lacks |= series_lacks(series);
	else
		add_total(o, series, &rows->total.values);
}

void rows_total(struct values *into, const struct options *o, const struct series *series)
{
	bool any_twice = false;

	if (!series->total)
		find_twice(o, series);
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const struct key *key = series->keys[k];

		if (!selected(o, key))
			continue;
		any_twice |= key->twice;
		if (!key->twice)
			values_add(into, &key->values);
	}
	if (any_twice)
		into->lacks |= series_lacks(series);
	else
		add_total(o, series, into);
}

void rows_sort(struct rows *rows, const struct options *o)
{
	if (!rows->n)
		return;
	if (!o->sort || !strcmp(o->sort, "name")) {
		qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_rows);
		return;
	}
	for (unsigned int i = 0; i < rows->n; i++)
		rows->rows[i].sorted_by = sort_value(o->sort, &rows->rows[i]);
	qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_values);
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
