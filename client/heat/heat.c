// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat heat: latency over time. A column is an interval, the newest at the right; a row is
 * a bucket, or some, the lowest at the bottom; a cell's shade and colour is how many
 * operations took so long. Below are tracks of p99 and the highest latency, and which columns
 * are the worst. A live map shows the newest intervals; that of an archive has all of its time,
 * if need be several intervals a column, and gaps as long as they are.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/signals.h"
#include "heat.h"
#include "lib/histogram.h"
#include "picture.h"
#include "source/filter.h"
#include "source/title.h"
#include "view/screen.h"

#define LABEL     9    /* width of what is left of the columns */
#define OTHERS    5    /* lines that are no buckets, and the one below */
#define TRACKS    3    /* lines of p99 and max, and what they mean */
#define MOST      2048 /* columns */
#define MUCH_ROOM (ESTAT_LATENCY_BUCKETS + OTHERS + TRACKS + WORST)

/* The least height of a terminal that has room for tracks, and for the worst columns. */
#define WITH_TRACKS 16
#define WITH_WORST  22

/* Of the tracks, where the terminal has them, and else. */
static const char *const bars[LEVELS + 1] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const digits[LEVELS + 1] = { " ", "1", "2", "3", "4", "5", "6", "7", "8" };

struct heat {
	const struct options *o;
	const struct source *s;
	struct screen screen;
	const char *const *marks; /* of the tracks: bars or digits */
	unsigned int taken;       /* intervals that there were */
	struct timeline time;
};

/* How much room there is. */
struct room {
	unsigned int columns, rows; /* of the map */
	bool tracks, worst;
};

static struct heat heat; /* what a signal leaves the screen of */

static struct room measure(void)
{
	unsigned int height = MUCH_ROOM, width = output_width(80);
	struct room room;
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row)
		height = size.ws_row;
	room.tracks = height >= WITH_TRACKS;
	room.worst = height >= WITH_WORST;
	height -= (room.tracks ? TRACKS : 0) + (room.worst ? WORST : 0);
	room.rows = height > OTHERS ? height - OTHERS : 1;
	room.columns = width > LABEL + 10 ? width - LABEL : 10;
	room.columns = room.columns < MOST ? room.columns : MOST;
	return room;
}

static void print_cells(const struct map *m, int bucket)
{
	int last = 0;

	for (unsigned int i = 0; i < m->c.n; i++) {
		int l = shade_of(m->thresholds, map_cell(m, &m->c.columns[i], bucket));

		if (l != last)
			screen_colour(&heat.screen, l);
		last = l;
		putchar(shades[l]);
	}
	if (last)
		screen_colour(&heat.screen, 0);
}

/* Columns begin so far from the left that the newest is at the right edge. */
static void indent(const struct map *m, const struct room *room, char with)
{
	for (unsigned int i = m->c.n; i < room->columns; i++)
		putchar(with);
}

static void print_rows(const struct map *m, const struct room *room)
{
	for (int b = map_top(m); b >= m->low; b -= m->per_row) {
		char text[32];

		printf("%*s |", LABEL - 2,
		       map_latency(text, sizeof(text), bucket_edge(HISTOGRAM_LATENCY, b), 3));
		indent(m, room, ' ');
		print_cells(m, b);
		screen_newline(&heat.screen);
	}
}

/* What the line below the cells says of a column. */
static char sign(const struct map *m, unsigned int i, double tick)
{
	const struct column *c = &m->c.columns[i];

	if (c->left_out > 0)
		return c->measured > 0 ? ':' : '!';
	if (c->from && c->measured <= 0)
		return c->from < 0 ? '<' : '>';
	return map_has_tick(m, i, tick) ? '+' : '-';
}

static void print_axis(const struct map *m, const struct room *room, double tick)
{
	printf("%*s+", LABEL - 1, "");
	indent(m, room, '-');
	for (unsigned int i = 0; i < m->c.n; i++)
		putchar(sign(m, i, tick));
	screen_newline(&heat.screen);
}

