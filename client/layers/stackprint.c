// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the layers of an interval from top to bottom, as a table with bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "breakdown_text.h"
#include "fail.h"
#include "lib/format.h"
#include "hang.h"
#include "sentence.h"
#include "source/stats.h"
#include "stackprint.h"
#include "view/output.h"
#include "view/screen.h"

#define NUMBER    7 /* width of a figure, with a blank before the figure */
#define NUMBERS   6
#define MARK      2 /* width of a mark, ">" or "!", and a blank */
#define WIDTH     80
#define LEAST     10 /* least width of the longest bar */
#define MOST_ROWS 10 /* the most rows of a breakdown to print */

#define BOLD      "\033[1m"
#define DIM       "\033[2m"
#define NORMAL    "\033[0m"

/*
 * Print a text in lines that begin with `indent` blanks. Only a line of a single word can have more
 * than `width` columns. Overwrites the text.
 */
static void print_indented(char *text, int indent, int width)
{
	int used = 0;
	char *word;

	width -= indent;
	printf("%*s", indent, "");
	while ((word = strsep(&text, " "))) {
		int columns = text_width(word);

		if (used && used + 1 + columns > width) {
			printf("\n%*s", indent, "");
			used = 0;
		}
		printf("%s%s", used ? " " : "", word);
		used += (used > 0) + columns;
	}
	putchar('\n');
}

static void print_wrapped(char *text, int width)
{
	print_indented(text, 0, width);
}

/* The characters that draw, in a bar, a layer's own time and the time of the layers below. */
struct bar {
	const char *own, *below;
};

static struct bar find_bar(void)
{
	if (screen_has_utf8())
		return (struct bar){ "\xe2\x96\x88", "\xe2\x96\x91" };
	return (struct bar){ "#", "-" };
}

/*
 * Print a bar. Returns whether the bar has "?", for time that may be of this layer or of other
 * layers.
 */
static bool print_bar(const struct bar *bar, const struct level *level, double longest, int width)
{
	/* waiting is NAN if it is unknown */
	int all = level->waiting > 0 ? ceil(level->waiting / longest * width - 1e-9) : 0;
	int own = all ? round(level->own_most / level->waiting * all) : 0;

	for (int i = 0; i < all; i++)
		fputs(i >= own ? bar->below : isnan(level->own) ? "?" : bar->own, stdout);
	return own && isnan(level->own);
}

static void print_cells(const struct values *v, double seconds, double waiting)
{
	char cells[NUMBERS][FORMAT_LEN];

	format_number(cells[0], figure(v, IOPS, seconds), 3, NUMBER - 2);
	format_number(cells[1], figure(v, THROUGHPUT, seconds) / 1024, 3, NUMBER - 2);
	format_latency(cells[2], figure(v, P50, seconds), 0);
	format_latency(cells[3], figure(v, P99, seconds), 0);
	format_latency(cells[4], figure(v, HIGHEST, seconds), 0);
	format_number(cells[5], waiting, 3, NUMBER - 2);
	for (int i = 0; i < NUMBERS; i++)
		printf("%*s", NUMBER, cells[i]);
}

static void print_head(const struct stack *stack, const struct breakdowns *b,
		       const struct source *s, const struct interval *interval)
{
	char span[160];

	print_span(span, sizeof(span), interval->begin, interval->end);
	fputs("layers", stdout);
	if (stack->target->name)
		printf(" of %s", stack->target->name);
	if (stack->target->is)
		printf(" (%s)", stack->target->is);
	for (unsigned int i = 0; i < b->o->nfilters; i++)
		printf("%s %s=%s", i ? "," : " with", b->o->filters[i].axis, b->o->filters[i].glob);
	printf(" on %s, %s\n", s->host, span);
	print_measured(interval);
	putchar('\n');
}

/* Print the largest users and, unless options.monitor, the commands that show more. */
static void print_who(const struct who *who, const struct verdict *v, const struct stack *stack,
		      const struct breakdowns *b)
{
	struct user users[MAX_USERS];
	char *commands[MAX_NEXT];
	unsigned int n = who_find(who, v, stack, users);

	for (unsigned int i = 0; i < n; i++)
		printf("%s %s %s (%.0f%%)", i ? "," : "Most by", users[i].axis, users[i].name,
		       users[i].share * 100);
	if (n)
		putchar('\n');
	n = stack->target->o->monitor ? 0 : breakdowns_or_next(b, who, v, stack, commands);
	for (unsigned int i = 0; i < n; i++) {
		printf("%s %s\n", i ? "     " : "Next:", commands[i]);
		free(commands[i]);
	}
}

/* Print a sentence and a full stop, which the sentence lacks; NULL: nothing. Frees the sentence. */
static void print_sentence(char *sentence)
{
	char *text = sentence ? xasprintf("%s.", sentence) : NULL;

	if (text)
		print_wrapped(text, output_width(WIDTH) - 1);
	free(text);
	free(sentence);
}

/*
 * The mark of layer i: ! if an operation of the layer hangs, or hung in the interval; else > if the
 * verdict is slow and its last step is in the layer; else a blank.
 */
static char mark_of(const struct stack *stack, const struct verdict *v, unsigned int i)
{
	if (stack->levels[i].hangs)
		return '!';
	return v->slow && v->steps[v->nsteps - 1].layer == i ? '>' : ' ';
}

