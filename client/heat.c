// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat heat: latency over time. A column is an interval, the newest at the right; a row is
 * a bucket, or some, the lowest at the bottom; a cell's shade and colour is how many
 * operations took so long. A live map shows the newest intervals; that of an archive has
 * all of its time, if need be several intervals a column, and gaps as long as they are.
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
#include "runs.h"
#include "screen.h"
#include "signals.h"
#include "title.h"

#define COLUMNS 8192 /* that are kept */
#define LABEL   9    /* width of what is left of the columns */
#define OTHERS  5    /* lines that are no buckets, and the one below */
#define LEVELS  8

static const char shades[LEVELS + 2] = " .:-=+*#@";

struct column {
	double begin, end;
	double measured, left_out; /* seconds of it */
	uint64_t counts[ESTAT_LATENCY_BUCKETS];
};

struct heat {
	const struct options *o;
	const struct source *s;
	struct screen screen;
	unsigned int taken; /* intervals that there were */
	unsigned int n;     /* columns; of live intervals, ever: the last of them are kept */
	unsigned int unit;  /* how many intervals of an archive are one */
	struct column columns[COLUMNS];
};

/* What is drawn, as it fits. */
struct view {
	unsigned int width, height;
	unsigned int n;
	struct column *columns;
	double seconds;         /* that a column is, of an archive */
	int low, high, per_row; /* buckets */
	uint64_t thresholds[LEVELS];
};

static struct heat heat; /* what a signal leaves the screen of */

static void measure(struct view *v)
{
	struct winsize size;

	v->width = output_width(80);
	v->height = ESTAT_LATENCY_BUCKETS + OTHERS;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row)
		v->height = size.ws_row;
	if (v->width < LABEL + 10)
		v->width = LABEL + 10;
	if (v->width > LABEL + COLUMNS / 4)
		v->width = LABEL + COLUMNS / 4;
	if (v->height < OTHERS + 1)
		v->height = OTHERS + 1;
}

