// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a heat map as SVG, or as an HTML page with the SVG. Both are well-formed XML without
 * scripts: a browser shows the <title> of a column or cell when the pointer is on the column or
 * cell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "lib/histogram.h"
#include "lib/version.h"
#include "picture.h"
#include "source/stats.h"
#include "view/picture.h"

/* Distances in pixels. */
#define LEFT       76
#define TOP        44
#define RIGHT      24
#define PLOT_WIDTH 960
#define MOST_WIDE  32 /* greatest width of a column, pixels */
/*
 * the height of all rows together, unless a row would be lower than LEAST_HIGH or higher than
 * MOST_HIGH
 */
#define PLOT_HIGH  520
#define LEAST_HIGH 9  /* least height of a row */
#define MOST_HIGH  20 /* greatest height of a row */
#define TICK_WIDTH 90 /* width that a time below the map needs, pixels */
#define LEGEND     26 /* height of a line of the legend, pixels */

struct drawing {
	FILE *f;
	const struct map *m;
	double column, row; /* width and height of a cell, pixels */
	double right, bottom;
};

/*
 * A cell with more operations is darker; on a dark page it is lighter. The line of the highest
 * latencies is dashed.
 */
static const char style[] =
	".map{font:12px system-ui,sans-serif;--line:#d5dce3;--p99:#16202c;--max:#16202c}"
	".map text{fill:var(--text)}.map .end{text-anchor:end}"
	".grid,.axis{stroke:var(--line);fill:none}.back{fill:transparent}.axis{stroke:var(--text)}"
	".column:hover .back{fill:var(--line)}"
	".l1{fill:#5b96d8}.l2{fill:#4a78cc}.l3{fill:#5460be}.l4{fill:#6547a8}"
	".l5{fill:#742a86}.l6{fill:#6f145d}.l7{fill:#4f0a35}.l8{fill:#240312}"
	".halo,.p99,.max{fill:none;pointer-events:none}.halo{stroke:var(--page);stroke-width:3.5}"
	".p99{stroke:var(--p99);stroke-width:1.5}"
	".max{stroke:var(--max);stroke-width:1.5;stroke-dasharray:2 2}"
	".hatch{stroke:var(--text);stroke-width:1}.gap{fill:url(#hatch)}"
	".spanned{fill:var(--line)}.part{fill:url(#hatch)}.worst{fill:var(--text)}"
	"@media(prefers-color-scheme:dark){.map{--line:#2c3743;--p99:#fff;--max:#fff}"
	".l1{fill:#3f7cc8}.l2{fill:#2f8fc5}.l3{fill:#2d9cb0}.l4{fill:#3db597}"
	".l5{fill:#6fcb74}.l6{fill:#b3da56}.l7{fill:#efe35a}.l8{fill:#fffbe0}}";

static double x_of(const struct drawing *d, unsigned int column)
{
	return LEFT + column * d->column;
}

/* The y coordinate of the top of a bucket's row. */
static double y_of(const struct drawing *d, int bucket)
{
	return TOP + (d->m->high - bucket) * d->row;
}

static double y_of_latency(const struct drawing *d, double us)
{
	double low, high, share;
	int b = d->m->high;

	while (b > d->m->low && us < bucket_edge(HISTOGRAM_LATENCY, b))
		b--;
	low = bucket_edge(HISTOGRAM_LATENCY, b);
	high = b < ESTAT_LATENCY_LAST ? bucket_edge(HISTOGRAM_LATENCY, b + 1) : 2 * low;
	share = fmin(fmax((us - low) / (high - low), 0), 1);
	return y_of(d, b) + (1 - share) * d->row;
}

static void put_latency(FILE *f, double us)
{
	char text[FORMAT_LEN];

	fputs(format_latency(text, us, 3), f);
}

