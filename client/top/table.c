// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draws the table of estat top. A row has axes, figures of the interval in view, and a line. Each
 * character of a line shows the p99 of an interval. All lines have one logarithmic scale.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "heat/draw.h"
#include "top.h"
#include "view/output.h"
#include "view/screen.h"
#include "view/terminal.h"

#define WIDE   120 /* least width of a terminal for all figures */
#define NARROW 4   /* axes are not narrowed below this width */
#define LINE   8   /* axes are narrowed, down to NARROW, to leave rows' lines this width */
#define LONGEST \
	120 /* most characters of a row's line of p99s: to draw the lines costs the most time */

/* The columns of figures from left to right. */
static const struct {
	enum figure figure;
	const char *heading;
	int from; /* a narrower terminal shows the figure only if rows are sorted by the figure */
} columns[] = {
	{ IOPS, "ops/s", 0 },          { THROUGHPUT, "k/s", 0 },
	{ ERRORS, "err", 0 },          { MEAN, "avg", 0 },
	{ DEVIATION, "stddev", WIDE }, { P50, "p50", 0 },
	{ P90, "p90", WIDE },          { P99, "p99", 0 },
	{ P999, "p999", WIDE },        { HIGHEST, "max", 0 },
	{ UNDER_WAY, "now", 0 },       { OLDEST, "oldest", WIDE },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* The table's widths and positions, in columns of the terminal, and the content of rows' lines. */
struct grid {
	int title;            /* width of the titles; 0: no titles */
	int axes[MAX_AXES];   /* width of each axis; 0: not shown */
	bool shown[COLUMNS];  /* is columns[i] shown? */
	int line;             /* terminal column in which rows' lines begin */
	int nline;            /* number of intervals in a row's line */
	double *p99s;         /* nline p99s for each drawn row, microseconds */
	double low, high;     /* lowest and highest p99 of all lines; NAN: no value */
	double least[LEVELS]; /* [i]: the p99 from which a line has shade i, microseconds */
};

/*
 * The p99 of an unmeasured interval. A p99 of NAN: no operation has succeeded, the p99 is unknown,
 * or the interval is not in memory.
 */
#define UNMEASURED INFINITY

/* The width of a figure, with the blank before the figure. */
static int figure_width(void)
{
	return terminal_width() < WIDE ? 6 : 8;
}

/*
 * Is columns[i] shown? UNDER_WAY and OLDEST are not shown if the module's first series lacks the
 * metric inflight. Else the column by which rows are sorted is shown on a narrow terminal, too.
 */
static bool is_shown(const struct top *t, size_t i)
{
	enum figure figure = columns[i].figure;

	if (figure >= FIGURES && !has(t->history.series[0], FIELD_INFLIGHT))
		return false;
	return terminal_width() >= columns[i].from || !strcmp(t->o->sort, figures[figure].name);
}

const char *top_sort_beside(const struct top *t, int by)
{
	const char *shown[COLUMNS + 1] = { "name" };
	int n = 1, now = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (!is_shown(t, i))
			continue;
		if (!strcmp(figures[columns[i].figure].name, t->o->sort))
			now = n;
		shown[n++] = figures[columns[i].figure].name;
	}
	now += by;
	return shown[now < 0 ? 0 : now == n ? n - 1 : now];
}

static int needed_for_figures(const struct top *t)
{
	int width = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		width += is_shown(t, i) ? figure_width() : 0;
	return width;
}

/*
 * Make each axis as wide as its longest value in all intervals read so far, so that columns seldom
 * move.
 */
static void measure_axes(const struct top *t, struct grid *l)
{
	for (unsigned int a = 0; a < t->naxes; a++)
		l->axes[a] = t->axes[a].by ? text_width(t->axes[a].name) + 1 : 0;
	for (unsigned int p = 0; p < t->history.nseries; p++) {
		const struct series *series = t->history.series[p];

		if (t->module->series[p].title &&
		    text_width(t->module->series[p].title) >= l->title)
			l->title = text_width(t->module->series[p].title) + 1;
		for (unsigned int k = 0; k < series->nkeys; k++)
			for (unsigned int a = 0; a < t->naxes; a++) {
				const char *value = key_axis(series->keys[k], t->axes[a].name);

				if (value && l->axes[a] && text_width(value) >= l->axes[a])
					l->axes[a] = text_width(value) + 1;
			}
	}
}

/* The index of the widest axis that can be made narrower, or -1. */
static int widest(const struct top *t, const struct grid *l)
{
	int best = -1;

	for (unsigned int a = 0; a < t->naxes; a++)
		if (l->axes[a] > NARROW + 1 && (best < 0 || l->axes[a] > l->axes[best]))
			best = a;
	return best;
}

