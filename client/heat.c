// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat heat: latency over time. A column is an interval, the newest at the right; a row is
 * a bucket, or some, the lowest at the bottom; a cell's shade or colour is how many
 * operations took so long.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "filter.h"
#include "histogram.h"
#include "programs.h"
#include "runs.h"

#define COLUMNS 1024 /* that are kept */
#define LABEL   9    /* width of what is left of the columns */
#define OTHERS  5    /* lines that are no buckets, and the one below */
#define LEVELS  8

static const char shades[LEVELS + 2] = " .:-=+*#@";
static const unsigned char colours[LEVELS] = { 17, 19, 26, 37, 76, 184, 208, 196 };

struct column {
	double end;
	bool left_out;
	uint64_t counts[ESTAT_LATENCY_BUCKETS];
};

struct heat {
	const struct options *o;
	const struct source *s;
	bool screen, colour;
	unsigned int n; /* columns that there were, ever */
	struct column columns[COLUMNS];
};

/* A part of the heat that fits. */
struct view {
	unsigned int width, height;
	unsigned int first, n;  /* columns */
	int low, high, per_row; /* buckets */
	uint64_t thresholds[LEVELS];
};

static void measure(const struct heat *heat, struct view *v)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	v->width = columns ? atoi(columns) : 80;
	v->height = ESTAT_LATENCY_BUCKETS + OTHERS;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col) {
		v->width = size.ws_col;
		v->height = size.ws_row;
	}
	if (v->width < LABEL + 10)
		v->width = LABEL + 10;
	if (v->height < OTHERS + 1)
		v->height = OTHERS + 1;
	v->n = v->width - LABEL;
	if (v->n > COLUMNS)
		v->n = COLUMNS;
	if (v->n > heat->n)
		v->n = heat->n;
	v->first = heat->n - v->n;
}

static const struct column *column(const struct heat *heat, unsigned int i)
{
	return &heat->columns[i % COLUMNS];
}

/* The count of a row in a column; `bucket` is the row's lowest. */
static uint64_t cell(const struct view *v, const struct column *c, int bucket)
{
	uint64_t n = 0;

	for (int i = bucket; i < bucket + v->per_row && i < ESTAT_LATENCY_BUCKETS; i++)
		n += c->counts[i];
	return n;
}

/* Which buckets have counts, and how many of them make a row. */
static void find_buckets(const struct heat *heat, struct view *v)
{
	int rows = v->height - OTHERS;

	v->low = ESTAT_LATENCY_BUCKETS;
	v->high = -1;
	for (unsigned int i = 0; i < v->n; i++)
		for (int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
			if (!column(heat, v->first + i)->counts[b])
				continue;
			v->low = b < v->low ? b : v->low;
			v->high = b > v->high ? b : v->high;
		}
	v->per_row = v->high < v->low ? 1 : (v->high - v->low) / rows + 1;
}

/* The lowest count of each level: equal steps of its logarithm, up to the highest count. */
static void find_levels(const struct heat *heat, struct view *v)
{
	uint64_t most = 1;

	for (unsigned int i = 0; i < v->n; i++)
		for (int b = v->low; b <= v->high; b += v->per_row) {
			uint64_t n = cell(v, column(heat, v->first + i), b);

			most = n > most ? n : most;
		}
	for (int i = 0; i < LEVELS; i++)
		v->thresholds[i] = ceil(pow(most, (double)i / (LEVELS - 1)) - 1e-6);
}

/* 0: none */
static int level(const struct view *v, uint64_t n)
{
	int i = LEVELS;

	while (i > 0 && n < v->thresholds[i - 1])
		i--;
	return n ? i : 0;
}

static void set_colour(const struct heat *heat, int level)
{
	if (heat->colour && level)
		printf("\033[48;5;%dm", colours[level - 1]);
	else if (heat->colour)
		fputs("\033[0m", stdout);
}

static void print_cells(const struct heat *heat, const struct view *v, int bucket)
{
	int last = 0;

	for (unsigned int i = 0; i < v->n; i++) {
		int l = level(v, cell(v, column(heat, v->first + i), bucket));

		if (l != last)
			set_colour(heat, l);
		last = l;
		putchar(heat->colour ? ' ' : shades[l]);
	}
	if (last)
		set_colour(heat, 0);
}

/* A latency as 400us, 2ms, 10s */
static void print_label(int bucket)
{
	uint64_t us = bucket_edge(HISTOGRAM_LATENCY, bucket);

	if (us >= 1000000)
		printf("%6" PRIu64 "s |", us / 1000000);
	else if (us >= 1000)
		printf("%5" PRIu64 "ms |", us / 1000);
	else
		printf("%5" PRIu64 "us |", us);
}

static void end_line(const struct heat *heat)
{
	fputs(heat->screen ? "\r\n\033[K" : "\n", stdout);
}

static void print_times(const struct heat *heat, const struct view *v)
{
	char begin[32], end[32];

	print_time(begin, sizeof(begin), "%H:%M:%S", column(heat, v->first)->end);
	print_time(end, sizeof(end), "%H:%M:%S", column(heat, heat->n - 1)->end);
	if (v->n > 17)
		printf("%*s%*s", (int)(v->width - v->n) + 8, begin, (int)v->n - 8, end);
	else
		printf("%*s", (int)v->width, end);
}