/* The times of the begin and of ticks, and that of the end, at the right edge. */
static void print_times(const struct map *m, const struct room *room, double tick)
{
	const char *format = map_format(m);
	unsigned int length, next = 0, offset = LABEL + room->columns - m->c.n;
	unsigned int width = LABEL + room->columns;
	char line[LABEL + MOST + 1], text[32];

	memset(line, ' ', width);
	line[width] = '\0';
	print_time(text, sizeof(text), format, m->c.columns[m->c.n - 1].end);
	length = strlen(text);
	memcpy(line + width - length, text, length);
	for (unsigned int i = 0; i < m->c.n; i++) {
		unsigned int at = offset + i;

		if ((i && !map_has_tick(m, i, tick)) || at < next || at + 2 * length + 2 > width)
			continue;
		print_time(text, sizeof(text), format, map_begin(m, i));
		memcpy(line + at, text, length);
		next = at + length + 2;
	}
	fputs(line, stdout);
	screen_newline(&heat.screen);
}

static void print_track(const struct map *m, const struct room *room, const char *name,
			const double *values)
{
	printf("%*s |", LABEL - 2, name);
	indent(m, room, ' ');
	for (unsigned int i = 0; i < m->c.n; i++)
		fputs(heat.marks[map_place(m, values[i])], stdout);
	screen_newline(&heat.screen);
}

/* "     p99, max: 1 from 35us, 2 68.8us, ..." */
static void print_tracks(const struct map *m, const struct room *room)
{
	unsigned int used = LABEL, width = LABEL + room->columns;
	char text[32];

	print_track(m, room, "p99", m->p99);
	print_track(m, room, "max", m->max);
	printf("%*s", LABEL, "from ");
	for (int i = 1; i <= LEVELS && used + 7 <= width; i++) {
		map_latency(text, sizeof(text), map_place_from(m, i), 2);
		printf("%s %-5s ", heat.marks[i], text);
		used += 8;
	}
	screen_newline(&heat.screen);
}

/* What the shades mean; of those with the same count the highest. */
static void print_key(const struct map *m)
{
	printf("%*s", LABEL, "ops ");
	for (int l = 1; l <= LEVELS; l++) {
		if (!shade_in_legend(m->thresholds, l))
			continue;
		screen_colour(&heat.screen, l);
		putchar(shades[l]);
		screen_colour(&heat.screen, 0);
		printf(" %" PRIu64 "  ", m->thresholds[l - 1]);
	}
}

static void print_worst(const struct map *m)
{
	for (unsigned int w = 0; w < m->nworst; w++) {
		unsigned int i = m->worst[w];
		char times[80], p99[32], max[32];
		uint64_t n = 0;

		for (int b = 0; b < ESTAT_LATENCY_BUCKETS; b++)
			n += m->c.columns[i].values.latency[b];
		map_times(m, i, times, sizeof(times));
		screen_newline(&heat.screen);
		printf("%*s%s  max %s  p99 %s  %" PRIu64 " ops", LABEL, w ? "" : "worst ", times,
		       map_latency(max, sizeof(max), m->max[i], 3),
		       map_latency(p99, sizeof(p99), m->p99[i], 3), n);
	}
}

static void print_map(const struct map *m, const struct room *room)
{
	double tick = map_tick(m, 2 + strlen("00:00:00") + 3 * (m->c.seconds * m->c.n > 86400));

	print_rows(m, room);
	print_axis(m, room, tick);
	print_times(m, room, tick);
	if (room->tracks)
		print_tracks(m, room);
	print_key(m);
	if (room->worst)
		print_worst(m);
}

static void draw(void)
{
	bool whole = heat.s->archive && heat.time.n;
	struct room room = measure();
	struct map m = map_make(whole ? timeline_columns(&heat.time, room.columns)
				      : timeline_newest(&heat.time, heat.o->seconds, room.columns),
				room.rows);
	char *title = map_title(heat.o, heat.s->host, whole ? m.c.seconds : heat.o->seconds);

	screen_home(&heat.screen);
	fputs(title, stdout);
	screen_newline(&heat.screen);
	if (m.high < m.low)
		fputs("no operations yet", stdout);
	else
		print_map(&m, &room);
	screen_end(&heat.screen);
	free(title);
	map_free(&m);
}

