// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat heat: latency over time. A column is an interval, the newest at the right. A row is one or
 * more latency buckets, the lowest at the bottom. The shade of a cell is its number of operations.
 * Below the map are two tracks (lines of each column's p99 and of its highest latency) and the
 * worst columns. The map of a host shows the newest intervals. The map of an archive shows the
 * whole time window to scale: a column may hold several intervals, and gaps have their true length.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/text.h"
#include "draw.h"
#include "heat.h"
#include "picture.h"
#include "source/filter.h"
#include "source/rows.h"
#include "source/title.h"
#include "view/picture.h"
#include "view/screen.h"

#define FIXED_LINES 5 /* lines for title, axis, times, legend, and an empty last line */
#define TRACKS      3 /* lines for p99, max, and their legend */
#define MAX_COLUMNS 2048
#define MUCH_ROOM   (ESTAT_LATENCY_BUCKETS + FIXED_LINES + TRACKS + WORST)

#define WITH_TRACKS 16 /* least height of a terminal (lines) that shows p99 and max */
#define WITH_WORST  22 /* least height of a terminal (lines) that shows the worst columns */

struct heat {
	const struct options *o;
	const struct source *s;
	struct screen screen;
	unsigned int nintervals; /* intervals read so far */
	struct timeline time;
};

static struct heat heat; /* global, because the signal thread restores the screen */

static void put(struct canvas *c, int shade, const char *text)
{
	static int last;

	(void)c;
	if (shade != last)
		screen_colour(&heat.screen, shade);
	last = shade;
	fputs(text, stdout);
}

static void newline(struct canvas *c)
{
	c->put(c, 0, "");
	screen_newline(&heat.screen);
}

/* The size and parts of a map that fit on the terminal. */
static struct canvas measure(void)
{
	unsigned int height = MUCH_ROOM, width = output_width(80);
	struct canvas c = { .put = put, .newline = newline };
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row)
		height = size.ws_row;
	c.tracks = height >= WITH_TRACKS;
	c.worst = height >= WITH_WORST;
	height -= (c.tracks ? TRACKS : 0) + (c.worst ? WORST : 0);
	c.rows = height > FIXED_LINES ? height - FIXED_LINES : 1;
	c.columns = width > MAP_LABEL + 10 ? width - MAP_LABEL : 10;
	c.columns = c.columns < MAX_COLUMNS ? c.columns : MAX_COLUMNS;
	return c;
}

static void draw(void)
{
	bool whole = heat.s->archive && heat.time.n;
	struct canvas canvas = measure();
	struct map m =
		map_make(whole ? timeline_columns(&heat.time, canvas.columns)
			       : timeline_newest(&heat.time, heat.o->seconds, canvas.columns),
			 canvas.rows);
	char *title = map_title(heat.o, heat.s->host, whole ? m.c.seconds : heat.o->seconds);

	screen_home(&heat.screen);
	fputs(title, stdout);
	screen_newline(&heat.screen);
	if (m.high < m.low)
		fputs("no operations yet", stdout);
	else
		map_draw(&m, &canvas);
	screen_end(&heat.screen);
	free(title);
	map_free(&m);
}

static void write_pictures(void)
{
	struct map m =
		map_make(timeline_columns(&heat.time, PICTURE_COLUMNS), ESTAT_LATENCY_BUCKETS);
	char *title = map_title(heat.o, heat.s->host, m.c.seconds);
	char *source = xasprintf("From %s %s.", heat.s->archive ? "the archive" : "the host",
				 source_name(heat.s));
	struct picture p = { .map = &m, .title = title, .source = source };

	if (m.low > m.high)
		die(EXIT_NO_DATA, "there were no operations: no picture is written");
	if (heat.o->svg)
		picture_svg(&p, heat.o->svg);
	if (heat.o->html)
		picture_html(&p, heat.o->html);
	free(source);
	free(title);
	map_free(&m);
}

static void add_column(const struct series *series, const struct interval *interval)
{
	struct column c = { .begin = interval->begin,
			    .end = interval->end,
			    .measured = interval->seconds,
			    .left_out = interval->left_out };

	rows_total(&c.values, heat.o, series);
	if (c.left_out > 0)
		c.why = xalloc(strdup(heat.s->why));
	heat.nintervals++;
	timeline_add(&heat.time, &c, !heat.s->archive);
}

