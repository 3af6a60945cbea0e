// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "view/picture.h"

/* Distances in pixels; HUES is the number of colours. */
#define WIDTH  1200
#define MARGIN 10
#define TOP    34
#define HIGH   17  /* height of a frame */
#define LETTER 7   /* about the width of a character, pixels */
#define LEAST  0.1 /* least width of a frame that is drawn, pixels */
#define HUES   6

static const char style[] =
	".flame{font:12px ui-monospace,monospace}.flame text{fill:#16202c;pointer-events:none}"
	".flame rect{stroke:var(--page);stroke-width:.5}.flame g:hover>rect{stroke:var(--text)}"
	".h0{fill:#f2b65a}.h1{fill:#ef9f5b}.h2{fill:#f3c86b}.h3{fill:#ea8f63}.h4{fill:#f5d98a}"
	".h5{fill:#e8a87c}";

static struct frame *find(const struct frame *parent, const char *name)
{
	struct frame *f = parent->first;

	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

static struct frame *make(struct frame *parent, const char *name)
{
	struct frame *f = xalloc(calloc(1, sizeof(*f)));

	f->name = name;
	if (parent->last)
		parent->last->next = f;
	else
		parent->first = f;
	parent->last = f;
	return f;
}

void frame_add(struct frame *root, const char *text, uint64_t weight)
{
	struct frame *f = root;

	f->weight += weight;
	for (; *text; text += strlen(text) + 1) {
		struct frame *above = find(f, text);

		f = above ? above : make(f, text);
		f->weight += weight;
	}
}

void frame_free(struct frame *root)
{
	while (root->first) {
		struct frame *f = root->first;

		root->first = f->next;
		frame_free(f);
		free(f);
	}
}

/* The number of frames above this one in the highest stack through this frame. */
static unsigned int height(const struct frame *frame)
{
	unsigned int most = 0;

	for (const struct frame *f = frame->first; f; f = f->next) {
		unsigned int n = height(f) + 1;

		most = n > most ? n : most;
	}
	return most;
}

static unsigned int hue(const char *name)
{
	unsigned int sum = 0;

	while (*name)
		sum = sum * 31 + (unsigned char)*name++;
	return sum % HUES;
}

static void put_weight(FILE *f, const struct flame *flame, uint64_t weight)
{
	char text[FORMAT_LEN];

	if (flame->count)
		fprintf(f, "%" PRIu64, weight);
	else
		fputs(format_latency(text, weight, 3), f);
	fprintf(f, ", %.2f%%", weight * 100.0 / flame->root->weight);
}

/* Write as much of a name as fits in its frame; nothing if fewer than three characters fit. */
static void put_label(FILE *f, const char *name, double x, double y, double width)
{
	size_t room = width / LETTER;

	if (room < 3)
		return;
	fprintf(f, "<text x=\"%.1f\" y=\"%.0f\">", x + 3, y + HIGH - 5);
	picture_put_cut(f, name, room);
	fputs("</text>", f);
}

/* Write a frame whose lower edge is at y, and the frames above. */
static void put_frame(FILE *f, const struct flame *flame, const struct frame *frame, double x,
		      double y)
{
	double scale = (WIDTH - 2.0 * MARGIN) / flame->root->weight, width = frame->weight * scale;

	if (width < LEAST)
		return;
	y -= HIGH;
	fputs("<g><title>", f);
	picture_put(f, frame->name);
	fputs(": ", f);
	put_weight(f, flame, frame->weight);
	fprintf(f,
		"</title><rect class=\"h%u\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"/>",
		hue(frame->name), x, y, width, HIGH);
	put_label(f, frame->name, x, y, width);
	fputs("</g>\n", f);
	for (const struct frame *above = frame->first; above; above = above->next) {
		put_frame(f, flame, above, x, y);
		x += above->weight * scale;
	}
}

void flame_svg(const struct flame *flame, const char *file)
{
	double bottom = TOP + (height(flame->root) + 1.0) * HIGH;
	FILE *f = picture_open(file, "w");

	svg_begin(f, &(struct svg){
			     .class = "flame",
			     .title = flame->title,
			     .style = style,
			     .width = WIDTH,
			     .height = bottom + MARGIN,
			     .alone = true,
		     });

	put_frame(f, flame, flame->root, MARGIN, bottom);
	svg_end(f);
	picture_close(f, file);
}
