// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints a comparison of two windows: a table, three or four lines a row, or a JSON document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "lib/format.h"
#include "view/output.h"

#define NUMBER  8  /* terminal columns of a measure: its heading, a value, the change */
#define TITLE   23 /* terminal columns for the titles of rows, at least */
#define NAMED   5  /* the list below the table names at most so many differences */
#define COLUMNS (MEASURES * NUMBER + 1)

static const char *const letters[] = { "A", "B" };

static char *title_of(const struct pair *pair)
{
	return row_title(pair->rows[0] ? pair->rows[0] : pair->rows[1]);
}

/*
 * Write the change from A to B: "+12%", "x25", "new" if only A is 0, "=" if both are 0, "-" if the
 * change is unknown; with a "*" if the change stands out.
 */
static void format_change(char *text, size_t size, const struct comparison *c)
{
	const char *mark = c->stands_out ? "*" : " ";

	if (isnan(c->change) && c->value[0] == 0 && c->value[1] > 0)
		snprintf(text, size, "new%s", mark);
	else if (isnan(c->change))
		snprintf(text, size, c->value[0] == c->value[1] ? "= " : "- ");
	else if (c->change >= 9.995)
		snprintf(text, size, "x%.0f%s", c->change + 1, mark);
	else
		snprintf(text, size, fabs(c->change) < 0.005 ? "%.0f%%%s" : "%+.0f%%%s",
			 fabs(c->change) < 0.005 ? 0 : 100 * c->change, mark);
}

static void print_time_of(const struct options *o, const struct side *side, int which)
{
	char begin[64], end[64];

	print_time(begin, sizeof(begin), "%D - %H:%M:%S", side->measured.begin);
	print_time(end, sizeof(end), "%D - %H:%M:%S %Z", side->measured.end);
	if (which == 0)
		printf("%s:\n", o->name);
	printf(" %s is %s of %s:\n   %s to %s,\n   measured %.1f s", letters[which], side->name,
	       side->s.host, begin, end, side->measured.seconds);
	if (side->measured.left_out > 0)
		printf(", left out %.1f s", side->measured.left_out);
	printf(", %u split%s\n", side->nsplits, side->nsplits == 1 ? "" : "s");
}

static void print_headings(int title)
{
	printf("\n%-*s", title, "");
	for (int f = 0; f < MEASURES; f++)
		printf("%*s ", NUMBER - 1, measures[f].heading);
	putchar('\n');
}

static void print_side(const struct pair *pair, int which)
{
	char text[FORMAT_LEN];

	printf("%s", letters[which]);
	for (int f = 0; f < MEASURES; f++) {
		format_number(text, pair->measures[f].value[which], 2, NUMBER - 2);
		printf("%*s ", f ? NUMBER - 1 : NUMBER - 2, text);
	}
	putchar('\n');
}

static void print_pair(const struct pair *pair, int title)
{
	char *name = title_of(pair), text[FORMAT_LEN];

	putchar(' ');
	print_aligned(name, 1 - title);
	if (text_width(name) + 2 > title)
		printf("\n%-*s", title, "");
	free(name);
	print_side(pair, 0);
	printf("%-*s", title, "");
	print_side(pair, 1);
	printf("%-*s", title, !pair->rows[0] ? "  only in B" : !pair->rows[1] ? "  only in A" : "");
	for (int f = 0; f < MEASURES; f++) {
		format_change(text, sizeof(text), &pair->measures[f]);
		printf("%*s", NUMBER, text);
	}
	putchar('\n');
}

/* The ratio of the higher value of A and B to the lower value; infinite if the lower is 0. */
static double distance(const struct comparison *c)
{
	double low = fmin(c->value[0], c->value[1]), high = fmax(c->value[0], c->value[1]);

	return low > 0 ? high / low : INFINITY;
}

struct named {
	const struct pair *pair;
	int measure;
};

static int compare_distances(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	double dx = distance(&x->pair->measures[x->measure]),
	       dy = distance(&y->pair->measures[y->measure]);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : x->measure - y->measure;
}

/* Print a line of the list below the table: "FIGURE of ROW: VALUE IN A, VALUE IN B (CHANGE)". */
static void print_named(const struct named *named)
{
	const struct comparison *c = &named->pair->measures[named->measure];
	char *title = title_of(named->pair), a[FORMAT_LEN], b[FORMAT_LEN], change[32];

	format_number(a, c->value[0], 2, NUMBER);
	format_number(b, c->value[1], 2, NUMBER);
	format_change(change, sizeof(change), c);
	change[strcspn(change, "*")] = '\0';
	printf("   %s of %s: %s, %s (%s)\n", measures[named->measure].heading, title, a, b, change);
	free(title);
}