static int sum_of_axes(const struct top *t, const struct grid *l)
{
	int sum = l->title;

	for (unsigned int a = 0; a < t->naxes; a++)
		sum += l->axes[a];
	return sum;
}

static void lay_out(const struct top *t, struct grid *l)
{
	int room = terminal_width() - needed_for_figures(t) - LINE - 1, axis;

	measure_axes(t, l);
	if (!sum_of_axes(t, l))
		l->title = strlen("total") + 1;
	while (sum_of_axes(t, l) > room && (axis = widest(t, l)) >= 0)
		l->axes[axis]--;
	for (size_t i = 0; i < COLUMNS; i++)
		l->shown[i] = is_shown(t, i);
	l->line = sum_of_axes(t, l) + needed_for_figures(t) + 1;
	l->nline = terminal_width() - l->line;
	if (l->nline > LONGEST)
		l->nline = LONGEST;
	if (l->nline < 0)
		l->nline = 0;
}

unsigned int top_intervals(const struct top *t)
{
	struct grid l = { 0 };

	if (t->view == VIEW_HEAT)
		return terminal_width() > MAP_LABEL ? terminal_width() - MAP_LABEL : 1;
	lay_out(t, &l);
	return l.nline > 1 ? l.nline : 1;
}

/*
 * The p99 (us) of the row `number`, see top_number(), at a position of the row's line; or NAN, or
 * UNMEASURED.
 */
static double p99_at(struct top *t, const struct grid *l, int position, unsigned int number)
{
	int back = l->nline - 1 - position;
	const struct frame *frame = (int)t->at < back ? NULL
						      : history_frame(&t->history, t->at - back);

	if (frame && frame->interval.seconds <= 0)
		return UNMEASURED;
	return frame ? top_p99(t, t->at - back, number) : NAN;
}

/* Divide the p99s from l->low to l->high into levels, equally wide on a logarithmic scale. */
static void find_levels(struct grid *l)
{
	double low = fmax(l->low, 0.001), step = pow(l->high / low, 1.0 / LEVELS);

	for (int i = 0; i < LEVELS; i++)
		l->least[i] = step > 1 ? low * pow(step, i) : INFINITY;
}

/* Set the p99s of the drawn rows, and the scale of all rows' lines. */
static void find_lines(struct top *t, struct grid *l, unsigned int rows)
{
	double *p99 = l->p99s = xalloc(malloc((rows * l->nline + 1) * sizeof(*p99)));

	l->low = l->high = NAN;
	for (unsigned int r = 0; r < rows; r++) {
		unsigned int number = top_number(t, &t->rows.rows[t->first + r]);

		for (int i = 0; i < l->nline; i++, p99++) {
			*p99 = p99_at(t, l, i, number);
			if (*p99 == UNMEASURED)
				continue;
			l->low = fmin(l->low, *p99);
			l->high = fmax(l->high, *p99);
		}
	}
	find_levels(l);
}

static int level_of(const struct grid *l, double us)
{
	int level = 0;

	while (level < LEVELS - 1 && us >= l->least[level + 1])
		level++;
	return level;
}