/* The files that are wanted, with as much detail as they have room for. */
static void write_pictures(void)
{
	struct map m =
		map_make(timeline_columns(&heat.time, PICTURE_COLUMNS), ESTAT_LATENCY_BUCKETS);
	char *title = map_title(heat.o, heat.s->host, m.c.seconds), *source = NULL;
	struct picture p = { .map = &m, .title = title };

	if (asprintf(&source, "From %s %s.", heat.s->archive ? "the archive" : "the host",
		     heat.s->archive ? heat.s->where : heat.s->host) < 0)
		xalloc(NULL);
	p.source = source;
	if (m.low > m.high)
		die(EXIT_NO_DATA, "there were no operations, so there is no picture");
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

	add_total(heat.o, series, &c.values);
	if (c.left_out > 0)
		c.why = xalloc(strdup(heat.s->why));
	for (unsigned int k = 0; k < series->nkeys; k++)
		if (selected(heat.o, series->keys[k]))
			values_add(&c.values, &series->keys[k]->values);
	heat.taken++;
	timeline_add(&heat.time, &c, !heat.s->archive);
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

	if (!samples && !s->archive && !heat.screen.on)
		samples = measure().columns;
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

/* The axis by which two keys differ, other than pools. */
static const char *differs_by(const struct key *a, const struct key *b)
{
	for (unsigned int i = 0; i < a->naxes; i++) {
		const char *axis = a->axes[i].name, *other = key_axis(b, axis);

		if (strcmp(axis, "pool") && other && strcmp(other, a->axes[i].value))
			return axis;
	}
	return "AXIS";
}

/* Operations that contain one another are in no map together. */
static void check_nested(const struct options *o, const struct series *series)
{
	const struct key *first = NULL;

	for (unsigned int k = 0; series->layout.nested && k < series->nkeys; k++) {
		char *name, *axis, *of_first, *axis_of_first;

		if (!selected(o, series->keys[k]))
			continue;
		first = first ? first : series->keys[k];
		title(o, &series->layout, first, &of_first, &axis_of_first);
		title(o, &series->layout, series->keys[k], &name, &axis);
		if (strcmp(name, of_first)) {
			const char *by = differs_by(first, series->keys[k]);

			die(EXIT_USAGE,
			    "rows of %s are parts of one another: choose one, by --filter "
			    "%s=...; seen were: %s",
			    o->name, by, values_seen(series, by));
		}
		free(name);
		free(axis);
		free(of_first);
		free(axis_of_first);
	}
}

/* Exit, and say what would help. */
__attribute__((noreturn)) static void has_no_histogram(const struct source *s,
						       const struct options *o, const char *but)
{
	die(EXIT_NO_DATA, "%s has no metric estat.%s.latency%s%s", s->where, o->module, but,
	    s->archive ? ": pmlogger records it with pmlogconf's group estat/all-histograms" : "");
}

/* The series, with histograms of each key, or over all. */
static struct series *add_series(struct source *s, const struct options *o, const struct module *p)
{
	const enum reads reads = READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX;
	struct series *series;

	if (!p->nparts || p->parts[0].title)
		die(EXIT_NO_DATA, "%s has no latencies of its own%s%s", o->name,
		    p->nparts ? ", as has " : "", p->nparts ? p->parts[0].prefix + 6 : "");
	series = source_require(s, p->parts[0].prefix, reads, NULL);
	source_add_total(s, series);
	if (!has(series->total ? series->total : series, FIELD_LATENCY))
		has_no_histogram(s, o, "");
	return series;
}

int run_heat(struct options *o, struct source *s, const struct module *p)
{
	struct series *series;

	refuse_options(o, "mMclLzZqQyYtTPjJSBe", "it is a map");
	series = add_series(s, o, p);
	if (!o->seconds)
		o->seconds = s->archive ? EACH_RECORD : 1;
	if (!source_begin(s))
		source_has_nothing(s->where, o->name);
	use_argument(o, series);
	check_selection(o, series);
	check_nested(o, series);
	if (series->total && !selects_all(o, series))
		has_no_histogram(s, o, ", but of all keys together");
	if (o->svg)
		picture_check(o->svg);
	if (o->html)
		picture_check(o->html);
	heat.o = o;
	heat.s = s;
	heat.marks = screen_has_utf8() ? bars : digits;
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
