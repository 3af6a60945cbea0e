// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "filter.h"
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

/* Find or add the row with this name and axis. Takes ownership of both texts. */
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

/* Remove from row->axes each axis on which this key has another value. */
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
	/* of a row of which nothing has ended, the age of the oldest stands for the latency */
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

static struct device *disk_of(const struct series *series, const struct key *key)
{
	const char *disk = series->graph ? key_axis(key, "disk") : NULL;

	return disk ? devices_node(series->graph, disk) : NULL;
}

/* Set device->busy of all disks. */
static void find_busy(const struct options *o, const struct series *series)
{
	if (!series->graph)
		return;
	for (unsigned int i = 0; i < series->graph->n; i++)
		series->graph->devices[i]->busy = false;
	for (unsigned int k = 0; k < series->nkeys; k++) {
		const struct key *key = series->keys[k];
		struct device *disk = disk_of(series, key);

		if (disk && !values_idle(&key->values) && selected(o, key))
			disk->busy = true;
	}
}

/*
 * Are the key's operations, such as a loop device's, operations of a disk below, too? If the disks
 * below have none in the interval, they are not.
 */
static bool counts_below(const struct series *series, const struct key *key)
{
	const struct device *disk = disk_of(series, key);

	return disk && device_on_busy(disk);
}

/* Are all of the row's keys of the key's disk? */
static bool has_disk(const struct row *row, const struct key *key)
{
	for (unsigned int i = 0; i < row->naxes; i++)
		if (!strcmp(row->axes[i].name, "disk"))
			return !strcmp(row->axes[i].value, key_axis(key, "disk"));
	return false;
}

/* Add a key. `below`: see counts_below(). */
static void add_key(struct rows *rows, const struct options *o, const struct series *series,
		    const struct key *key, const char *name, bool below)
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
	if (below && !has_disk(row, key))
		return;
	common_axes(row, key);
	values_add(&row->values, &key->values);
	row->values.lacks |= series_lacks(series);
	if (!below)
		values_add(&rows->total.values, &key->values);
}

void rows_add(struct rows *rows, const struct options *o, const struct series *series,
	      const char *name)
{
	bool any_below = false;

	rows->total.name = "total";
	rows->total.axis = "";
	rows->has |= series->has;
	find_busy(o, series);
	/* a row of several disks leaves out the same keys as the total: so add these keys last */
	for (int below = 0; below <= (series->graph != NULL); below++)
		for (unsigned int k = 0; k < series->nkeys; k++) {
			const struct key *key = series->keys[k];

			if (values_idle(&key->values) || !selected(o, key) ||
			    counts_below(series, key) != below)
				continue;
			any_below |= below;
			add_key(rows, o, series, key, name, below);
		}
	if (any_below)
		rows->total.values.lacks |= series_lacks(series); /* the agent's has all keys */
	else
		add_total(o, series, &rows->total.values);
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
