// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "flame.h"
#include "frame.h"
#include "source/filter.h"
#include "view/intervals.h"
#include "view/picture.h"

#define SECONDS 10 /* default length of a host's interval, in seconds */

struct run {
	const struct options *o;
	const struct source *s;
	const struct series *series;
};

/*
 * A line of the output. `text` has the key's values on all axes, joined by `;`. In the value on the
 * axis stack, `;` also separates functions.
 */
struct line {
	char *text;
	uint64_t weight;
};

struct lines {
	unsigned int n;
	struct line *lines;
};

/*
 * Write the value of an axis. Blanks become "_", because some programs take a blank as the end of
 * the stack. On axes other than stack, `;` becomes ":", because `;` would begin a frame.
 */
static void put_axis(FILE *f, const struct axis *axis)
{
	bool stack = !strcmp(axis->name, "stack");

	for (const char *p = axis->value; *p; p++)
		fputc(*p == ' ' ? '_' : *p == ';' && !stack ? ':' : *p, f);
}

static char *line_of(const struct key *key)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < key->naxes; i++) {
		if (i)
			fputc(';', f);
		put_axis(f, &key->axes[i]);
	}
	fclose(f);
	return xalloc(text);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/*
 * The lines of the selected keys with a weight above 0, sorted. Keys whose lines have the same text
 * share one line.
 */
static struct lines find_lines(const struct run *run)
{
	struct lines all = { 0 };
	unsigned int n = 0;

	for (unsigned int k = 0; k < run->series->nkeys; k++) {
		const struct key *key = run->series->keys[k];
		const struct values *v = &key->values;
		uint64_t weight = run->o->count ? v->ops : v->sum_ns / 1000;

		if (!weight || !selected(run->o, key))
			continue;
		all.lines = grow(all.lines, all.n, sizeof(*all.lines));
		all.lines[all.n++] = (struct line){ line_of(key), weight };
	}
	if (all.n)
		qsort(all.lines, all.n, sizeof(*all.lines), compare);
	for (unsigned int i = 0; i < all.n; i++)
		if (n && !strcmp(all.lines[n - 1].text, all.lines[i].text)) {
			all.lines[n - 1].weight += all.lines[i].weight;
			free(all.lines[i].text);
		} else {
			all.lines[n++] = all.lines[i];
		}
	all.n = n;
	return all;
}

static char *title_of(const struct run *run, const struct interval *interval)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	fprintf(f, "%s on %s", run->o->name, run->s->host);
	for (unsigned int i = 0; i < run->o->nfilters; i++)
		fprintf(f, ", %s=%s", run->o->filters[i].axis, run->o->filters[i].glob);
	fprintf(f, ": %s in %.4g s", run->o->count ? "count" : "time", interval->seconds);
	fclose(f);
	return xalloc(text);
}

static void write_svg(const struct run *run, const struct lines *all,
		      const struct interval *interval)
{
	struct frame root = { .name = "all" };
	char *title = title_of(run, interval);

	for (unsigned int i = 0; i < all->n; i++) {
		char *text = all->lines[i].text;
		size_t length = strlen(text);

		/* one more NUL, for the empty name at the end */
		text = xalloc(realloc(text, length + 2));
		text[length + 1] = '\0';
		all->lines[i].text = text;
		for (char *p = text; *p; p++)
			if (*p == ';')
				*p = '\0';
		frame_add(&root, text, all->lines[i].weight);
	}
	flame_svg(&(struct flame){ &root, title, run->o->count }, run->o->svg);
	frame_free(&root);
	free(title);
}

static void show(void *context, const struct interval *interval)
{
	const struct run *run = context;
	struct lines all = find_lines(run);

	if (!all.n)
		die(EXIT_NO_DATA, "%s counted nothing in this time", run->o->name);
	for (unsigned int i = 0; i < all.n && !run->o->svg; i++)
		printf("%s %" PRIu64 "\n", all.lines[i].text, all.lines[i].weight);
	if (run->o->svg)
		write_svg(run, &all, interval);
	for (unsigned int i = 0; i < all.n; i++)
		free(all.lines[i].text);
	free(all.lines);
}

int run_flame(struct options *o, struct source *s, const struct module *m)
{
	struct run run = { .o = o, .s = s };

	refuse_options(o, "mMclLzZqQyYtTPjJSBeN", "it is a flame graph of one interval");
	if (!m->nseries || m->series[0].title)
		die(EXIT_NO_DATA, "%s has no operations of its own", o->name);
	run.series = source_require(s, m->series[0].prefix, READ_BASIC, NULL);
	if (!o->seconds && !s->archive)
		o->seconds = SECONDS;
	if (o->svg)
		picture_check(o->svg);
	catch_signals(NULL);
	if (!source_begin(s))
		source_has_nothing(s->where, o->name);
	use_argument(o, run.series);
	check_selection(o, s, run.series);
	if (!print_intervals(o, s, show, &run))
		die(EXIT_NO_DATA, "there is no interval to show");
	return EXIT_SUCCESS;
}
