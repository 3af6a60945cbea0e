// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/xalloc.h"
#include "packed.h"
#include "series.h"
#include "schema/axis.h"
#include "values.h"

/*
 * In latency_seconds.*, the metrics for Prometheus, a new key's counters are 0 for 1.5 scrape
 * intervals: for SCRAPE_NS nanoseconds times the scrape interval in seconds.
 */
#define SCRAPE_NS UINT64_C(1500000000)

/*
 * Set the number of rows to n. If the memory must grow, it gets room for n + n / 4 rows; if n is
 * less than before, it gets room for n rows.
 */
static void resize_rows(struct series *s, unsigned int n)
{
	if (n > s->space || n < s->nrows) {
		s->space = n < s->nrows ? n : n + n / 4;
		s->rows = xalloc(realloc(s->rows, s->space * sizeof(*s->rows)));
		s->values = xalloc(realloc(s->values, s->space * s->words * sizeof(uint64_t)));
	}
	s->nrows = n;
}

/* The lowest free row; if none is free, a new row at the end. */
static unsigned int find_free_row(struct series *s)
{
	unsigned int row = s->lowest_free;

	if (!s->nfree) {
		resize_rows(s, s->nrows + 1);
		return s->nrows - 1;
	}
	while (s->rows[row].name)
		row++;
	s->lowest_free = row + 1;
	s->nfree--;
	return row;
}

static unsigned int add_row(struct series *s, char *name, char *labels)
{
	unsigned int index = find_free_row(s);
	struct row *row = &s->rows[index];

	memset(s->values + (size_t)index * s->words, 0, s->words * sizeof(uint64_t));
	*row = (struct row){
		.name = name,
		.labels = labels,
		.first_fold = s->nfolds + 1,
		.new_until = clock_now() + s->module->edition->settings.prometheus * SCRAPE_NS,
	};
	row->ranges = xalloc(calloc(s->schema->ngroups, sizeof(*row->ranges)));
	row->sumsqs = xalloc(calloc(s->schema->ngroups, sizeof(*row->sumsqs)));
	row->under_way = xalloc(calloc(s->schema->ngroups, sizeof(*row->under_way)));
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		for (int h = 0; h < 2; h++)
			row->ranges[g][h] = (struct range){ SHRT_MAX, -1 };
	return index;
}

static void clear_row(struct row *row)
{
	free(row->name);
	free(row->labels);
	free(row->kept);
	free(row->ranges);
	free(row->sumsqs);
	free(row->under_way);
	*row = (struct row){ .gone = true };
}

void rows_begin(struct series *s)
{
	s->lowest_free = 1;
	add_row(s, NULL, NULL);
}

void rows_free(struct series *s)
{
	for (unsigned int i = 0; i < s->nrows; i++)
		clear_row(&s->rows[i]);
	free(s->rows);
	free(s->values);
}

uint64_t *row_kept(const struct series *s, unsigned int row)
{
	uint64_t *words = xalloc(malloc(s->words * sizeof(*words)));

	packed_unpack(s->rows[row].kept, words, s->words);
	return words;
}

void row_keep(struct series *s, unsigned int row, uint64_t *words)
{
	free(s->rows[row].kept);
	s->rows[row].kept = packed_make(words, s->words);
	free(words);
}

void row_add(const struct series *s, uint64_t *into, const uint64_t *from)
{
	values_add(s->schema, into, from);
	words_add(into + s->schema->value_words, from + s->schema->value_words,
		  s->words - s->schema->value_words);
}

static void hide_row(struct series *s, unsigned int row)
{
	struct row *r = &s->rows[row];

	r->gone = true;
	pmdaCacheStore(s->keys, PMDA_CACHE_HIDE, r->name, (void *)(uintptr_t)row);
	s->changes++;
}

void row_leave(struct series *s, unsigned int row, bool lingers)
{
	struct row *r = &s->rows[row];

	if (--r->live)
		return;
	if (lingers && s->nleft < LINGER_MOST) {
		r->left = clock_now();
		s->nleft++;
	} else {
		hide_row(s, row);
	}
}

/* Remember that the row does not linger, see row_leave(). */
static void clear_left(struct series *s, struct row *r)
{
	s->nleft -= r->left != 0;
	r->left = 0;
}

void rows_expire(struct series *s, uint64_t now)
{
	for (unsigned int row = 1; s->nleft && row < s->nrows; row++) {
		struct row *r = &s->rows[row];

		if (!r->left || now < r->left + LINGER_NS)
			continue;
		clear_left(s, r);
		hide_row(s, row);
		if (!r->slots)
			row_free(s, row);
	}
}