static void print_outstanding(const struct side sides[2], const struct pairs *pairs)
{
	struct named *all = xalloc(calloc(pairs->n * MEASURES + 1, sizeof(*all)));
	unsigned int n = 0;

	for (unsigned int i = 0; i < pairs->n; i++)
		for (int f = 0; f < MEASURES; f++)
			if (pairs->pairs[i].measures[f].stands_out)
				all[n++] = (struct named){ &pairs->pairs[i], f };
	qsort(all, n, sizeof(*all), compare_distances);
	if (!can_stand_out(sides[0].nsplits, sides[1].nsplits))
		printf("\n Too few splits to tell which differences stand out: use longer "
		       "windows,\n or "
		       "record at shorter intervals.\n");
	else if (!n)
		printf("\n No difference stands out from the noise of the windows' splits.\n");
	else
		printf("\n %u difference%s (*) from the noise of the windows' splits; the "
		       "largest:\n",
		       n, n == 1 ? " stands out" : "s stand out");
	for (unsigned int i = 0; i < n && i < NAMED; i++)
		print_named(&all[i]);
	free(all);
}

static void print_table(const struct options *o, const struct side sides[2],
			const struct pairs *pairs)
{
	int title = TITLE, room = output_width(80) - COLUMNS;

	for (unsigned int i = 0; i < pairs->n; i++) {
		char *name = title_of(&pairs->pairs[i]);
		int length = text_width(name) + 2;

		title = length > title && length <= room ? length : title;
		free(name);
	}
	for (int i = 0; i < 2; i++)
		print_time_of(o, &sides[i], i);
	if (!pairs->n) {
		puts("\n Neither window has any operation.");
		return;
	}
	print_headings(title);
	for (unsigned int i = 0; i < pairs->n; i++)
		print_pair(&pairs->pairs[i], title);
	print_outstanding(sides, pairs);
}

static void write_numbers(struct json *j, const char *name, const double *numbers, unsigned int n)
{
	json_begin(j, name, '[');
	for (unsigned int i = 0; i < n; i++)
		json_put_number(j, NULL, "%.6g", numbers[i]);
	json_end(j, ']');
}

static void write_side(struct json *j, const struct side *side, const char *name)
{
	double seconds[SPLITS];

	for (unsigned int p = 0; p < side->nsplits; p++)
		seconds[p] = side->splits[p].seconds;
	json_begin(j, name, '{');
	json_put_string(j, "name", side->name);
	json_put_string(j, "host", side->s.host);
	write_when(j, &side->measured);
	write_numbers(j, "parts", seconds, side->nsplits);
	json_end(j, '}');
}

static void write_comparison(struct json *j, const char *name, const struct comparison *c)
{
	json_begin(j, name, '{');
	json_put_number(j, "a", "%.6g", c->value[0]);
	json_put_number(j, "b", "%.6g", c->value[1]);
	json_put_number(j, "change", "%.6g", c->change);
	json_put_raw(j, "stands_out", c->stands_out ? "true" : "false");
	write_numbers(j, "parts_a", c->splits[0], c->n[0]);
	write_numbers(j, "parts_b", c->splits[1], c->n[1]);
	json_end(j, '}');
}

static void write_pair(struct json *j, const struct pair *pair)
{
	write_row_names(j, pair->rows[0] ? pair->rows[0] : pair->rows[1]);
	json_put_raw(j, "in_a", pair->rows[0] ? "true" : "false");
	json_put_raw(j, "in_b", pair->rows[1] ? "true" : "false");
	json_begin(j, "figures", '{');
	for (int f = 0; f < MEASURES; f++)
		write_comparison(j, measures[f].name, &pair->measures[f]);
	json_end(j, '}');
	json_end(j, '}');
}

static void print_document(const struct options *o, const struct side sides[2],
			   const struct pairs *pairs)
{
	struct json j = document_begin(o->name, NULL);

	write_side(&j, &sides[0], "a");
	write_side(&j, &sides[1], "b");
	json_begin(&j, "rows", '[');
	for (unsigned int i = 0; i < pairs->n; i++)
		write_pair(&j, &pairs->pairs[i]);
	json_end(&j, ']');
	document_end(&j);
}

void print_pairs(const struct options *o, const struct side sides[2], const struct pairs *pairs)
{
	if (o->form == FORM_JSON)
		print_document(o, sides, pairs);
	else
		print_table(o, sides, pairs);
}
