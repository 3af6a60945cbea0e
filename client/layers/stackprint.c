// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the layers of an interval from top to bottom: a table with bars, or JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "source/stats.h"
#include "stackprint.h"
#include "view/output.h"
#include "view/screen.h"

#define NUMBER     7 /* width of a figure, with a blank before the figure */
#define NUMBERS    6
#define MARK       2 /* width of the mark ">" and a blank */
#define WIDTH      80
#define LEAST      10 /* least width of a bar */

#define BOLD       "\033[1m"
#define DIM        "\033[2m"
#define NORMAL     "\033[0m"

#define IN(set, i) ((set) >> (i)&1)

static double mean_of(const struct level *level)
{
	return figure(&level->values, MEAN, level->seconds);
}

static double rate(const struct level *level)
{
	return level->values.ops / level->seconds;
}

/* The us that one operation waits if all operations of the layer wait `waiting` (s a second). */
static double each(const struct level *level, double waiting)
{
	return mean_of(level) * waiting / level->waiting;
}

/* Print the names of a set of layers: "vfs and zio". */
static void print_names(FILE *f, const struct stack *stack, layer_set set)
{
	for (unsigned int i = 0; i < stack->n; i++) {
		if (!IN(set, i))
			continue;
		fputs(stack->levels[i].layer->name, f);
		set &= ~((layer_set)1 << i);
		if (set)
			fputs(set & (set - 1) ? ", " : " and ", f);
	}
}

/* Print the keys with most of a layer's waiting time: ": sda, write (97%)". */
static void print_where(FILE *f, const struct stack *stack, unsigned int i)
{
	unsigned int naxes;
	double share;
	const struct key *key = stack_where(stack, i, &naxes, &share);

	for (unsigned int a = 0; key && a < naxes; a++)
		fprintf(f, "%s%s", a ? ", " : ": ", key->axes[a].value);
	if (key && share < 0.995)
		fprintf(f, " (%.0f%%)", share * 100);
}

/*
 * A layer below whose operations may each serve several operations of `level`, or -1. That layer
 * has fewer operations, and their mean latency is at least half the own time of an operation of
 * `level`.
 */
static int waits_for_few(const struct stack *stack, const struct level *level)
{
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *below = &stack->levels[i];

		if (IN(level->below, i) && rate(below) < rate(level) &&
		    mean_of(below) >= each(level, level->own_most) / 2)
			return i;
	}
	return -1;
}

/* Print the verdict of a stack whose top layer adds most waiting time itself. */
static void print_own(FILE *f, const struct stack *stack)
{
	const struct verdict *v = &stack->verdict;
	const struct level *level = &stack->levels[v->first];
	int few = waits_for_few(stack, level), unknown = stack_unknown_below(stack, v->first);
	char all[FORMAT_LEN], own[FORMAT_LEN], each_below[FORMAT_LEN];

	format_latency(all, mean_of(level), 0);
	format_latency(own, each(level, v->of_root), 0);
	fprintf(f, "Of the %s that an operation of %s waits, %s%s are its own", all,
		level->layer->name, unknown < 0 ? "" : "at most ", level->below ? own : "all");
	print_where(f, stack, v->first);
	if (unknown >= 0) {
		fprintf(f, ". How long %s takes is not known", stack->levels[unknown].layer->name);
		return;
	}
	fprintf(f, ". No layer below %s", level->below ? "accounts for them" : "had operations");
	if (few < 0)
		return;
	format_latency(each_below, mean_of(&stack->levels[few]), 0);
	fprintf(f, ", unless several operations of %s wait for one of %s, which takes %s",
		level->layer->name, stack->levels[few].layer->name, each_below);
}

/* Print the verdict: in a layer more operations are under way than in the layers above. */
static void print_busier(FILE *f, const struct stack *stack)
{
	const struct verdict *v = &stack->verdict;
	const struct level *root = &stack->levels[v->root], *busier = &stack->levels[v->busier];
	char adds[FORMAT_LEN], above[FORMAT_LEN], below[FORMAT_LEN];

	format_number(adds, v->adds, 3, NUMBER - 2);
	format_number(above, root->waiting, 3, NUMBER - 2);
	format_number(below, busier->waiting, 3, NUMBER - 2);
	fprintf(f, "Most of the waiting, %s s a second, is in ", adds);
	print_names(f, stack, v->most);
	print_where(f, stack, v->first);
	fprintf(f,
		". Operations of %s wait %s s a second. How much of that is for %s is not known: "
		"%s has %s s a second, of operations in parallel or that nothing waits for "
		"(write-back, read-ahead)",
		root->layer->name, above, busier->layer->name, busier->layer->name, below);
}

