// SPDX-License-Identifier: GPL-2.0-or-later
/* Draws the heat map of one row of estat top. The interval in view is the column at the right. */
#include <stdlib.h>

#include "base/text.h"
#include "heat/draw.h"
#include "top.h"
#include "view/terminal.h"

#define FIXED_LINES 4 /* lines for title, axis, times and legend */

/* result[series][key]: is the key in the row t->chosen? The caller frees result[] and result. */
static bool **find_keys(const struct top *t)
{
	bool **keys = xalloc(calloc(t->module->nseries, sizeof(*keys)));

	for (unsigned int p = 0; p < t->module->nseries; p++) {
		const struct series *series = t->history.series[p];

		keys[p] = xalloc(calloc(series->nkeys + 1, sizeof(**keys)));
		for (unsigned int k = 0; k < series->nkeys; k++)
			keys[p][k] = top_is_chosen(t, p, series->keys[k]);
	}
	return keys;
}

/*
 * A column for each interval in memory up to the one in view, but only for the newest `most`. Of
 * the values a column has only the histogram of latency.
 */
static struct columns find_columns(const struct top *t, unsigned int most)
{
	unsigned int first = t->at + 1 > most ? t->at + 1 - most : 0;
	struct columns columns = { .columns = xalloc(calloc(most, sizeof(*columns.columns))) };
	bool **keys = find_keys(t);

	first = first < t->history.first ? t->history.first : first;
	for (unsigned int i = first; i <= t->at; i++) {
		const struct frame *frame = history_frame(&t->history, i);
		struct column *column = &columns.columns[columns.n++];
		const struct sample *s = NULL;

		column->begin = frame->interval.begin;
		column->end = frame->interval.end;
		column->measured = frame->interval.seconds;
		column->left_out = frame->interval.left_out;
		while ((s = next_sample(frame, s)))
			for (unsigned int c = 0; keys[s->series][s->key] && c < s->ncells; c++)
				if (s->cells[c].bucket < ESTAT_LATENCY_BUCKETS)
					column->values.latency[s->cells[c].bucket] += s->cells[c].n;
	}
	for (unsigned int p = 0; p < t->module->nseries; p++)
		free(keys[p]);
	free(keys);
	return columns;
}

/* Where the map's next text goes on the screen. */
struct pen {
	struct canvas canvas;
	int x, y;
};

static void put(struct canvas *c, int shade, const char *text)
{
	struct pen *pen = (struct pen *)c;
	int width = text_width(text);

	terminal_text(pen->y, pen->x, width, shade ? LOOK_LEVEL + shade - 1 : LOOK_PLAIN, text);
	pen->x += width;
}

static void newline(struct canvas *c)
{
	struct pen *pen = (struct pen *)c;

	pen->x = 0;
	pen->y++;
}

static void draw_title(const struct top *t, int y)
{
	char *text = xasprintf("latency of %s%s%s, an interval a column", t->chosen.name,
			       *t->chosen.name && *t->chosen.axis ? ", " : "",
			       *t->chosen.name || *t->chosen.axis ? t->chosen.axis : "all");

	terminal_text(y, 0, terminal_width(), LOOK_BOLD, text);
	free(text);
}

void top_draw_heat(struct top *t)
{
	struct pen pen = {
		.canvas = { .columns = top_intervals(t), .put = put, .newline = newline },
		.y = terminal_height() - TOP_BELOW - FIXED_LINES,
	};
	int rows = pen.y - TOP_ABOVE;
	struct map m;

	draw_title(t, TOP_ABOVE);
	if (!history_frame(&t->history, t->at) || rows < 1)
		return;
	m = map_make(find_columns(t, pen.canvas.columns), rows);
	pen.y -= (m.high - m.low) / m.per_row;
	if (m.high < m.low)
		terminal_text(TOP_ABOVE + 1, 0, terminal_width(), LOOK_PLAIN,
			      "The row has no latencies in this time.");
	else
		map_draw(&m, &pen.canvas);
	map_free(&m);
}