/* Add to a column what comes after it. */
static void merge(struct column *into, const struct column *from)
{
	into->end = from->end;
	into->measured += from->measured;
	into->left_out += from->left_out;
	for (int i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
		into->counts[i] += from->counts[i];
}

/* The newest intervals. */
static void view_live(struct view *v)
{
	v->n = v->width - LABEL;
	if (v->n > heat.n)
		v->n = heat.n;
	v->columns = or_die(calloc(v->n + 1, sizeof(*v->columns)));
	for (unsigned int i = 0; i < v->n; i++)
		v->columns[i] = heat.columns[(heat.n - v->n + i) % COLUMNS];
}

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* How long a column is that is kept: most of them, for some are cut off or longer. */
static double usual_step(void)
{
	static double steps[COLUMNS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < heat.n; i++)
		if (heat.columns[i].left_out <= 0)
			steps[n++] = heat.columns[i].end - heat.columns[i].begin;
	qsort(steps, n, sizeof(steps[0]), compare_numbers);
	return n ? steps[n / 2] : 1;
}

/*
 * Make columns of `steps` that follow one another, and of gaps as many as are as long, to `to`
 * unless it is NULL. Returns how many.
 */
static unsigned int make_columns(unsigned int steps, double seconds, struct column *to)
{
	unsigned int n = 0, in_last = 0;

	for (unsigned int i = 0; i < heat.n; i++) {
		const struct column *c = &heat.columns[i];
		unsigned int gap = c->measured > 0 ? 0 : fmax(round(c->left_out / seconds), 1);

		in_last = gap ? 0 : in_last % steps + 1;
		if (to && in_last > 1)
			merge(&to[n - 1], c);
		else if (to)
			for (unsigned int g = 0; g < gap || g == 0; g++)
				to[n + g] = *c;
		n += gap ? gap : in_last == 1;
	}
	return n;
}

/* All of the time, each column as many steps as are needed for all to fit. */
static void view_archive(struct view *v)
{
	double step = usual_step();
	unsigned int steps = 1;

	while (make_columns(steps, steps * step, NULL) > v->width - LABEL && steps < COLUMNS)
		steps++;
	v->seconds = steps * step;
	v->n = make_columns(steps, v->seconds, NULL);
	v->columns = or_die(calloc(v->n, sizeof(*v->columns)));
	make_columns(steps, v->seconds, v->columns);
	if (v->n > v->width - LABEL) /* gaps everywhere */
		v->n = v->width - LABEL;
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
static void find_buckets(struct view *v)
{
	int rows = v->height - OTHERS;

	v->low = ESTAT_LATENCY_BUCKETS;
	v->high = -1;
	for (unsigned int i = 0; i < v->n; i++)
		for (int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
			if (!v->columns[i].counts[b])
				continue;
			v->low = b < v->low ? b : v->low;
			v->high = b > v->high ? b : v->high;
		}
	v->per_row = v->high < v->low ? 1 : (v->high - v->low) / rows + 1;
}

/* The lowest count of each level: equal steps of its logarithm, up to the highest count. */
static void find_levels(struct view *v)
{
	uint64_t most = 1;

	for (unsigned int i = 0; i < v->n; i++)
		for (int b = v->low; b <= v->high; b += v->per_row) {
			uint64_t n = cell(v, &v->columns[i], b);

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

static void print_cells(const struct view *v, int bucket)
{
	int last = 0;

	for (unsigned int i = 0; i < v->n; i++) {
		int l = level(v, cell(v, &v->columns[i], bucket));

		if (l != last)
			screen_colour(&heat.screen, l);
		last = l;
		putchar(shades[l]);
	}
	if (last)
		screen_colour(&heat.screen, 0);
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

/* When it began and ended, with dates if there is more than a day between. */
static void print_times(const struct view *v)
{
	const struct column *last = &v->columns[v->n - 1];
	bool days = last->end - v->columns[0].end > 86400;
	const char *format = days ? "%m/%d %H:%M" : "%H:%M:%S";
	char begin[32], end[32];
	int length;

	print_time(begin, sizeof(begin), format, v->columns[0].end);
	print_time(end, sizeof(end), format, last->end);
	length = strlen(end);
	if ((int)v->n > 2 * length)
		printf("%*s%*s", (int)(v->width - v->n) + length, begin, (int)v->n - length, end);
	else
		printf("%*s", (int)v->width, end);
}

/* What the shades mean; of those with the same count the highest. */
static void print_key(const struct view *v)
{
	printf("%*s", LABEL, "ops ");
	for (int i = 0; i < LEVELS; i++) {
		if (i + 1 < LEVELS && v->thresholds[i + 1] == v->thresholds[i])
			continue;
		screen_colour(&heat.screen, i + 1);
		putchar(shades[i + 1]);
		screen_colour(&heat.screen, 0);
		printf(" %" PRIu64 "  ", v->thresholds[i]);
	}
}

static void print_title(const struct view *v)
{
	double seconds = heat.s->archive ? v->seconds : heat.o->seconds;

	printf("%s on %s", heat.o->program, heat.s->host);
	for (unsigned int i = 0; i < heat.o->nfilters; i++)
		printf(", %s=%s", heat.o->filters[i].axis, heat.o->filters[i].glob);
	printf(seconds < 100 ? ": latency, a column is %.3g s" : ": latency, a column is %.0f s",
	       seconds);
}

/* Columns begin so far from the left that the newest is at the right edge. */
static void indent(const struct view *v)
{
	printf("%*s", (int)(v->width - LABEL - v->n), "");
}

/* The line below the cells: ! where nothing was measured, : where not all. */
static void print_axis(const struct view *v)
{
	printf("%*s+", LABEL - 1, "");
	for (unsigned int i = v->n; i < v->width - LABEL; i++)
		putchar('-');
	for (unsigned int i = 0; i < v->n; i++) {
		const struct column *c = &v->columns[i];

		putchar(c->left_out <= 0 ? '-' : c->measured > 0 ? ':' : '!');
	}
}

static void print_map(struct view *v)
{
	find_levels(v);
	for (int b = v->low + (v->high - v->low) / v->per_row * v->per_row; b >= v->low;
	     b -= v->per_row) {
		print_label(b);
		indent(v);
		print_cells(v, b);
		screen_newline(&heat.screen);
	}
	print_axis(v);
	screen_newline(&heat.screen);
	print_times(v);
	screen_newline(&heat.screen);
	print_key(v);
}

static void draw(void)
{
	struct view v = { 0 };

	measure(&v);
	if (heat.s->archive && heat.n)
		view_archive(&v);
	else
		view_live(&v);
	find_buckets(&v);
	screen_home(&heat.screen);
	print_title(&v);
	screen_newline(&heat.screen);
	if (v.high < v.low)
		fputs("no operations yet", stdout);
	else
		print_map(&v);
	screen_end(&heat.screen);
	free(v.columns);
}

/* Have half as many columns, each of two: an archive is longer than was known. */
static void halve(void)
{
	for (unsigned int i = 0; i < COLUMNS / 2; i++) {
		if (i)
			heat.columns[i] = heat.columns[2 * i];
		merge(&heat.columns[i], &heat.columns[2 * i + 1]);
	}
	heat.n = COLUMNS / 2;
	heat.unit *= 2;
}

static void add_column(const struct series *series, const struct interval *interval)
{
	struct column c = { .begin = interval->begin,
			    .end = interval->end,
			    .measured = interval->seconds,
			    .left_out = interval->left_out };

	for (unsigned int k = 0; k < series->nkeys; k++) {
		if (!selected(heat.o, series->keys[k]))
			continue;
		for (int i = 0; i < ESTAT_LATENCY_BUCKETS; i++)
			c.counts[i] += series->keys[k]->values.latency[i];
	}
	if (heat.taken++ % heat.unit) {
		merge(&heat.columns[heat.n - 1], &c);
		return;
	}
	if (heat.s->archive && heat.n == COLUMNS)
		halve();
	heat.columns[heat.n++ % COLUMNS] = c;
}

/* A signal wants the screen as it was, with the map on it. */
static void leave(void)
{
	if (!heat.screen.on)
		return;
	screen_leave(&heat.screen);
	draw();
}

/* Wait for the interval's end, and draw anew when the window has another size. */
static void wait_for_end(void)
{
	double end = fmin(heat.s->due + heat.o->seconds, source_end(heat.s));

	while (!sleep_until(end, heat.screen.keys) && !stopped) {
		if (suspended)
			screen_suspend(&heat.screen);
		else if (!resized && screen_quits(&heat.screen))
			stopped = 1;
		resized = suspended = 0;
		if (heat.screen.on)
			draw();
	}
}

static void watch(struct source *s, const struct series *series)
{
	struct interval interval;
	unsigned int samples = heat.o->samples;

	if (!samples && !s->archive && !heat.screen.on) {
		struct view v = { 0 };

		measure(&v);
		samples = v.width - LABEL;
	}
	while (!stopped && (!samples || heat.taken < samples)) {
		if (heat.screen.on)
			draw();
		if (!s->archive)
			wait_for_end();
		source_clear(s);
		if (source_step(s, heat.o->seconds, &interval) == INTERVAL_END)
			break;
		add_column(series, &interval);
	}
}

/* Operations that contain one another are in no map together. */
static void check_nested(const struct options *o, const struct series *series)
{
	const struct key *first = NULL;

	for (unsigned int k = 0; series->shown.nested && k < series->nkeys; k++) {
		char *name, *axis, *of_first, *axis_of_first;

		if (!selected(o, series->keys[k]))
			continue;
		first = first ? first : series->keys[k];
		title(o, &series->shown, first, &of_first, &axis_of_first);
		title(o, &series->shown, series->keys[k], &name, &axis);
		if (strcmp(name, of_first))
			die(EXIT_USAGE,
			    "rows of %s are parts of one another: choose one, by --filter",
			    o->program);
		free(name);
		free(axis);
		free(of_first);
		free(axis_of_first);
	}
}

int run_heat(struct options *o, struct source *s, const struct program *p)
{
	struct series *series;

	refuse_options(o, "mMclLzZqQyYtTPjJS", "it is a map");
	if (!p->nparts || p->parts[0].title)
		die(EXIT_NO_DATA, "%s has no latencies of its own%s%s", o->program,
		    p->nparts ? ", as has " : "", p->nparts ? p->parts[0].prefix + 6 : "");
	series = source_add(s, p->parts[0].prefix, READ_BASIC | READ_LATENCY, NULL);
	if (!series || !has(series, FIELD_LATENCY))
		die(EXIT_NO_DATA, "%s has no metric estat.%s.latency", s->where, o->module);
	if (!o->seconds)
		o->seconds = s->archive ? EACH_RECORD : 1;
	if (!source_begin(s))
		die(EXIT_NO_DATA, "%s has nothing of %s in this time", s->where, o->program);
	use_argument(o, series);
	check_selection(o, series);
	check_nested(o, series);
	heat.o = o;
	heat.s = s;
	heat.unit = 1;
	catch_signals(leave);
	if (screen_enter(&heat.screen, !s->archive))
		silent = true;
	watch(s, series);
	if (heat.screen.on)
		screen_leave(&heat.screen);
	if (!heat.n)
		die(EXIT_NO_DATA, "there is no interval to show");
	draw();
	return EXIT_SUCCESS;
}
