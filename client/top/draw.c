// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draws the screen of estat top except the table and the heat map: the lines of text above and
 * below them, and the help.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "top.h"
#include "view/terminal.h"

static const char *const help[] = {
	"space       pause or continue; plays an archive",
	"left right  one interval back or forward; [ ] ten; Home End first, last",
	"up down     select a row; PgUp PgDn a page",
	"< >         sort by the next figure to the left or right; leftmost: by name",
	"1 to 8      tell rows apart by this axis, or not",
	"/           filter by AXIS=GLOB..., such as op=write disk=sd*; empty: all rows",
	"f           filter by the values of the selected row",
	"h           heat map of the selected row, and back",
	"?           this help, and back to the table",
	"q           leave",
	"",
	"The line of a row has the p99 of the interval in view, at the right, and of",
	"earlier intervals. All lines have one logarithmic scale, from the lowest p99 to",
	"the highest. Blank: no p99. !: not measured. In a map, : is partly measured.",
	"A figure is - if it is unknown; a latency also if no operation has succeeded.",
	"now: operations under way at the interval's end; oldest: the age of the oldest.",
};

/* A text of limited length. append() cuts off what does not fit. */
struct text_line {
	char text[512];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text_line *l, const char *format,
							 ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(l->text + l->length, sizeof(l->text) - l->length, format, args);
	va_end(args);
	l->length += n > 0 ? n : 0;
	if (l->length > sizeof(l->text) - 1)
		l->length = sizeof(l->text) - 1;
}

/*
 * Append to the line whether the view is live, playing, paused or ended, and which interval is in
 * view: of an archive the interval's number, of a host how many intervals are newer.
 */
static void append_state(const struct top *t, struct text_line *l)
{
	const struct history *h = &t->history;

	if (t->s->archive) {
		append(l, "%s, interval %u", t->following ? "playing" : "paused", t->at + 1);
		if (h->ended)
			append(l, " of %u", h->known);
		return;
	}
	if (h->ended)
		append(l, "ended");
	else
		append(l, t->following ? "live" : "paused");
	if (h->n && t->at + 1 < h->first + h->n)
		append(l, ", %u back", h->first + h->n - 1 - t->at);
}

static void draw_title(const struct top *t)
{
	const struct frame *frame = history_frame(&t->history, t->at);
	const char *where = strrchr(t->s->where, '/');
	struct text_line left = { 0 }, right = { 0 };
	char time[64];
	int width, begin;

	append(&left, "%s on %s", t->o->name, t->s->host);
	if (t->s->archive)
		append(&left, " from %s", where ? where + 1 : t->s->where);
	if (frame) {
		print_time(time, sizeof(time), "%D %H:%M:%S %Z", frame->interval.end);
		append(&right, "%s, %.1f s, ", time,
		       frame->interval.seconds + frame->interval.left_out);
	}
	append_state(t, &right);
	width = text_width(right.text);
	begin = terminal_width() - width;
	if (begin <= text_width(t->o->name))
		begin = text_width(t->o->name) + 1;
	terminal_text(0, 0, begin - 1, LOOK_BOLD, left.text);
	terminal_text(0, begin, width, LOOK_BOLD, right.text);
}

/*
 * Append a number of missed events or dropped operations: `n` in the interval in view, `all` in all
 * intervals up to this one, as far as known. NAN: not known, printed as "?".
 */
static void append_number(struct text_line *l, const char *name, double n, double all)
{
	if (isnan(all))
		append(l, "%s ?", name);
	else if (isnan(n))
		append(l, "%s ?, %.0f before", name, all);
	else if (all > 0)
		append(l, "%s %.0f, %.0f in all", name, n, all);
	else
		append(l, "%s 0", name);
}

static void draw_lost(const struct top *t)
{
	const struct frame *frame = history_frame(&t->history, t->at);
	struct text_line l = { 0 };
	bool warning;

	if (!frame)
		return;
	warning = frame->why || frame->all_missed > 0 || frame->all_dropped > 0;
	append_number(&l, "missed", frame->missed, frame->all_missed);
	append_number(&l, ", dropped", frame->dropped, frame->all_dropped);
	if (frame->why && frame->interval.seconds > 0)
		append(&l, "; measured %.1f s of %.1f s: %s", frame->interval.seconds,
		       frame->interval.seconds + frame->interval.left_out, frame->why);
	else if (frame->why)
		append(&l, "; left out: %s", frame->why);
	terminal_text(1, 0, terminal_width(), warning ? LOOK_WARNING : LOOK_PLAIN, l.text);
}

static void draw_choices(const struct top *t)
{
	struct text_line l = { 0 };

	append(&l, "sort %s, by", t->o->sort);
	for (unsigned int i = 0; i < t->naxes; i++)
		append(&l, t->axes[i].by ? " [%u %s]" : " %u %s", i + 1, t->axes[i].name);
	for (unsigned int i = 0; i < t->o->nfilters; i++)
		append(&l, "%s %s=%s", i ? "" : ", only", t->o->filters[i].axis,
		       t->o->filters[i].glob);
	terminal_text(2, 0, terminal_width(), LOOK_PLAIN, l.text);
}

/* Draw the last line: the filters that the user is typing, else a message, else what keys do. */
static void draw_keys(const struct top *t)
{
	int y = terminal_height() - 1;
	struct text_line l = { 0 };

	if (t->typing)
		append(&l, "only AXIS=GLOB...: %s_", t->typed);
	else if (*t->message)
		append(&l, "%s", t->message);
	else if (t->view == VIEW_TABLE)
		append(&l,
		       "q leave  ? help  space pause  left right time  < > sort  1-%u by  "
		       "/ only  h heat",
		       t->naxes);
	else
		append(&l, t->view == VIEW_HEAT ? "q leave  h back  space pause  left right time"
						: "q leave  ? back");
	terminal_text(y, 0, terminal_width(), *t->message || t->typing ? LOOK_BOLD : LOOK_REVERSE,
		      l.text);
}

static void draw_help(void)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		if (TOP_ABOVE + 1 + (int)i < terminal_height() - TOP_BELOW)
			terminal_text(TOP_ABOVE + 1 + i, 0, terminal_width(), LOOK_PLAIN, help[i]);
}

void top_draw(struct top *t)
{
	terminal_begin();
	draw_title(t);
	draw_lost(t);
	draw_choices(t);
	if (t->view == VIEW_TABLE)
		top_draw_table(t);
	else if (t->view == VIEW_HEAT)
		top_draw_heat(t);
	else
		draw_help();
	draw_keys(t);
	terminal_end();
}
