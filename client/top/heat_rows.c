// SPDX-License-Identifier: GPL-2.0-or-later
/* Draws the heat map of one row of estat top. The interval in view is the column at the right. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat/map.h"
#include "lib/format.h"
#include "lib/histogram.h"
#include "top.h"
#include "view/terminal.h"

#define FIXED_LINES 4 /* lines for title, axis, times and legend */

struct heat {
	int width, height;  /* terminal columns for intervals, lines for buckets */
	unsigned int first; /* number of the map's first interval */
	unsigned int n;     /* number of intervals in the map */
	struct map map;
};

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

/* The columns of the map. Of their values only the histograms of latency are set. */
static struct columns count(const struct top *t, const struct heat *h)
{
	struct columns columns = { .n = h->n };
	bool **keys = find_keys(t);

	columns.columns = xalloc(calloc(h->n, sizeof(*columns.columns)));
	for (unsigned int i = 0; i < h->n; i++) {
		const struct frame *frame = history_frame(&t->history, h->first + i);
		uint64_t *latency = columns.columns[i].values.latency;
		const struct sample *s = NULL;

		while (frame && (s = next_sample(frame, s)))
			for (unsigned int c = 0; keys[s->series][s->key] && c < s->ncells; c++)
				if (s->cells[c].bucket < ESTAT_LATENCY_BUCKETS)
					latency[s->cells[c].bucket] += s->cells[c].n;
	}
	for (unsigned int p = 0; p < t->module->nseries; p++)
		free(keys[p]);
	free(keys);
	return columns;
}

/* Draw the label of a line: the lower edge of the line's lowest bucket. */
static void draw_label(int y, int bucket)
{
	char latency[FORMAT_LEN], text[MAP_LABEL + FORMAT_LEN];

	format_latency(latency, bucket_edge(HISTOGRAM_LATENCY, bucket), 3);
	snprintf(text, sizeof(text), "%*s |", MAP_LABEL - 2, latency);
	terminal_text(y, 0, MAP_LABEL, LOOK_PLAIN, text);
}

static int position(const struct heat *h, unsigned int column)
{
	return MAP_LABEL + h->width - h->n + column;
}

static void draw_buckets(const struct heat *h, int y)
{
	const struct map *m = &h->map;

	for (int b = map_top(m); b >= m->low; b -= m->per_row) {
		draw_label(y, b);
		for (unsigned int i = 0; i < h->n; i++) {
			int l = shade_of(m->thresholds, map_cell(m, &m->c.columns[i], b));
			char text[2] = { shades[l] };

			if (l)
				terminal_text(y, position(h, i), 1, LOOK_LEVEL + l - 1, text);
		}
		y++;
	}
}

/* Draw the time axis: "!" marks an unmeasured interval, ":" a partly measured interval. */
static void draw_axis(const struct top *t, const struct heat *h, int y)
{
	char *line = xalloc(malloc(h->width + 2));

	memset(line, '-', h->width + 1);
	line[0] = '+';
	line[h->width + 1] = '\0';
	for (unsigned int i = 0; i < h->n; i++) {
		const struct interval *interval =
			&history_frame(&t->history, h->first + i)->interval;

		if (interval->left_out > 0)
			line[h->width + 1 - h->n + i] = interval->seconds > 0 ? ':' : '!';
	}
	terminal_text(y, MAP_LABEL - 1, h->width + 1, LOOK_PLAIN, line);
	free(line);
}

static void draw_times(const struct top *t, const struct heat *h, int y)
{
	double first = history_frame(&t->history, h->first)->interval.end;
	double last = history_frame(&t->history, t->at)->interval.end;
	const char *format = last - first > 86400 ? "%m/%d %H:%M" : "%H:%M:%S";
	char text[64];
	int length;

	print_time(text, sizeof(text), format, last);
	length = strlen(text);
	terminal_text(y, MAP_LABEL + h->width - length, length, LOOK_PLAIN, text);
	print_time(text, sizeof(text), format, first);
	if ((int)h->n > 2 * length)
		terminal_text(y, position(h, 0), length, LOOK_PLAIN, text);
}

/* Draw the legend: each shade with its least number of operations. */
static void draw_key(const struct map *m, int y)
{
	int x = MAP_LABEL;

	terminal_text(y, 0, MAP_LABEL, LOOK_PLAIN, "    ops");
	for (int l = 1; l <= LEVELS; l++) {
		char shade[2] = { shades[l] }, text[32];

		if (!shade_in_legend(m->thresholds, l))
			continue;
		terminal_text(y, x, 1, LOOK_LEVEL + l - 1, shade);
		snprintf(text, sizeof(text), "%" PRIu64, m->thresholds[l - 1]);
		terminal_text(y, x + 2, strlen(text), LOOK_PLAIN, text);
		x += strlen(text) + 3;
	}
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
	struct heat h = {
		.width = top_intervals(t),
		.height = terminal_height() - TOP_ABOVE - TOP_BELOW - FIXED_LINES,
	};
	int y = terminal_height() - TOP_BELOW - FIXED_LINES + 1;

	draw_title(t, TOP_ABOVE);
	if (!history_frame(&t->history, t->at) || h.height < 1)
		return;
	h.first = t->at + 1 > (unsigned int)h.width ? t->at + 1 - h.width : 0;
	h.first = h.first < t->history.first ? t->history.first : h.first;
	h.n = t->at + 1 - h.first;
	h.map = map_make(count(t, &h), h.height);
	if (h.map.high < h.map.low) {
		terminal_text(TOP_ABOVE + 1, 0, terminal_width(), LOOK_PLAIN,
			      "The row has no operations in this time.");
	} else {
		draw_buckets(&h, y - 1 - (h.map.high - h.map.low) / h.map.per_row);
		draw_axis(t, &h, y);
		draw_times(t, &h, y + 1);
		draw_key(&h.map, y + 2);
	}
	map_free(&h.map);
}
