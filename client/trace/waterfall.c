// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draws journeys as SVG: a row for each span, with a line for all of the span and, on the line,
 * boxes for its parts.
 */
#include <stdlib.h>
#include <string.h>

#include "journeys.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "view/picture.h"

/* Distances in pixels. */
#define MARGIN 12
#define TOP    36
#define LEGEND 24  /* height of a line of the legend, pixels */
#define KEY    110 /* width of a stage in the legend, pixels */
#define LABEL  400 /* width of the names of spans, pixels */
#define PLOT   680 /* width of the time line of a journey, pixels */
#define TIMES  96  /* width of the column with the spans' times, pixels */
#define WIDTH  (2 * MARGIN + LABEL + PLOT + TIMES)
#define TITLE  22 /* height of a journey's title, pixels */
#define HIGH   18 /* height of a row, pixels */
#define AXIS   40 /* height of a journey's axis, with the gap to the next journey, pixels */
#define TICKS  4
#define LETTER 6.6 /* about the width of a character, pixels */
#define INDENT 12
#define HUES   10

#define LEFT   (MARGIN + LABEL)
#define KEYS   ((WIDTH - 2 * MARGIN) / KEY) /* how many stages fit into a line of the legend */

static const char style[] =
	".trace{font:12px system-ui,sans-serif;--line:#c3ccd5}.trace text{fill:var(--text)}"
	".trace .name{font:11px ui-monospace,monospace}.trace .end{text-anchor:end}"
	".trace .mid{text-anchor:middle}.trace .title{font-weight:600}"
	".span{fill:var(--line)}.grid{stroke:var(--line);stroke-width:.5}.back{fill:transparent}"
	".row:hover .back{fill:var(--line);fill-opacity:.35}.part:hover{stroke:var(--text)}"
	".h0{fill:#4a78cc}.h1{fill:#ef9f5b}.h2{fill:#3db597}.h3{fill:#b04a9a}.h4{fill:#d9b23c}"
	".h5{fill:#d35b57}.h6{fill:#6fb04a}.h7{fill:#8d6cc7}.h8{fill:#4fa9c9}.h9{fill:#9c7a5a}"
	"@media(prefers-color-scheme:dark){.trace{--line:#3a4652}}";

struct drawing {
	FILE *f;
	const struct journeys *all;
	const struct journey *journey; /* the journey that is being drawn */
	double y;                      /* the top of the next row */
	unsigned int nkeys;
	const char **keys; /* names of the parts, in the order in which they are met */
};

static unsigned int key_of(struct drawing *d, const struct stage *s)
{
	const char *name = stage_text(d->all, s, "stage");
	unsigned int i;

	for (i = 0; i < d->nkeys; i++)
		if (!strcmp(d->keys[i], name))
			return i;
	d->keys = grow(d->keys, d->nkeys, sizeof(*d->keys));
	d->keys[d->nkeys++] = name;
	return i;
}

static double width_of(const struct drawing *d, double ns)
{
	return d->journey->elapsed > 0 ? PLOT * ns / d->journey->elapsed : 0;
}

static void put_time(FILE *f, double ns)
{
	char text[FORMAT_LEN];

	fputs(format_latency(text, ns / 1000, 3), f);
}

/*
 * Write a stage's <title>: the stage's name and times and, for a whole span, all parameters of the
 * stage's record.
 */
static void put_title(const struct drawing *d, const struct stage *s)
{
	const struct records *r = &d->all->records;
	char *name = stage_name(d->all, s);

	fputs("<title>", d->f);
	picture_put(d->f, name);
	fputs(": ", d->f);
	put_time(d->f, s->time);
	fputs(", begins after ", d->f);
	put_time(d->f, s->since);
	for (unsigned int i = 0; i < r->nparameters && s->whole; i++) {
		if (!s->record.texts[i])
			continue;
		fprintf(d->f, "\n%s: ", r->parameters[i].name);
		picture_put(d->f, s->record.texts[i]);
	}
	fputs("</title>", d->f);
	free(name);
}

/* Write a text that is cut if it is wider than `width`. `at`: attributes of the element. */
static void put_text(FILE *f, const char *at, double x, double y, double width, const char *text)
{
	fprintf(f, "<text %s x=\"%.1f\" y=\"%.0f\">", at, x, y);
	picture_put_cut(f, text, width / LETTER);
	fputs("</text>", f);
}