/* Write the text of a column's <title>, which a browser shows when the pointer is on the column. */
static void put_summary(FILE *f, const struct map *m, unsigned int i)
{
	const struct column *c = &m->c.columns[i];
	char times[80];

	map_times(m, i, times, sizeof(times));
	fprintf(f, "%s\n", times);
	if (c->measured > 0) {
		fprintf(f, "%" PRIu64 " ops, p50 ", map_operations(c));
		put_latency(f, figure(&c->values, P50, 1));
		fputs(", p99 ", f);
		put_latency(f, m->p99[i]);
		fputs(", max ", f);
		put_latency(f, m->max[i]);
		fputc('\n', f);
	} else if (c->from) {
		fprintf(f, "counted in the column %s\n", c->from < 0 ? "before" : "after");
	}
	if (c->left_out > 0) {
		fprintf(f, "%.3g s not measured: ", c->left_out);
		picture_put(f, c->why ? c->why : "");
		fputc('\n', f);
	}
}

/* Write a bucket as "400us to 500us", the last bucket, which has no end, as "BEGIN and more". */
static void put_bucket(FILE *f, int bucket)
{
	put_latency(f, bucket_edge(HISTOGRAM_LATENCY, bucket));
	if (bucket == ESTAT_LATENCY_LAST) {
		fputs(" and more", f);
		return;
	}
	fputs(" to ", f);
	put_latency(f, bucket_edge(HISTOGRAM_LATENCY, bucket + 1));
}

static const char *background_class(const struct column *c)
{
	if (c->measured > 0)
		return "back";
	return c->left_out > 0 ? "gap" : c->from ? "spanned" : "back";
}

static void put_column(const struct drawing *d, unsigned int i)
{
	const struct column *c = &d->m->c.columns[i];
	double x = x_of(d, i);
	char times[80];

	map_times(d->m, i, times, sizeof(times));
	fputs("<g class=\"column\"><title>", d->f);
	put_summary(d->f, d->m, i);
	fprintf(d->f,
		"</title><rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>",
		background_class(c), x, TOP, d->column, d->bottom - TOP);
	if (c->measured > 0 && c->left_out > 0)
		fprintf(d->f,
			"<rect class=\"part\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"7\"/>",
			x, d->bottom, d->column);
	for (int b = d->m->low; b <= d->m->high; b++) {
		uint64_t n = c->values.latency[b];

		if (!n)
			continue;
		fprintf(d->f,
			"<rect class=\"l%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
			"height=\"%.2f\"><title>"
			"%s\n",
			shade_of(d->m->thresholds, n), x, y_of(d, b), d->column, d->row, times);
		put_bucket(d->f, b);
		fprintf(d->f, ": %" PRIu64 " ops</title></rect>", n);
	}
	fputs("</g>\n", d->f);
}

/*
 * Draw each column's value as a horizontal stroke. The strokes are not joined, because vertical
 * lines between them would hide the cells of narrow columns.
 */
static void put_line(const struct drawing *d, const char *class, const double *values)
{
	fprintf(d->f, "<path class=\"%s\" d=\"", class);
	for (unsigned int i = 0; i < d->m->c.n; i++)
		if (!isnan(values[i]))
			fprintf(d->f, "M%.2f %.1fH%.2f", x_of(d, i), y_of_latency(d, values[i]),
				x_of(d, i + 1));
	fputs("\"/>\n", d->f);
}

/*
 * Label each row with its lowest latency. If rows are lower than 11 pixels, label only those whose
 * lowest latency is 0, or 1, 2 or 5 times 10^n us.
 */
static void put_rows(const struct drawing *d)
{
	for (int b = d->m->low; b <= d->m->high; b++) {
		uint64_t us = bucket_edge(HISTOGRAM_LATENCY, b);
		double y = y_of(d, b) + d->row;

		while (us >= 10 && us % 10 == 0)
			us /= 10;
		if (d->row < 11 && us != 1 && us != 2 && us != 5 && us != 0)
			continue;
		fprintf(d->f, "<path class=\"grid\" d=\"M%d %.2fH%.2f\"/>", LEFT - 4, y, d->right);
		fprintf(d->f, "<text class=\"end\" x=\"%d\" y=\"%.2f\">", LEFT - 8, y + 4);
		put_latency(d->f, bucket_edge(HISTOGRAM_LATENCY, b));
		fputs("</text>\n", d->f);
	}
}

