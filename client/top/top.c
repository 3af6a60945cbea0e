// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat top: the rows of a module on a whole screen. Pressed keys sort, group and filter rows and
 * choose the interval in view. Intervals of a host are read while an old interval is in view, too.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "source/filter.h"
#include "source/title.h"
#include "top.h"
#include "view/terminal.h"

#define PLAY 1.0 /* seconds for which a played archive shows each interval */

__attribute__((format(printf, 2, 3))) static void say(struct top *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	va_end(args);
}

/*
 * Load interval `number`, and the earlier intervals that are drawn beside it. Returns what
 * history_find() returns.
 */
static bool find(struct top *t, unsigned int number)
{
	return history_find(&t->history, number, top_intervals(t));
}

/* Pause, and view the interval with this number or, if it is not available, the nearest one. */
static void go_to(struct top *t, double number)
{
	struct history *h = &t->history;
	unsigned int lowest = t->s->archive ? 0 : h->first;

	t->following = false;
	if (number < lowest) {
		say(t, t->s->archive || !lowest ? "This is the first interval."
						: "Earlier intervals are no longer in memory.");
		number = lowest;
	}
	if (!find(t, number)) {
		say(t, h->ended || t->s->archive ? "This is the last interval."
						 : "This is the newest interval.");
		number = h->known ? h->known - 1 : 0;
		find(t, number);
	}
	t->at = number;
	top_find_rows(t);
}

/*
 * View the last interval. An archive is first read to its end; of a host the view then follows the
 * newest interval.
 */
static void go_to_end(struct top *t)
{
	while (t->s->archive && !stopped && history_step(&t->history))
		;
	go_to(t, t->history.known ? t->history.known - 1 : 0);
	t->following = !t->s->archive;
}

/* Read the next interval of a host, or go to the next interval of a playing archive. */
static void go_on(struct top *t)
{
	struct history *h = &t->history;

	t->next = clock_time() + PLAY;
	if (t->s->archive) {
		if (find(t, t->at + 1)) {
			t->at++;
		} else {
			t->following = false;
			say(t, "This is the last interval.");
		}
	} else if (history_step(h)) {
		if (t->following)
			t->at = h->known - 1;
	}
	if (t->at < h->first) {
		t->at = h->first;
		say(t, "Earlier intervals are no longer in memory.");
	}
	top_find_rows(t);
}

/* Copy the selected row to t->chosen, so that the selection follows the row. */
static void choose(struct top *t)
{
	free(t->chosen.name);
	free(t->chosen.axis);
	t->chosen = (struct row){ 0 };
	if (t->selected >= t->rows.n)
		return;
	t->chosen = t->rows.rows[t->selected];
	t->chosen.name = xalloc(strdup(t->chosen.name));
	t->chosen.axis = xalloc(strdup(t->chosen.axis));
}

static void select_row(struct top *t, int by)
{
	int to = (int)t->selected + by;

	if (to >= (int)t->rows.n)
		to = (int)t->rows.n - 1;
	t->selected = to < 0 ? 0 : to;
	choose(t);
}

static void choose_axes(struct top *t)
{
	t->o->nby = 0;
	for (unsigned int i = 0; i < t->naxes; i++)
		if (t->axes[i].by)
			t->o->by[t->o->nby++] = t->axes[i].name;
}

static void change_rows(struct top *t)
{
	choose_axes(t);
	t->drawing++;
	t->nnumbers = 0;
	top_find_rows(t);
}

static void toggle_axis(struct top *t, unsigned int axis)
{
	if (axis >= t->naxes)
		return;
	if (t->axes[axis].must) {
		say(t,
		    "Some rows are parts of rows of another %s: this axis cannot be switched off.",
		    t->axes[axis].name);
		return;
	}
	t->axes[axis].by = !t->axes[axis].by;
	change_rows(t);
}

static void sort_beside(struct top *t, int by)
{
	t->o->sort = top_sort_beside(t, by);
	top_find_rows(t);
}

static bool knows_axis(const struct top *t, const char *name)
{
	for (unsigned int i = 0; i < t->naxes; i++)
		if (!strcmp(t->axes[i].name, name))
			return true;
	return false;
}

static bool is_known(const struct top *t, const char *axis, const char *glob)
{
	bool known = false;

	for (unsigned int p = 0; p < t->history.nseries; p++)
		known |= series_matches(t->history.series[p], axis, glob);
	return known;
}

/*
 * Replace the "=" of "AXIS=GLOB" by a NUL, and return the glob. On an error, set t->message and
 * return NULL.
 */
static char *check_word(struct top *t, char *word)
{
	char *glob = strchr(word, '='), *seen;

	if (!glob || !glob[1]) {
		say(t, "'%s' is not AXIS=GLOB, such as op=write.", word);
		return NULL;
	}
	*glob++ = '\0';
	if (is_known(t, word, glob))
		return glob;
	seen = values_seen(t->history.series[0], knows_axis(t, word) ? word : NULL);
	if (knows_axis(t, word))
		say(t, "No %s is %s; seen were: %s", word, glob, seen);
	else
		say(t, "There is no axis %s; the axes are: %s", word, seen);
	free(seen);
	return NULL;
}

