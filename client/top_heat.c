// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The heat map of a row of estat top: an interval is a column, the one in view at the right; a
 * row is a bucket of latency, or some, the lowest at the bottom; the shade is how many
 * operations took so long.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "terminal.h"
#include "top.h"

#define OTHERS 4 /* lines that are no buckets: what it is of, the axis, times and the key */

struct map {
	int width, height;  /* columns, and lines for buckets */
	unsigned int first; /* interval */
	unsigned int n;     /* columns that there are */
	uint64_t (*counts)[ESTAT_LATENCY_BUCKETS];
	int low, high, per_row; /* buckets */
	uint64_t thresholds[LEVELS];
};

/* Which keys are the row's: of each part a flag each. To be freed, as is each. */
static bool **find_keys(const struct top *t)
{
	bool **keys = or_die(calloc(t->p->nparts, sizeof(*keys)));

	for (unsigned int p = 0; p < t->p->nparts; p++) {
		const struct series *series = t->history.parts[p];

		keys[p] = or_die(calloc(series->nkeys + 1, sizeof(**keys)));
		for (unsigned int k = 0; k < series->nkeys; k++)
			keys[p][k] = top_is_chosen(t, p, series->keys[k]);
	}
	return keys;
}

static void count(const struct top *t, struct map *m)
{
	bool **keys = find_keys(t);

	m->counts = or_die(calloc(m->n + 1, sizeof(*m->counts)));
	for (unsigned int i = 0; i < m->n; i++) {
		const struct frame *frame = history_frame(&t->history, m->first + i);
		const struct sample *s = NULL;

		while (frame && (s = next_sample(frame, s)))
			for (unsigned int c = 0; keys[s->part][s->key] && c < s->ncells; c++)
				if (s->cells[c].bucket < ESTAT_LATENCY_BUCKETS)
					m->counts[i][s->cells[c].bucket] += s->cells[c].n;
	}
	for (unsigned int p = 0; p < t->p->nparts; p++)
		free(keys[p]);
	free(keys);
}

/* Which buckets have counts, and how many of them make a row. */
static void find_buckets(struct map *m)
{
	m->low = ESTAT_LATENCY_BUCKETS;
	m->high = -1;
	for (unsigned int i = 0; i < m->n; i++)
		for (int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
			if (!m->counts[i][b])
				continue;
			m->low = b < m->low ? b : m->low;
			m->high = b > m->high ? b : m->high;
		}
	m->per_row = m->high < m->low ? 1 : (m->high - m->low) / m->height + 1;
}

/* The count of a line in a column; `bucket` is the line's lowest. */
static uint64_t cell(const struct map *m, unsigned int column, int bucket)
{
	uint64_t n = 0;

	for (int b = bucket; b < bucket + m->per_row && b < ESTAT_LATENCY_BUCKETS; b++)
		n += m->counts[column][b];
	return n;
}

/* The lowest count of each level. */
static void find_levels(struct map *m)
{
	uint64_t most = 1;

	for (unsigned int i = 0; i < m->n; i++)
		for (int b = m->low; b <= m->high; b += m->per_row)
			most = cell(m, i, b) > most ? cell(m, i, b) : most;
	shades_find(m->thresholds, most);
}

/* A latency as 400us, 2ms, 10s */
static void draw_label(int y, int bucket)
{
	uint64_t us = bucket_edge(HISTOGRAM_LATENCY, bucket);
	char text[MAP_LABEL + 16];

	if (us >= 1000000)
		snprintf(text, sizeof(text), "%6" PRIu64 "s |", us / 1000000);
	else if (us >= 1000)
		snprintf(text, sizeof(text), "%5" PRIu64 "ms |", us / 1000);
	else
		snprintf(text, sizeof(text), "%5" PRIu64 "us |", us);
	terminal_text(y, 0, MAP_LABEL, LOOK_PLAIN, text);
}

/* The column of the terminal that an interval has. */
static int place(const struct map *m, unsigned int column)
{
	return MAP_LABEL + m->width - m->n + column;
}