static void put_times(const struct drawing *d)
{
	const struct map *m = d->m;
	double tick = map_tick(m, ceil(TICK_WIDTH / d->column)), next = LEFT;
	char text[32];

	for (unsigned int i = 0; i < m->c.n; i++) {
		double x = x_of(d, i);

		if (!map_has_tick(m, i, tick) || x < next || x + TICK_WIDTH / 2. > d->right)
			continue;
		next = x + TICK_WIDTH;
		print_time(text, sizeof(text), map_format(m), map_begin(m, i));
		fprintf(d->f,
			"<path class=\"axis\" d=\"M%.2f %.2fv6\"/><text x=\"%.2f\" "
			"y=\"%.2f\">%s</text>\n",
			x, d->bottom, x, d->bottom + 20, text);
	}
	fprintf(d->f, "<path class=\"axis\" d=\"M%d %.2fH%.2f\"/>\n", LEFT, d->bottom, d->right);
}

static void put_legend(const struct drawing *d, double y)
{
	double x = LEFT;

	for (int i = 0; i < LEVELS; i++) {
		if (!shade_in_legend(d->m->thresholds, i + 1))
			continue;
		fprintf(d->f,
			"<rect class=\"l%d\" x=\"%.0f\" y=\"%.2f\" width=\"14\" height=\"14\"/>"
			"<text x=\"%.0f\" y=\"%.2f\">%" PRIu64 "%s</text>\n",
			i + 1, x, y - 11, x + 18, y, d->m->thresholds[i], i ? "" : " ops or more");
		x += i ? 90 : 110;
	}
	y += LEGEND;
	fprintf(d->f,
		"<path class=\"p99\" d=\"M%d %.2fh28\"/><text x=\"%d\" y=\"%.2f\">p99</text>"
		"<path class=\"max\" d=\"M%d %.2fh28\"/><text x=\"%d\" y=\"%.2f\">max</text>"
		"<rect class=\"gap\" x=\"%d\" y=\"%.2f\" width=\"14\" height=\"14\"/>"
		"<text x=\"%d\" y=\"%.2f\">not measured; below a column: partly measured</text>"
		"<rect class=\"spanned\" x=\"%d\" y=\"%.2f\" width=\"14\" height=\"14\"/>"
		"<text x=\"%d\" y=\"%.2f\">no record: counted in a neighbour column</text>\n",
		LEFT, y - 4, LEFT + 34, y, LEFT + 80, y - 4, LEFT + 114, y, LEFT + 160, y - 11,
		LEFT + 180, y, LEFT + 480, y - 11, LEFT + 500, y);
}

/* Write the figures of column m->worst[w]: "15:22:13 to 15:22:14: max 20ms, p99 15ms, 50 ops". */
static void put_worst_text(FILE *f, const struct map *m, unsigned int w)
{
	unsigned int i = m->worst[w];
	char times[80];

	map_times(m, i, times, sizeof(times));
	fprintf(f, "%s: max ", times);
	put_latency(f, m->max[i]);
	fputs(", p99 ", f);
	put_latency(f, m->p99[i]);
	fprintf(f, ", %" PRIu64 " ops", map_operations(&m->c.columns[i]));
}

static void put_worst(const struct drawing *d, double y)
{
	for (unsigned int w = 0; w < d->m->nworst; w++) {
		fprintf(d->f,
			"<text class=\"worst\" x=\"%.2f\" y=\"%d\" "
			"text-anchor=\"middle\">%u</text>",
			x_of(d, d->m->worst[w]) + d->column / 2, TOP - 6, w + 1);
		fprintf(d->f, "<text x=\"%d\" y=\"%.2f\">worst %u: ", LEFT, y + w * 18, w + 1);
		put_worst_text(d->f, d->m, w);
		fputs("</text>\n", d->f);
	}
}