/* Print the verdict: several top layers wait, or the top layer's mean latency is unknown. */
static void print_shared(FILE *f, const struct stack *stack)
{
	const struct verdict *v = &stack->verdict;
	char all[FORMAT_LEN], below[FORMAT_LEN];
	layer_set roots = v->roots | (layer_set)1 << v->root;
	double sum = 0;

	for (unsigned int i = 0; i < stack->n; i++)
		sum += IN(roots, i) ? stack->levels[i].waiting : 0;
	format_number(all, sum, 3, NUMBER - 2);
	format_number(below, v->of_root, 3, NUMBER - 2);
	fprintf(f, "Of the %s s a second that operations of ", all);
	print_names(f, stack, roots);
	fprintf(f, " wait, %s are of ", below);
	print_names(f, stack, v->most);
	print_where(f, stack, v->first);
}

/* Print the verdict: one layer at the top waits for a layer below. */
static void print_below(FILE *f, const struct stack *stack)
{
	const struct verdict *v = &stack->verdict;
	const struct level *root = &stack->levels[v->root];
	char all[FORMAT_LEN], below[FORMAT_LEN];

	format_latency(all, mean_of(root), 0);
	format_latency(below, each(root, v->of_root), 0);
	fprintf(f, "Of the %s that an operation of %s waits, %s are of ", all, root->layer->name,
		below);
	print_names(f, stack, v->most);
	print_where(f, stack, v->first);
}

/* The verdict as a sentence: why layers are marked with ">". The caller frees the text. */
static char *reason(const struct stack *stack)
{
	const struct verdict *v = &stack->verdict;
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	if (!v->most)
		fputs("No operation of any layer has ended", f);
	else if (v->busier >= 0)
		print_busier(f, stack);
	else if (v->roots & (v->roots - 1) || isnan(mean_of(&stack->levels[v->root])))
		print_shared(f, stack);
	else if (v->most == (layer_set)1 << v->root)
		print_own(f, stack);
	else
		print_below(f, stack);
	fputc('.', f);
	fclose(f);
	return xalloc(text);
}

/* What hangs, as "4 reads of dm-0 (bio) have been under way for up to 31s"; NULL: nothing. */
static char *what_hangs(const struct stack *stack)
{
	const struct key *key = stack->hangs;
	const char *op = key ? key_axis(key, "op") : NULL;
	char age[FORMAT_LEN], *of, *text;
	bool one = key && key->values.inflight == 1;

	if (!key)
		return NULL;
	op = op ? op : "operation";
	of = key_text(key, "op");
	text = xasprintf("%" PRIu64 " %s%s of %s (%s) %s been under way for %s%s",
			 key->values.inflight, op,
			 one                         ? ""
			 : op[strlen(op) - 1] == 'h' ? "es"
						     : "s",
			 of, stack->levels[stack->hangs_in].layer->name, one ? "has" : "have",
			 one ? "" : "up to ", format_latency(age, key->values.oldest, 0));
	free(of);
	return text;
}

