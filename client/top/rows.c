// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups keys into the rows of estat top, and finds the p99 of rows in earlier intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source/filter.h"
#include "source/stats.h"
#include "source/title.h"
#include "top.h"

unsigned int top_number(struct top *t, const struct row *row)
{
	for (unsigned int i = 0; i < t->nnumbers; i++)
		if (t->numbers[i] == row->hash)
			return i;
	t->numbers = grow(t->numbers, t->nnumbers, sizeof(*t->numbers));
	t->numbers[t->nnumbers] = row->hash;
	return t->nnumbers++;
}

/* The title that all rows of a series have, see struct module; "": none. */
static const char *series_title(const struct top *t, unsigned int series)
{
	return t->module->series[series].title ? t->module->series[series].title : "";
}

/* The rows of an interval. Stores each row's p99 in frame->figures, for top_p99(). */
static struct rows rows_of(struct top *t, struct frame *frame)
{
	struct rows rows = { 0 };

	history_show(&t->history, frame);
	for (unsigned int p = 0; p < t->module->nseries; p++)
		rows_add(&rows, t->o, t->history.series[p], series_title(t, p));
	if (frame->drawing == t->drawing)
		return rows;
	frame->drawing = t->drawing;
	for (unsigned int i = 0; i < frame->nfigures; i++)
		frame->figures[i] = NAN;
	for (unsigned int i = 0; i < rows.n; i++) {
		unsigned int number = top_number(t, &rows.rows[i]);

		history_figures(&t->history, frame, number + 1);
		frame->figures[number] = figure(&rows.rows[i].values, P99, 1);
	}
	return rows;
}

double top_p99(struct top *t, unsigned int at, unsigned int number)
{
	struct frame *frame = history_frame(&t->history, at);

	if (!frame)
		return NAN;
	if (frame->drawing != t->drawing) {
		struct rows rows = rows_of(t, frame);

		rows_free(&rows);
	}
	return number < frame->nfigures ? frame->figures[number] : NAN;
}

/*
 * Select the row t->chosen at its new position. If that row is gone, select the row that is now at
 * the old position or, if there are fewer rows, the last row.
 */
static void find_selected(struct top *t)
{
	for (unsigned int i = 0; i < t->rows.n; i++)
		if (t->rows.rows[i].hash == t->chosen.hash)
			t->selected = i;
	if (t->selected >= t->rows.n)
		t->selected = t->rows.n ? t->rows.n - 1 : 0;
}

void top_find_rows(struct top *t)
{
	struct frame *frame = history_frame(&t->history, t->at);

	rows_free(&t->rows);
	t->rows = (struct rows){ 0 };
	if (!frame)
		return;
	t->rows = rows_of(t, frame);
	rows_sort(&t->rows, t->o);
	find_selected(t);
}

bool top_is_chosen(const struct top *t, unsigned int series, const struct key *key)
{
	const struct layout none = { .name = "", .axis = "" };
	char *name, *axis;
	bool is;

	if (!t->chosen.name || !selected(t->o, key) ||
	    strcmp(series_title(t, series), t->chosen.name))
		return false;
	title(t->o, &none, key, &name, &axis);
	is = !strcmp(axis, t->chosen.axis);
	free(name);
	free(axis);
	return is;
}