/*
 * Use the typed filters: words AXIS=GLOB. o->filters point into t->filter_text. If a word is wrong,
 * or if more than MAX_FILTERS words are typed, show a message, and leave the filters as they are.
 */
static void use_typed(struct top *t)
{
	char *text = xalloc(strdup(t->typed)), *word, *rest = text, *glob;
	struct filter filters[MAX_FILTERS];
	unsigned int n = 0;

	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		glob = n < MAX_FILTERS ? check_word(t, word) : NULL;
		if (n == MAX_FILTERS)
			say(t, "More than %d filters are typed.", MAX_FILTERS);
		if (!glob) {
			free(text);
			return;
		}
		filters[n++] = (struct filter){ word, glob };
	}
	memcpy(t->o->filters, filters, n * sizeof(*filters));
	t->o->nfilters = n;
	free(t->filter_text);
	t->filter_text = text;
	change_rows(t);
}

/* Append a filter to t->typed, with "?" for blanks. `literal`: wildcards of `glob` are escaped. */
static void type_filter(struct top *t, const char *axis, const char *glob, bool literal)
{
	size_t n = strlen(t->typed);

	n += snprintf(t->typed + n, sizeof(t->typed) - n, "%s%s=", n ? " " : "", axis);
	for (; *glob && n + 3 < sizeof(t->typed); glob++) {
		if (literal && strchr("*?[\\", *glob))
			t->typed[n++] = '\\';
		t->typed[n++] = *glob == ' ' ? '?' : *glob;
	}
	if (n < sizeof(t->typed))
		t->typed[n] = '\0';
}

static void type_filters(struct top *t)
{
	*t->typed = '\0';
	for (unsigned int i = 0; i < t->o->nfilters; i++)
		type_filter(t, t->o->filters[i].axis, t->o->filters[i].glob, false);
	t->typing = true;
}

/* Filter by the selected row's values on the axes o->by. Remove older filters on these axes. */
static void filter_row(struct top *t)
{
	const struct row *row = &t->rows.rows[t->selected];

	if (t->selected >= t->rows.n)
		return;
	*t->typed = '\0';
	for (unsigned int i = 0; i < t->o->nfilters; i++) {
		bool replaced = false;

		for (unsigned int a = 0; a < t->o->nby; a++)
			replaced |= !strcmp(t->o->filters[i].axis, t->o->by[a]);
		if (!replaced)
			type_filter(t, t->o->filters[i].axis, t->o->filters[i].glob, false);
	}
	for (unsigned int i = 0; i < row->naxes; i++)
		for (unsigned int a = 0; a < t->o->nby; a++)
			if (!strcmp(row->axes[i].name, t->o->by[a]))
				type_filter(t, row->axes[i].name, row->axes[i].value, true);
	use_typed(t);
}

static void type(struct top *t, int key)
{
	size_t n = strlen(t->typed);

	if (key == TERMINAL_ENTER || key == TERMINAL_ESCAPE) {
		t->typing = false;
		if (key == TERMINAL_ENTER)
			use_typed(t);
	} else if (key == TERMINAL_ERASE) {
		while (n && (t->typed[--n] & 0xc0) == 0x80) /* erase a whole UTF-8 character */
			;
		t->typed[n] = '\0';
	} else if (key == TERMINAL_CLEAR) {
		*t->typed = '\0';
	} else if (key >= ' ' && key < 256 && n + 1 < sizeof(t->typed)) {
		t->typed[n] = key;
		t->typed[n + 1] = '\0';
	}
}

static void show_heat(struct top *t)
{
	t->view = t->view == VIEW_HEAT ? VIEW_TABLE : VIEW_HEAT;
	if (t->view == VIEW_HEAT)
		choose(t);
	if (t->view == VIEW_HEAT && !t->chosen.name) {
		say(t, "There is no row to draw a map of.");
		t->view = VIEW_TABLE;
	}
	if (t->history.n)
		find(t, t->at); /* the map may need more intervals in memory than the table */
}

static void pause_or_go(struct top *t)
{
	t->following = !t->following &&
		       !(t->s->archive ? t->at + 1 == t->history.known && t->history.ended
				       : t->history.ended);
	t->next = clock_time();
	if (t->following && !t->s->archive && t->history.known)
		t->at = t->history.known - 1;
	top_find_rows(t);
}

/* Handle a key that pauses, continues or chooses an interval. Returns false for any other key. */
static bool press_time(struct top *t, int key)
{
	double at = t->at;

	if (key == ' ')
		pause_or_go(t);
	else if (key == TERMINAL_LEFT)
		go_to(t, at - 1);
	else if (key == TERMINAL_RIGHT)
		go_to(t, at + 1);
	else if (key == '[')
		go_to(t, at - 10);
	else if (key == ']')
		go_to(t, at + 10);
	else if (key == TERMINAL_HOME)
		go_to(t, t->s->archive ? 0 : t->history.first);
	else if (key == TERMINAL_END)
		go_to_end(t);
	else
		return false;
	return true;
}