/* What the shades mean; of those with the same count the highest. */
static void print_key(const struct heat *heat, const struct view *v)
{
	printf("%*s", LABEL, "ops ");
	for (int i = 0; i < LEVELS; i++) {
		if (i + 1 < LEVELS && v->thresholds[i + 1] == v->thresholds[i])
			continue;
		set_colour(heat, i + 1);
		putchar(heat->colour ? ' ' : shades[i + 1]);
		set_colour(heat, 0);
		printf(" %" PRIu64 "  ", v->thresholds[i]);
	}
}

static void print_title(const struct heat *heat)
{
	printf("%s on %s", heat->o->program, heat->s->host);
	for (unsigned int i = 0; i < heat->o->nfilters; i++)
		printf(", %s=%s", heat->o->filters[i].axis, heat->o->filters[i].glob);
	if (heat->o->seconds >= 0.001)
		printf(": latency, a column is %g s", heat->o->seconds);
	else
		printf(": latency, a column is a record");
}

/* Columns begin so far from the left that the newest is at the right edge. */
static void indent(const struct view *v)
{
	printf("%*s", (int)(v->width - LABEL - v->n), "");
}

static void draw(const struct heat *heat)
{
	struct view v;

	measure(heat, &v);
	find_buckets(heat, &v);
	if (heat->screen)
		fputs("\033[H\033[K", stdout);
	print_title(heat);
	end_line(heat);
	if (v.high < v.low)
		fputs("no operations yet", stdout);
	else
		find_levels(heat, &v);
	for (int b = v.low + (v.high - v.low) / v.per_row * v.per_row;
	     v.low <= v.high && b >= v.low; b -= v.per_row) {
		print_label(b);
		indent(&v);
		print_cells(heat, &v, b);
		end_line(heat);
	}
	if (v.low <= v.high) {
		printf("%*s+", LABEL - 1, "");
		for (unsigned int i = v.n; i < v.width - LABEL; i++)
			putchar('-');
		for (unsigned int i = 0; i < v.n; i++)
			putchar(column(heat, v.first + i)->left_out ? '!' : '-');
		end_line(heat);
		print_times(heat, &v);
		end_line(heat);
		print_key(heat, &v);
	}
	fputs(heat->screen ? "\r\n\033[J" : "\n", stdout);
	flush_output();
}

static void add_column(struct heat *heat, const struct series *series, enum outcome outcome,
		       const struct interval *interval)
{
	struct column *c = &heat->columns[heat->n++ % COLUMNS];

	*c = (struct column){ .end = interval->end, .left_out = outcome == INTERVAL_LEFT_OUT };
	for (unsigned int k = 0; k < series->nkeys && !c->left_out; k++) {
		if (!selected(heat->o, series->keys[k]))
			continue;
		for (int i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
			c->counts[i] += series->keys[k]->values.latency[i];
	}
}

/* The alternate screen, without a cursor and new lines where one is full; and back. */
static void use_screen(struct heat *heat, bool on)
{
	heat->screen = on;
	fputs(on ? "\033[?1049h\033[?25l\033[?7l" : "\033[?7h\033[?25h\033[?1049l", stdout);
	flush_output();
}

/* Wait for the interval's end, and draw anew when the window has another size. */
static void wait_for_end(const struct heat *heat)
{
	while (!sleep_until(heat->s->due + heat->o->seconds) && !stopped) {
		resized = 0;
		if (heat->screen)
			draw(heat);
	}
}

static void watch(struct heat *heat, struct source *s, const struct series *series)
{
	struct interval interval;
	enum outcome outcome;
	int samples = heat->o->samples;

	if (!samples && !s->archive && !heat->screen) {
		struct view v;

		heat->n = COLUMNS; /* as if there were enough */
		measure(heat, &v);
		heat->n = 0;
		samples = v.n;
	}
	while (!stopped && (!samples || (int)heat->n < samples)) {
		if (heat->screen)
			draw(heat);
		if (!s->archive)
			wait_for_end(heat);
		source_clear(s);
		outcome = source_step(s, heat->o->seconds, &interval);
		if (outcome == INTERVAL_END)
			break;
		add_column(heat, series, outcome, &interval);
	}
}

/* Can the terminal do colours, and are they wanted? */
static bool has_colours(void)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && term && strstr(term, "256color") &&
	       !(no_color && *no_color);
}

static bool has_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

int run_heat(struct options *o, struct source *s)
{
	static struct heat heat;
	const struct program *p = find_program(o);
	struct series *series;

	check_module(o, s);
	series = source_add(s, p->parts[0].prefix, READ_BASIC | READ_LATENCY, NULL);
	if (!series || !has(series, FIELD_LATENCY))
		die(EXIT_NO_DATA, "%s has no metric estat.%s.latency", s->where, o->module);
	if (!o->seconds)
		o->seconds = s->archive ? 1e-6 : 1;
	if (!source_begin(s))
		die(EXIT_NO_DATA, "%s has nothing of %s in this time", s->where, o->program);
	use_argument(o, series);
	check_selection(o, series);
	heat = (struct heat){ .o = o, .s = s, .colour = has_colours() };
	if (has_screen() && !s->archive) {
		silent = true;
		use_screen(&heat, true);
	}
	watch(&heat, s, series);
	if (heat.screen)
		use_screen(&heat, false);
	if (!heat.n)
		die(EXIT_NO_DATA, "there is no interval to show");
	draw(&heat);
	return EXIT_SUCCESS;
}