void rows_rest(struct series *s)
{
	for (unsigned int row = 0; row < s->nrows; row++) {
		struct row *r = &s->rows[row];

		r->slots = r->live = 0;
		if (!r->name)
			continue;
		free(r->kept);
		r->kept = packed_make(series_values(s, row), s->words);
		if (r->gone && !r->left)
			row_free(s, row);
	}
}

void rows_hide_unused(struct series *s)
{
	for (unsigned int row = 0; row < s->nrows; row++) {
		struct row *r = &s->rows[row];

		if (!r->name || r->slots || r->gone || r->left ||
		    !strcmp(r->name, ESTAT_OVERFLOW_NAME))
			continue;
		hide_row(s, row);
		row_free(s, row);
	}
}

void row_free(struct series *s, unsigned int row)
{
	if (s->rows[row].kept) {
		uint64_t *total = row_kept(s, SERIES_TOTAL), *words = row_kept(s, row);

		row_add(s, total, words);
		row_keep(s, SERIES_TOTAL, total);
		free(words);
	}
	clear_row(&s->rows[row]);
	s->changes++;
	if (row < s->lowest_free)
		s->lowest_free = row;
	s->nfree++;
}

void rows_trim(struct series *s)
{
	unsigned int n = s->nrows;

	while (n > 1 && !s->rows[n - 1].name)
		n--;
	if (n == s->nrows)
		return;
	s->nfree -= s->nrows - n;
	resize_rows(s, n);
}

/*
 * The row that has this instance name; 0: none. PCP's cache may lead to a row that belongs to
 * another key by now, so the row's name is compared. A row whose instance has ended is not
 * returned, either: a name can come back, such as the name of a pool that is made again. If the new
 * instance got the old row, an archive that began after the end of the old instance would show the
 * old counts as new ones.
 */
static unsigned int known_row(const struct series *s, const char *name)
{
	void *row = NULL;
	int inst;

	if (pmdaCacheLookupName(s->keys, name, &inst, &row) < 0 || (uintptr_t)row >= s->nrows)
		return 0;
	if (!s->rows[(uintptr_t)row].name || strcmp(s->rows[(uintptr_t)row].name, name) ||
	    s->rows[(uintptr_t)row].gone)
		return 0;
	return (uintptr_t)row;
}

/* Export a row as an instance. Returns `row`. */
static unsigned int show_row(struct series *s, unsigned int row)
{
	const char *name = s->rows[row].name;
	int inst = pmdaCacheStore(s->keys, PMDA_CACHE_ADD, name, (void *)(uintptr_t)row);

	if (inst < 0)
		pmNotifyErr(LOG_ERR, "series %s: instance %s: %s", s->schema->name, name,
			    pmErrStr(inst));
	clear_left(s, &s->rows[row]);
	s->rows[row].inst = inst;
	s->rows[row].gone = inst < 0;
	s->changes++;
	return row;
}

unsigned int row_find(struct series *s, const char *name, char *labels)
{
	unsigned int row = known_row(s, name);

	if (row)
		free(labels);
	else
		row = add_row(s, xalloc(strdup(name)), labels);
	return show_row(s, row);
}

void row_label(struct series *s, unsigned int row, char *labels)
{
	struct row *r = &s->rows[row];

	free(r->labels);
	r->labels = labels;
}

unsigned int row_copy(struct series *s, const struct row *row)
{
	unsigned int copy = add_row(s, xalloc(strdup(row->name)), xalloc(strdup(row->labels)));

	s->rows[copy].new_until = row->new_until;
	show_row(s, copy);
	s->rows[copy].left = row->left;
	s->nleft += row->left != 0;
	return copy;
}

/* Widen a range to all buckets whose count is not 0. Returns whether the range grew. */
static bool widen(struct range *range, const uint64_t *counts, short buckets)
{
	struct range old = *range;

	for (short b = 0; b < range->low && b < buckets; b++)
		if (counts[b])
			range->low = b;
	for (short b = buckets - 1; b > range->high; b--)
		if (counts[b])
			range->high = b;
	return old.low != range->low || old.high != range->high;
}

void row_widen(struct series *s, unsigned int row)
{
	const uint64_t *values = series_values(s, row);

	for (unsigned int g = 0; g < s->schema->ngroups; g++) {
		const struct group *group = &s->schema->groups[g];
		struct range *ranges = s->rows[row].ranges[g];

		if (group->latency)
			s->changes += widen(&ranges[HISTOGRAM_LATENCY],
					    values + group->latency->word, ESTAT_FINE_BUCKETS);
		if (group->size)
			s->changes += widen(&ranges[HISTOGRAM_SIZE], values + group->size->word,
					    ESTAT_SIZE_BUCKETS);
	}
}