static void put_part(struct drawing *d, const struct stage *s)
{
	fprintf(d->f,
		"<rect class=\"part h%u\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\">",
		key_of(d, s) % HUES, LEFT + width_of(d, s->since), d->y + 3, width_of(d, s->time),
		HIGH - 6);
	put_title(d, s);
	fputs("</rect>", d->f);
}

/*
 * Write a span as a row with its parts. journey_walk() calls put_row() for each span and each part;
 * a call for a part draws nothing.
 */
static void put_row(void *context, const struct stage *s, int depth)
{
	struct drawing *d = context;
	const struct journey *j = d->journey;
	char time[FORMAT_LEN], *name;

	if (!s->whole)
		return;
	name = stage_name(d->all, s);
	fputs("<g class=\"row\">", d->f);
	put_title(d, s);
	fprintf(d->f, "<rect class=\"back\" x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%d\"/>",
		MARGIN, d->y, WIDTH - 2 * MARGIN, HIGH);
	put_text(d->f, "class=\"name\"", MARGIN + depth * INDENT, d->y + 13, LABEL - depth * INDENT,
		 name);
	fprintf(d->f, "<rect class=\"span\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"4\"/>",
		LEFT + width_of(d, s->since), d->y + 7, width_of(d, s->time));
	for (unsigned int i = 0; i < j->n; i++)
		if (!j->stages[i].whole && j->stages[i].span == s->span)
			put_part(d, &j->stages[i]);
	put_text(d->f, "class=\"end\"", WIDTH - MARGIN, d->y + 13, TIMES,
		 format_latency(time, s->time / 1000, 0));
	fputs("</g>\n", d->f);
	d->y += HIGH;
	free(name);
}

/* Write the vertical lines of a journey's time axis, and below each line its time. */
static void put_axis(const struct drawing *d, double bottom)
{
	for (int i = 0; i <= TICKS; i++) {
		double ns = d->journey->elapsed * i / TICKS, x = LEFT + (double)PLOT * i / TICKS;
		char time[FORMAT_LEN];

		fprintf(d->f, "<path class=\"grid\" d=\"M%.1f %.0fV%.0f\"/>", x, d->y, bottom + 4);
		put_text(d->f, "class=\"mid\"", x, bottom + 17, KEY,
			 i ? format_latency(time, ns / 1000, 3) : "0");
	}
	fputc('\n', d->f);
}

static unsigned int spans_in(const struct journey *j)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < j->n; i++)
		n += j->stages[i].whole;
	return n;
}

static void put_journey(struct drawing *d, const struct journey *j)
{
	char *title = journey_title(d->all, j);
	double bottom = d->y + TITLE + spans_in(j) * HIGH;

	d->journey = j;
	put_text(d->f, "class=\"title\"", MARGIN, d->y + 14, WIDTH - 2 * MARGIN, title);
	d->y += TITLE;
	put_axis(d, bottom);
	journey_walk(d->all, j, put_row, d);
	d->y = bottom + AXIS;
	free(title);
}

/* Set d->keys to the names of parts in the first `n` journeys. Returns the legend's height. */
static double find_keys(struct drawing *d, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < d->all->journeys[i].n; k++)
			if (!d->all->journeys[i].stages[k].whole)
				key_of(d, &d->all->journeys[i].stages[k]);
	return (d->nkeys + KEYS - 1) / KEYS * LEGEND;
}

static void put_legend(const struct drawing *d)
{
	for (unsigned int i = 0; i < d->nkeys; i++) {
		double x = MARGIN + i % KEYS * KEY, y = TOP + i / KEYS * LEGEND;

		fprintf(d->f,
			"<rect class=\"h%u\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\"/>",
			i % HUES, x, y);
		put_text(d->f, "class=\"key\"", x + 17, y + 10, KEY - 20, d->keys[i]);
	}
	fputc('\n', d->f);
}

void journeys_svg(const struct journeys *all, unsigned int n, const char *title, const char *file)
{
	struct drawing d = { .f = picture_open(file, "w"), .all = all };
	double height = 0;

	d.y = TOP + find_keys(&d, n);
	for (unsigned int i = 0; i < n; i++)
		height += TITLE + spans_in(&all->journeys[i]) * HIGH + AXIS;
	svg_begin(d.f, &(struct svg){
			       .class = "trace",
			       .title = title,
			       .style = style,
			       .width = WIDTH,
			       .height = d.y + height,
			       .alone = true,
		       });
	put_legend(&d);
	for (unsigned int i = 0; i < n; i++)
		put_journey(&d, &all->journeys[i]);
	svg_end(d.f);
	picture_close(d.f, file);
	free(d.keys);
}