/* The signal thread calls leave() before that thread ends the process. */
static void leave(void)
{
	if (!heat.screen.on)
		return;
	screen_leave(&heat.screen);
	draw();
}

/* Wait for the interval's end. Redraw after the terminal is resized or the process continues. */
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

	if (!samples && !s->archive && !heat.screen.on)
		samples = measure().columns;
	while (!stopped && (!samples || heat.nintervals < samples)) {
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

/* The first axis, other than pool, on which two keys have different values; "AXIS": none. */
static const char *differs_by(const struct key *a, const struct key *b)
{
	for (unsigned int i = 0; i < a->naxes; i++) {
		const char *axis = a->axes[i].name, *other = key_axis(b, axis);

		if (strcmp(axis, "pool") && other && strcmp(other, a->axes[i].value))
			return axis;
	}
	return "AXIS";
}

/*
 * Exit if the filters select several rows of a nested series: such rows can count the same
 * operations.
 */
static void check_nested(const struct options *o, const struct series *series)
{
	const struct key *first = NULL;
	char *name, *axis, *first_name = NULL;

	for (unsigned int k = 0; series->layout.nested && k < series->nkeys; k++) {
		const struct key *key = series->keys[k];

		if (!selected(o, key))
			continue;
		first = first ? first : key;
		title(o, &series->layout, key, &name, &axis);
		if (first_name && strcmp(name, first_name))
			die(EXIT_USAGE,
			    "rows of %s are parts of one another: choose one with --filter "
			    "%s=VALUE; seen were: %s",
			    o->name, differs_by(first, key),
			    values_seen(series, differs_by(first, key)));
		free(first_name);
		first_name = name;
		free(axis);
	}
	free(first_name);
}

/*
 * Exit, because no key has a latency histogram. `but`: which histogram the source has instead, or
 * "".
 */
__attribute__((noreturn)) static void has_no_histogram(const struct source *s,
						       const struct options *o, const char *but)
{
	die(EXIT_NO_DATA, "%s has no metric estat.%s.latency%s%s", source_name(s), o->module, but,
	    s->archive ? ": pmlogger records it with pmlogconf's group estat/all-histograms" : "");
}

/*
 * Add the module's first series with the latency histograms of its keys or, if the source lacks
 * these, with the histogram over all keys. Exits if the source has neither, or if the module has no
 * latencies of its own.
 */
static struct series *add_series(struct source *s, const struct options *o, const struct module *m)
{
	const enum reads reads = READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX;
	struct series *series;

	if (!m->nseries || m->series[0].title)
		die(EXIT_NO_DATA, "%s has no latencies of its own%s%s", o->name,
		    m->nseries ? ": use " : "", m->nseries ? m->series[0].prefix + 6 : "");
	series = source_require(s, m->series[0].prefix, reads, NULL);
	source_add_total(s, series);
	if (!has(series->total ? series->total : series, FIELD_LATENCY))
		has_no_histogram(s, o, "");
	return series;
}

int run_heat(struct options *o, struct source *s, const struct module *m)
{
	struct series *series;

	refuse_options(o, "mMclLzZqQyYtTPjJSBe", "it is a map");
	series = add_series(s, o, m);
	if (!o->seconds)
		o->seconds = s->archive ? EACH_RECORD : 1;
	if (!source_begin(s))
		source_has_nothing(s->where, o->name);
	use_argument(o, series);
	check_selection(o, s, series);
	check_nested(o, series);
	if (series->total && !selects_all(o, series))
		has_no_histogram(s, o, ", only one over all keys");
	if (o->svg)
		picture_check(o->svg);
	if (o->html)
		picture_check(o->html);
	heat.o = o;
	heat.s = s;
	catch_signals(leave);
	if (screen_enter(&heat.screen, !s->archive))
		silent = true;
	watch(s, series);
	if (heat.screen.on)
		screen_leave(&heat.screen);
	if (!heat.time.n)
		die(EXIT_NO_DATA, "there is no interval to show");
	draw();
	if (o->svg || o->html)
		write_pictures();
	return EXIT_SUCCESS;
}