static void draw_buckets(const struct map *m, int y)
{
	for (int b = m->low + (m->high - m->low) / m->per_row * m->per_row; b >= m->low;
	     b -= m->per_row) {
		draw_label(y, b);
		for (unsigned int i = 0; i < m->n; i++) {
			int l = shade_of(m->thresholds, cell(m, i, b));
			char text[2] = { shades[l] };

			if (l)
				terminal_text(y, place(m, i), 1, LOOK_LEVEL + l - 1, text);
		}
		y++;
	}
}

/* The line below the cells: ! where nothing was measured, : where not all. */
static void draw_axis(const struct top *t, const struct map *m, int y)
{
	char *line = or_die(malloc(m->width + 2));

	memset(line, '-', m->width + 1);
	line[0] = '+';
	line[m->width + 1] = '\0';
	for (unsigned int i = 0; i < m->n; i++) {
		const struct interval *interval =
			&history_frame(&t->history, m->first + i)->interval;

		if (interval->left_out > 0)
			line[m->width + 1 - m->n + i] = interval->seconds > 0 ? ':' : '!';
	}
	terminal_text(y, MAP_LABEL - 1, m->width + 1, LOOK_PLAIN, line);
	free(line);
}

/* When the first and the last interval ended. */
static void draw_times(const struct top *t, const struct map *m, int y)
{
	double first = history_frame(&t->history, m->first)->interval.end;
	double last = history_frame(&t->history, t->at)->interval.end;
	const char *format = last - first > 86400 ? "%m/%d %H:%M" : "%H:%M:%S";
	char text[64];
	int length;

	print_time(text, sizeof(text), format, last);
	length = strlen(text);
	terminal_text(y, MAP_LABEL + m->width - length, length, LOOK_PLAIN, text);
	print_time(text, sizeof(text), format, first);
	if ((int)m->n > 2 * length)
		terminal_text(y, place(m, 0), length, LOOK_PLAIN, text);
}

/* What the shades mean; of those with the same count the highest. */
static void draw_key(const struct map *m, int y)
{
	int x = MAP_LABEL;

	terminal_text(y, 0, MAP_LABEL, LOOK_PLAIN, "    ops");
	for (int l = 1; l <= LEVELS; l++) {
		char shade[2] = { shades[l] }, text[32];

		if (!shade_is_told(m->thresholds, l))
			continue;
		terminal_text(y, x, 1, LOOK_LEVEL + l - 1, shade);
		snprintf(text, sizeof(text), "%" PRIu64, m->thresholds[l - 1]);
		terminal_text(y, x + 2, strlen(text), LOOK_PLAIN, text);
		x += strlen(text) + 3;
	}
}

static void draw_title(const struct top *t, int y)
{
	char *text = NULL;

	if (asprintf(&text, "latency of %s%s%s, an interval a column", t->chosen.name,
		     *t->chosen.name && *t->chosen.axis ? ", " : "",
		     *t->chosen.name || *t->chosen.axis ? t->chosen.axis : "all") < 0)
		or_die(NULL);
	terminal_text(y, 0, terminal_width(), LOOK_BOLD, text);
	free(text);
}

void top_draw_heat(struct top *t)
{
	struct map m = {
		.width = top_intervals(t),
		.height = terminal_height() - TOP_ABOVE - TOP_BELOW - OTHERS,
	};
	int y = terminal_height() - TOP_BELOW - OTHERS + 1;

	draw_title(t, TOP_ABOVE);
	if (!history_frame(&t->history, t->at) || m.height < 1)
		return;
	m.first = t->at + 1 > (unsigned int)m.width ? t->at + 1 - m.width : 0;
	m.first = m.first < t->history.first ? t->history.first : m.first;
	m.n = t->at + 1 - m.first;
	count(t, &m);
	find_buckets(&m);
	if (m.high < m.low) {
		terminal_text(TOP_ABOVE + 1, 0, terminal_width(), LOOK_PLAIN,
			      "It has no operations in this time.");
	} else {
		find_levels(&m);
		draw_buckets(&m, y - 1 - (m.high - m.low) / m.per_row);
		draw_axis(t, &m, y);
		draw_times(t, &m, y + 1);
		draw_key(&m, y + 2);
	}
	free(m.counts);
}