/* Write the SVG element. `alone`: the SVG is a file of its own, not a part of an HTML page. */
static void put_svg(FILE *f, const struct picture *p, bool alone)
{
	const struct map *m = p->map;
	struct drawing d = { .f = f, .m = m };
	double legend;

	d.column = fmin((double)PLOT_WIDTH / m->c.n, MOST_WIDE);
	d.row = fmin(fmax((double)PLOT_HIGH / (m->high - m->low + 1), LEAST_HIGH), MOST_HIGH);
	d.right = LEFT + m->c.n * d.column;
	d.bottom = TOP + (m->high - m->low + 1) * d.row;
	legend = d.bottom + 50;
	svg_begin(f, &(struct svg){
			     .class = "map",
			     .title = p->title,
			     .style = style,
			     .width = LEFT + PLOT_WIDTH + RIGHT,
			     .height = legend + 2 * LEGEND + WORST * 18 + 10,
			     .alone = alone,
		     });
	fputs("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	      "<path class=\"hatch\" d=\"M0 0v6\"/></pattern></defs>\n",
	      f);
	put_rows(&d);
	for (unsigned int i = 0; i < m->c.n; i++)
		put_column(&d, i);
	put_line(&d, "halo", m->p99);
	put_line(&d, "max", m->max);
	put_line(&d, "p99", m->p99);
	put_times(&d);
	put_legend(&d, legend);
	put_worst(&d, legend + 2 * LEGEND);
	svg_end(f);
}

void picture_svg(const struct picture *p, const char *file)
{
	FILE *f = picture_open(file, "w");

	put_svg(f, p, true);
	picture_close(f, file);
}

static void put_table_row(FILE *f, const struct map *m, unsigned int i)
{
	const struct column *c = &m->c.columns[i];
	char times[80];

	map_times(m, i, times, sizeof(times));
	fprintf(f, "<tr><th scope=\"row\">%s</th>", times);
	if (c->measured > 0)
		fprintf(f, "<td>%" PRIu64 "</td><td>", map_operations(c));
	else
		fputs("<td>-</td><td>", f);
	put_latency(f, m->p99[i]);
	fputs("</td><td>", f);
	put_latency(f, m->max[i]);
	fprintf(f, "</td><td>%.3f</td><td>%.3f</td></tr>\n", c->measured, c->left_out);
}

void picture_html(const struct picture *p, const char *file)
{
	const struct map *m = p->map;
	FILE *f = picture_open(file, "w");

	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	      "<meta charset=\"UTF-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
	      f);
	picture_put(f, p->title);
	fputs("</title>\n<style>:root{color-scheme:light dark}body{font:15px/1.4 "
	      "system-ui,sans-serif;"
	      "margin:1rem}h1{font-size:1.2rem}figure{margin:0;overflow-x:auto}table{border-"
	      "collapse:collapse}"
	      "td,th{padding:0 .8rem 0 "
	      "0;text-align:right;font-weight:400}</style>\n</head>\n<body>\n<h1>",
	      f);
	picture_put(f, p->title);
	fputs("</h1>\n<p>", f);
	picture_put(f, p->source);
	fputs("</p>\n<figure>\n", f);
	put_svg(f, p, false);
	fputs("</figure>\n<details><summary>The columns as a table</summary>\n<table>\n<thead><tr>"
	      "<th>time</th><th>ops</th><th>p99</th><th>max</th><th>measured s</th><th>not "
	      "measured "
	      "s</th>"
	      "</tr></thead>\n<tbody>\n",
	      f);
	for (unsigned int i = 0; i < m->c.n; i++)
		put_table_row(f, m, i);
	fputs("</tbody>\n</table>\n</details>\n<p>estat " ESTAT_VERSION "</p>\n</body>\n</html>\n",
	      f);
	picture_close(f, file);
}