/* Print the rows of a breakdown, at most MOST_ROWS. */
static void print_rows(const struct breakdown *breakdown, int title)
{
	bool apart = breakdown_is_apart(breakdown);
	int indent = apart ? 6 : 4, room = title + MARK - indent;

	if (apart && breakdown->nrows)
		printf("    %s by %s%s\n", breakdown->series.name, breakdown->axis,
		       breakdown->level.all ? " *" : "");
	for (unsigned int r = 0; r < breakdown->nrows && r < MOST_ROWS; r++) {
		const struct by_row *row = &breakdown->rows[r];

		printf("%*s%s", indent, "", row->value);
		if (text_width(row->value) > room)
			printf("\n%*s", title + MARK, "");
		else
			printf("%*s", room - text_width(row->value), "");
		print_cells(&row->values, breakdown->level.seconds, row->waiting);
		putchar('\n');
	}
	if (breakdown->nrows > MOST_ROWS)
		printf("%*sand %u more\n", indent, "", breakdown->nrows - MOST_ROWS);
}

/*
 * Print the verdict or, in place of the verdict, the sentence of breakdowns_no_step(). Then print
 * the sentences of waits_sentence() and verdict_unknown().
 */
static void print_verdict(const struct stack *stack, const struct verdict *verdict,
			  const struct waits *waits, const struct breakdowns *b)
{
	char *text = breakdowns_no_step(b, stack, verdict);

	text = text ? text : verdict_sentence(verdict, stack);
	print_wrapped(text, output_width(WIDTH) - 1);
	free(text);
	text = waits_sentence(waits, verdict, stack);
	if (text)
		print_wrapped(text, output_width(WIDTH) - 1);
	free(text);
	if (verdict_unknown(verdict, stack))
		puts(verdict_unknown(verdict, stack));
}

/* Print the sentences about the rows of the breakdowns, see breakdowns_note(). */
static void print_said(const struct breakdowns *b)
{
	for (unsigned int a = 0; a < b->naxes; a++) {
		char *text = breakdowns_note(b, a);

		if (text)
			print_wrapped(text, output_width(WIDTH) - 1);
		free(text);
	}
}

/*
 * Is layer i left out of the table, and named by print_idle()? That is so if it is known that no
 * operation of the layer has ended in the interval, if none is known to hang or to have hung, and
 * if no breakdown has rows of the layer.
 */
static bool is_idle(const struct stack *stack, const struct breakdowns *b, unsigned int i)
{
	const struct level *level = &stack->levels[i];
	const struct values *v = &level->values;

	for (unsigned int k = 0; k < b->n; k++)
		if (b->breakdowns[k].layer == i && b->breakdowns[k].nrows)
			return false;
	return !lacks(v, FIELD_OPS) && !v->ops && !v->errors && !level->hangs &&
	       !(level->waiting > 0);
}

/* Print the names of the idle layers, if there are any. */
static void print_idle(const struct stack *stack, const struct breakdowns *b, int width)
{
	char *text = NULL;

	for (unsigned int i = 0; i < stack->n; i++) {
		const char *name = stack->levels[i].layer->name;
		char *longer;

		if (!is_idle(stack, b, i))
			continue;
		longer = text ? xasprintf("%s, %s", text, name) : xasprintf("idle: %s", name);
		free(text);
		text = longer;
	}
	if (text)
		print_indented(text, MARK, width);
	free(text);
}

void stack_print_table(const struct stack *stack, const struct verdict *verdict,
		       const struct who *who, const struct waits *waits, const struct breakdowns *b,
		       const struct source *s, const struct interval *interval)
{
	struct bar bar = find_bar();
	struct screen screen = { 0 };
	int title = 5, width;
	double longest = 0;
	bool all = false, unknown = false;

	screen_enter(&screen, false);
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		int length = strlen(level->layer->name) + 2 * level->all;

		if (is_idle(stack, b, i))
			continue;
		title = length > title ? length : title;
		longest = fmax(longest, level->waiting);
		all |= level->all;
	}
	width = output_width(WIDTH) - 1 - MARK - title - NUMBERS * NUMBER - 2;
	width = width < LEAST ? LEAST : width;
	print_sentence(hang_sentence(stack));
	print_sentence(fail_sentence(stack));
	print_head(stack, b, s, interval);
	printf("  %-*s%*s%*s%*s%*s%*s%*s  %s its own  %s below\n", title, "layer", NUMBER, "ops/s",
	       NUMBER, "MB/s", NUMBER, "p50", NUMBER, "p99", NUMBER, "max", NUMBER, "s/s", bar.own,
	       bar.below);
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		char mark = mark_of(stack, verdict, i);
		bool marked = mark != ' ';

		if (is_idle(stack, b, i))
			continue;
		if (screen.colours && (marked || level->all))
			fputs(marked ? BOLD : DIM, stdout);
		printf("%c %-*s", mark, title - 2 * level->all, level->layer->name);
		fputs(level->all ? " *" : "", stdout);
		print_cells(&level->values, level->seconds, level->waiting);
		fputs(level->waiting > 0 ? "  " : "", stdout);
		unknown |= print_bar(&bar, level, longest, width);
		puts(screen.colours && (marked || level->all) ? NORMAL : "");
		for (unsigned int k = 0; k < b->n; k++)
			if (b->breakdowns[k].layer == i)
				print_rows(&b->breakdowns[k], title);
	}
	print_idle(stack, b, output_width(WIDTH) - 1);
	putchar('\n');
	if (stack->hang.key)
		puts(stack->hang.past ? "! had been under way for longer than 1 s"
				      : "! under way for longer than 1 s");
	if (all)
		puts("* all keys: this layer cannot select those of the target or filters");
	if (unknown)
		puts("? the layer's own time is not known");
	print_said(b);
	if (verdict->slow || !stack->hang.key)
		print_verdict(stack, verdict, waits, b);
	if (stack->target->o->explain)
		verdict_explain(verdict, stack);
	print_who(who, verdict, stack, b);
	putchar('\n');
}