static void draw_line(const struct grid *l, int y, const double *p99s, enum look look)
{
	static const char *const ascii[] = { ".", ":", "-", "=", "+", "*", "#", "@" };
	static const char *const unicode[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const char *const *shades = screen_has_utf8() ? unicode : ascii;
	char text[LONGEST * 3 + 1] = "";
	char *end = text;

	for (int i = 0; i < l->nline; i++)
		end = stpcpy(end, p99s[i] == UNMEASURED ? "!"
				  : isnan(p99s[i])      ? " "
							: shades[level_of(l, p99s[i])]);
	terminal_text(y, l->line, l->nline, look, text);
}

/* Write the heading above the rows' lines; it has the lowest and highest p99 if there is room. */
static void print_scale(const struct grid *l, char *text, size_t size)
{
	char low[FORMAT_LEN], high[FORMAT_LEN];

	format_figure(low, l->low, 6);
	format_figure(high, l->high, 6);
	if (isnan(l->low) || snprintf(text, size, "p99 %s-%sus", low, high) > l->nline)
		snprintf(text, size, "p99");
}

static void draw_headings(const struct top *t, const struct grid *l, int y)
{
	char text[80];
	int x = l->title, width = figure_width();

	terminal_text(y, 0, terminal_width(), LOOK_BOLD, "");
	for (unsigned int a = 0; a < t->naxes; a++) {
		if (l->axes[a])
			terminal_text(y, x, l->axes[a] - 1, LOOK_BOLD, t->axes[a].name);
		x += l->axes[a];
	}
	for (size_t i = 0; i < COLUMNS; i++) {
		bool sorted = !strcmp(t->o->sort, figures[columns[i].figure].name);

		if (!l->shown[i])
			continue;
		snprintf(text, sizeof(text), "%*s", width - 1, columns[i].heading);
		terminal_text(y, x + 1, width - 1, sorted ? LOOK_REVERSE : LOOK_BOLD, text);
		x += width;
	}
	print_scale(l, text, sizeof(text));
	terminal_text(y, l->line, l->nline, LOOK_BOLD, text);
}

/* A row's value on an axis. The row of the overflow key shows "other" on the first axis. */
static const char *value_of(const struct top *t, const struct row *row, unsigned int axis)
{
	for (unsigned int i = 0; *row->axis && i < row->naxes; i++)
		if (!strcmp(row->axes[i].name, t->axes[axis].name))
			return row->axes[i].value;
	return axis == 0 && !*row->axis ? ESTAT_OVERFLOW_NAME : "";
}

/* Draw a row. p99s is NULL for the total, which has no line. */
static void draw_row(const struct top *t, const struct grid *l, int y, const struct row *row,
		     double seconds, const double *p99s)
{
	bool total = !p99s;
	bool is_selected = !total && row == &t->rows.rows[t->selected];
	enum look look = is_selected ? LOOK_REVERSE : total ? LOOK_BOLD : LOOK_PLAIN;
	char text[FORMAT_LEN], cell[2 * FORMAT_LEN];
	int x = l->title, width = figure_width();

	if (look != LOOK_PLAIN)
		terminal_text(y, 0, terminal_width(), look, "");
	terminal_text(y, 0, l->title ? l->title - 1 : 0, look,
		      *row->name || t->o->nby ? row->name : "all");
	for (unsigned int a = 0; !total && a < t->naxes; a++) {
		if (l->axes[a])
			terminal_text(y, x, l->axes[a] - 1, look, value_of(t, row, a));
		x += l->axes[a];
	}
	if (total) {
		x = sum_of_axes(t, l);
		terminal_text(y, 0, x - 1, look, row->name);
	}
	for (size_t i = 0; i < COLUMNS; i++) {
		if (!l->shown[i])
			continue;
		if (columns[i].figure == OLDEST)
			format_latency(text, figure(&row->values, OLDEST, seconds), 0);
		else
			format_figure(text, figure(&row->values, columns[i].figure, seconds),
				      width - 1);
		snprintf(cell, sizeof(cell), "%*s", width - 1, text);
		terminal_text(y, x + 1, width - 1, look, cell);
		x += width;
	}
	if (!total)
		draw_line(l, y, p99s, look);
}

unsigned int top_lines(void)
{
	/* the headings and the total take 2 lines */
	int lines = terminal_height() - TOP_ABOVE - TOP_BELOW - 2;

	return lines > 1 ? lines : 1;
}

void top_draw_table(struct top *t)
{
	const struct frame *frame = history_frame(&t->history, t->at);
	unsigned int lines = top_lines(), rows;
	double seconds = frame ? frame->interval.seconds : 0;
	struct grid l = { 0 };

	if (t->selected < t->first)
		t->first = t->selected;
	if (t->selected >= t->first + lines)
		t->first = t->selected + 1 - lines;
	if (t->first && t->first + lines > t->rows.n)
		t->first = t->rows.n > lines ? t->rows.n - lines : 0;
	rows = t->rows.n - t->first < lines ? t->rows.n - t->first : lines;
	lay_out(t, &l);
	find_lines(t, &l, rows);
	draw_headings(t, &l, TOP_ABOVE);
	for (unsigned int i = 0; i < rows; i++)
		draw_row(t, &l, TOP_ABOVE + 1 + i, &t->rows.rows[t->first + i], seconds,
			 l.p99s + i * l.nline);
	if (!t->rows.n)
		terminal_text(TOP_ABOVE + 1, 0, terminal_width(), LOOK_PLAIN,
			      !frame        ? "No interval so far."
			      : seconds > 0 ? "No operations in this interval."
					    : "Nothing was measured in this interval.");
	else if (!t->nested)
		draw_row(t, &l, terminal_height() - TOP_BELOW - 1, &t->rows.total, seconds, NULL);
	free(l.p99s);
}