/* Print a text in lines of at most `width` columns. Overwrites the text. */
static void print_wrapped(char *text, int width)
{
	int used = 0;
	char *word;

	while ((word = strsep(&text, " "))) {
		int columns = text_width(word);

		if (used && used + 1 + columns > width) {
			putchar('\n');
			used = 0;
		}
		printf("%s%s", used ? " " : "", word);
		used += (used > 0) + columns;
	}
	putchar('\n');
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

static void print_bar(const struct bar *bar, const struct level *level, double longest, int width)
{
	int all = longest > 0 ? ceil(level->waiting / longest * width - 1e-9) : 0;
	int own = all ? round(level->own_most / level->waiting * all) : 0;

	for (int i = 0; i < all; i++)
		fputs(i >= own ? bar->below : isnan(level->own) ? "?" : bar->own, stdout);
}

static void print_cells(const struct level *level)
{
	const struct values *v = &level->values;
	double seconds = level->seconds;
	char cells[NUMBERS][FORMAT_LEN];

	format_number(cells[0], figure(v, IOPS, seconds), 3, NUMBER - 2);
	format_number(cells[1], figure(v, THROUGHPUT, seconds) / 1024, 3, NUMBER - 2);
	format_latency(cells[2], figure(v, P50, seconds), 0);
	format_latency(cells[3], figure(v, P99, seconds), 0);
	format_latency(cells[4], figure(v, HIGHEST, seconds), 0);
	format_number(cells[5], level->waiting, 3, NUMBER - 2);
	for (int i = 0; i < NUMBERS; i++)
		printf("%*s", NUMBER, cells[i]);
}

static void print_head(const struct stack *stack, const struct source *s,
		       const struct interval *interval)
{
	char span[160];

	print_span(span, sizeof(span), interval->begin, interval->end);
	printf("layers%s%s on %s, %s\n", stack->target->name ? " of " : "",
	       stack->target->name ? stack->target->name : "", s->host, span);
	print_measured(interval);
	putchar('\n');
}

void stack_print_table(const struct stack *stack, const struct source *s,
		       const struct interval *interval)
{
	struct bar bar = find_bar();
	struct screen screen = { 0 };
	int title = 5, width;
	double longest = 0;
	bool all = false, unknown = false;
	char *text;

	screen_enter(&screen, false);
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		int length = strlen(level->layer->name) + 2 * level->all;

		title = length > title ? length : title;
		longest = fmax(longest, level->waiting);
		all |= level->all;
		unknown |= level->waiting > 0 && isnan(level->own);
	}
	width = output_width(WIDTH) - 1 - MARK - title - NUMBERS * NUMBER - 2;
	width = width < LEAST ? LEAST : width;
	text = what_hangs(stack);
	if (text)
		printf("%s.\n", text);
	free(text);
	print_head(stack, s, interval);
	printf("  %-*s%*s%*s%*s%*s%*s%*s  %s its own  %s below\n", title, "layer", NUMBER, "ops/s",
	       NUMBER, "MB/s", NUMBER, "p50", NUMBER, "p99", NUMBER, "max", NUMBER, "s/s", bar.own,
	       bar.below);
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct level *level = &stack->levels[i];
		bool marked = IN(stack->verdict.most, i);

		if (screen.colours && (marked || level->all))
			fputs(marked ? BOLD : DIM, stdout);
		printf("%c %-*s", marked ? '>' : ' ', title - 2 * level->all, level->layer->name);
		fputs(level->all ? " *" : "", stdout);
		print_cells(level);
		fputs(level->waiting > 0 ? "  " : "", stdout);
		print_bar(&bar, level, longest, width);
		puts(screen.colours && (marked || level->all) ? NORMAL : "");
	}
	putchar('\n');
	if (all)
		puts("* all keys: this layer cannot tell them apart");
	if (unknown)
		puts("? the layer's own time is not known");
	text = reason(stack);
	print_wrapped(text, output_width(WIDTH) - 1);
	free(text);
	putchar('\n');
}

/* Write the names of a set of layers as a JSON array. */
static void write_set(struct json *j, const char *name, const struct stack *stack, layer_set set)
{
	json_begin(j, name, '[');
	for (unsigned int i = 0; i < stack->n; i++)
		if (IN(set, i))
			json_put_string(j, NULL, stack->levels[i].layer->name);
	json_end(j, ']');
}

static void write_where(struct json *j, const struct stack *stack, unsigned int i)
{
	unsigned int naxes;
	double share;
	const struct key *key = stack_where(stack, i, &naxes, &share);

	if (!key) {
		json_put_string(j, "where", NULL);
		return;
	}
	json_begin(j, "where", '{');
	write_axes(j, key->axes, naxes);
	json_put_number(j, "share", "%.3f", share);
	json_end(j, '}');
}

static void write_level(struct json *j, const struct stack *stack, unsigned int i, double seconds)
{
	const struct level *level = &stack->levels[i];

	json_begin(j, NULL, '{');
	json_put_string(j, "layer", level->layer->name);
	json_put_integer(j, "rank", level->layer->rank);
	json_put_raw(j, "all", level->all ? "true" : "false");
	if (level->seconds != seconds)
		json_put_number(j, "seconds", "%.3f", level->seconds);
	write_operations(j, &level->values, level->seconds);
	json_put_number(j, "waiting", "%.3f", level->waiting);
	json_put_number(j, "waited", "%.3f", level->waited);
	json_put_number(j, "own", "%.3f", level->own);
	json_put_number(j, "own_at_most", "%.3f", level->own_most);
	write_set(j, "above", stack, level->above);
	write_where(j, stack, i);
	json_end(j, '}');
}

void stack_print_json(const struct stack *stack, const struct source *s,
		      const struct interval *interval)
{
	const struct verdict *v = &stack->verdict;
	struct json j = document_begin("layers", s->host);
	char *text = reason(stack), *hangs = what_hangs(stack);

	write_when(&j, interval);
	json_put_string(&j, "place", stack->target->name);
	json_put_string(&j, "hangs", hangs);
	json_begin(&j, "layers", '[');
	for (unsigned int i = 0; i < stack->n; i++)
		write_level(&j, stack, i, interval->seconds);
	json_end(&j, ']');
	write_set(&j, "most", stack, v->most);
	json_put_string(&j, "of", v->most ? stack->levels[v->root].layer->name : NULL);
	json_put_string(&j, "reason", text);
	document_end(&j);
	free(hangs);
	free(text);
}
