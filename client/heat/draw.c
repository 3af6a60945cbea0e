// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "lib/format.h"
#include "lib/histogram.h"
#include "view/screen.h"

/* Texts for the positions 0 to LEVELS in the lines p99 and max: bars with UTF-8, else digits. */
static const char *const bars[LEVELS + 1] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const digits[LEVELS + 1] = { " ", "1", "2", "3", "4", "5", "6", "7", "8" };

static const char *mark(int position)
{
	return (screen_has_utf8() ? bars : digits)[position];
}

__attribute__((format(printf, 2, 3))) static void put(struct canvas *c, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c->put(c, 0, text);
}

static void put_shade(struct canvas *c, int shade)
{
	c->put(c, shade, (char[]){ shades[shade], '\0' });
}

/*
 * The newest interval is in the last column. Fill the first columns, which have no interval, with
 * the text `with`.
 */
static void indent(const struct map *m, struct canvas *c, const char *with)
{
	for (unsigned int i = m->c.n; i < c->columns; i++)
		c->put(c, 0, with);
}

static void draw_rows(const struct map *m, struct canvas *c)
{
	char text[FORMAT_LEN];

	for (int b = map_top(m); b >= m->low; b -= m->per_row) {
		put(c, "%*s |", MAP_LABEL - 2,
		    format_latency(text, bucket_edge(HISTOGRAM_LATENCY, b), 3));
		indent(m, c, " ");
		for (unsigned int i = 0; i < m->c.n; i++)
			put_shade(c, shade_of(m->thresholds, map_cell(m, &m->c.columns[i], b)));
		c->newline(c);
	}
}

/*
 * The mark below column i, the first that applies: ! not measured; : partly measured; < measured as
 * part of an earlier column; > measured as part of a later column; + map_has_tick(); - none of
 * these.
 */
static char sign(const struct map *m, unsigned int i, double tick)
{
	const struct column *c = &m->c.columns[i];

	if (c->left_out > 0)
		return c->measured > 0 ? ':' : '!';
	if (c->from && c->measured <= 0)
		return c->from < 0 ? '<' : '>';
	return map_has_tick(m, i, tick) ? '+' : '-';
}

static void draw_axis(const struct map *m, struct canvas *c, double tick)
{
	put(c, "%*s+", MAP_LABEL - 1, "");
	indent(m, c, "-");
	for (unsigned int i = 0; i < m->c.n; i++)
		put(c, "%c", sign(m, i, tick));
	c->newline(c);
}

/*
 * Draw times, as far as there is room: when the first column and columns with ticks begin, and when
 * the last column ends.
 */
static void draw_times(const struct map *m, struct canvas *c, double tick)
{
	const char *format = map_format(m);
	unsigned int length, next = 0, offset = MAP_LABEL + c->columns - m->c.n;
	unsigned int width = MAP_LABEL + c->columns;
	char *line = xasprintf("%*s", width, ""), text[32];

	print_time(text, sizeof(text), format, m->c.columns[m->c.n - 1].end);
	length = strlen(text);
	if (length <= width)
		memcpy(line + width - length, text, length);
	for (unsigned int i = 0; i < m->c.n; i++) {
		unsigned int at = offset + i;

		if ((i && !map_has_tick(m, i, tick)) || at < next || at + 2 * length + 2 > width)
			continue;
		print_time(text, sizeof(text), format, map_begin(m, i));
		memcpy(line + at, text, length);
		next = at + length + 2;
	}
	c->put(c, 0, line);
	c->newline(c);
	free(line);
}

static void draw_track(const struct map *m, struct canvas *c, const char *name,
		       const double *values)
{
	put(c, "%*s |", MAP_LABEL - 2, name);
	indent(m, c, " ");
	for (unsigned int i = 0; i < m->c.n; i++)
		c->put(c, 0, mark(map_position(m, values[i])));
	c->newline(c);
}

/* Draw the lines p99 and max, and the legend of positions: "    from 1 35us  2 69us  ..." */
static void draw_tracks(const struct map *m, struct canvas *c)
{
	unsigned int used = MAP_LABEL, width = MAP_LABEL + c->columns;
	char text[FORMAT_LEN];

	draw_track(m, c, "p99", m->p99);
	draw_track(m, c, "max", m->max);
	put(c, "%*s", MAP_LABEL, "from ");
	for (int i = 1; i <= LEVELS && used + 7 <= width; i++, used += 8)
		put(c, "%s %-5s ", mark(i), format_latency(text, map_position_from(m, i), 2));
	c->newline(c);
}

/*
 * Draw the legend: each shade for which shade_in_legend() is true, with the shade's least number of
 * operations.
 */
static void draw_legend(const struct map *m, struct canvas *c)
{
	put(c, "%*s", MAP_LABEL, "ops ");
	for (int l = 1; l <= LEVELS; l++) {
		if (!shade_in_legend(m->thresholds, l))
			continue;
		put_shade(c, l);
		put(c, " %" PRIu64 "  ", m->thresholds[l - 1]);
	}
}

static void draw_worst(const struct map *m, struct canvas *c)
{
	for (unsigned int w = 0; w < m->nworst; w++) {
		unsigned int i = m->worst[w];
		char times[80], p99[FORMAT_LEN], max[FORMAT_LEN];

		map_times(m, i, times, sizeof(times));
		c->newline(c);
		put(c, "%*s%s  max %s  p99 %s  %" PRIu64 " ops", MAP_LABEL, w ? "" : "worst ",
		    times, format_latency(max, m->max[i], 3), format_latency(p99, m->p99[i], 3),
		    map_operations(&m->c.columns[i]));
	}
}

void map_draw(const struct map *m, struct canvas *c)
{
	double tick = map_tick(m, 2 + strlen("00:00:00") + 3 * (m->c.seconds * m->c.n > 86400));

	draw_rows(m, c);
	draw_axis(m, c, tick);
	draw_times(m, c, tick);
	if (c->tracks)
		draw_tracks(m, c);
	draw_legend(m, c);
	if (c->worst)
		draw_worst(m, c);
}