static void press_table(struct top *t, int key)
{
	if (key == TERMINAL_UP)
		select_row(t, -1);
	else if (key == TERMINAL_DOWN)
		select_row(t, 1);
	else if (key == TERMINAL_PAGE_UP)
		select_row(t, -(int)top_lines());
	else if (key == TERMINAL_PAGE_DOWN)
		select_row(t, top_lines());
	else if (key == '<')
		sort_beside(t, -1);
	else if (key == '>')
		sort_beside(t, 1);
	else if (key == '/')
		type_filters(t);
	else if (key == 'f')
		filter_row(t);
	else if (key >= '1' && key <= '0' + MAX_AXES)
		toggle_axis(t, key - '1');
}

static void press(struct top *t, int key)
{
	*t->message = '\0';
	if (key == TERMINAL_LOST || (key == 'q' && !t->typing))
		stopped = 1;
	else if (t->typing)
		type(t, key);
	else if (key == '?')
		t->view = t->view == VIEW_HELP ? VIEW_TABLE : VIEW_HELP;
	else if (key == TERMINAL_ESCAPE)
		t->view = VIEW_TABLE;
	else if (key == 'h')
		show_heat(t);
	else if (!press_time(t, key) && t->view == VIEW_TABLE)
		press_table(t, key);
}

/*
 * Wait until it is time for go_on(), a key is pressed or a signal comes. Returns true if it is time
 * for go_on().
 */
static bool wait_for_end(const struct top *t)
{
	bool has_end = t->s->archive ? t->following : !t->history.ended;
	double until = clock_time() + 3600;

	if (has_end)
		until = t->s->archive ? t->next : fmin(t->s->due + t->o->seconds, source_end(t->s));
	return sleep_until(until, true) && has_end && clock_time() >= until;
}

static void watch(struct top *t)
{
	int key;

	while (!stopped) {
		top_draw(t);
		if (wait_for_end(t))
			go_on(t);
		if (suspended)
			terminal_suspend();
		if (suspended || resized) {
			suspended = resized = 0;
			terminal_resize();
			if (t->history.n)
				find(t, t->at);
			top_find_rows(t);
		}
		while (!stopped && (key = terminal_key()) != TERMINAL_NONE)
			press(t, key);
	}
}

/*
 * Add a series' axes. A row of a nested series can include other rows, so rows cannot be added up.
 * The axes in a nested layout's template of rows' names get .must: neither pressed keys nor --by
 * merge rows that differ on such an axis.
 */
static void add_axes(struct top *t, const struct layout *layout)
{
	for (unsigned int i = 0; i < layout->naxes; i++) {
		bool must = layout->nested && title_has(layout->name, layout->axes[i]);
		bool by = must || !t->o->given['B'];

		if (knows_axis(t, layout->axes[i]) || t->naxes == MAX_AXES)
			continue;
		for (unsigned int b = 0; b < t->o->nby && !by; b++)
			by = !strcmp(t->o->by[b], layout->axes[i]);
		t->axes[t->naxes++] = (struct top_axis){
			.name = layout->axes[i],
			.by = by,
			.must = must,
		};
	}
}

static void add_series(struct top *t)
{
	struct history *h = &t->history;

	h->s = t->s;
	h->module = t->o->module;
	h->samples = t->o->samples;
	for (unsigned int i = 0; i < t->module->nseries; i++)
		h->series[h->nseries++] = source_require(
			t->s, t->module->series[i].prefix,
			READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX | READ_UNDER_WAY, NULL);
	h->modules = source_add_missed(t->s);
	if (!t->o->seconds)
		t->o->seconds = t->s->archive                    ? EACH_RECORD
				: h->series[0]->layout.every > 0 ? h->series[0]->layout.every
								 : 1;
	h->seconds = t->o->seconds;
}

int run_top(struct options *o, struct source *s, const struct module *m)
{
	struct top t = { .o = o, .s = s, .module = m, .drawing = 1 };

	refuse_options(o, "mMclLzZqQyYtTPjJe", "it is a screen");
	if (!m->nseries)
		die(EXIT_NO_DATA, "%s has event records and no operations: use estat %s", o->name,
		    o->name);
	terminal_check();
	add_series(&t);
	if (!source_begin(s))
		source_has_nothing(s->where, o->name);
	use_argument(o, t.history.series[0]);
	t.nested = t.history.series[0]->layout.nested;
	for (unsigned int i = 0; i < m->nseries; i++)
		add_axes(&t, &t.history.series[i]->layout);
	choose_axes(&t);
	check_selection(o, s, t.history.series[0]);
	if (!o->sort)
		o->sort = "p99";
	silent = true;
	terminal_enter();
	history_begin(&t.history);
	t.following = !s->archive;
	if (s->archive && find(&t, 0))
		top_find_rows(&t);
	watch(&t);
	terminal_leave();
	silent = false;
	if (*s->damage)
		note("%s", s->damage);
	return EXIT_SUCCESS;
}
