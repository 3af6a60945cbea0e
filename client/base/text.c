// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wctype.h>

#include "lib/xalloc.h"
#include "text.h"

#define FULL_LINE 60 /* least length of a line that a help text's author broke for lack of room */

wchar_t next_character(const char **text, int *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t length;

	*columns = 1;
	if (**text >= ' ' && **text <= '~')
		return *(*text)++;
	length = mbrtowc(&c, *text, strlen(*text), &state);
	if (length > MB_LEN_MAX) { /* an invalid byte */
		c = L'?';
		length = 1;
	}
	if (!iswprint(c) || wcwidth(c) < 0)
		c = L'?';
	*text += length;
	*columns = wcwidth(c);
	return c;
}

int text_width(const char *text)
{
	int all = 0, columns;

	while (*text) {
		next_character(&text, &columns);
		all += columns;
	}
	return all;
}

void print_aligned(const char *text, int width)
{
	int blanks = abs(width) - text_width(text);

	blanks = blanks > 0 ? blanks : 0;
	printf("%*s%s%*s", width > 0 ? blanks : 0, "", text, width > 0 ? 0 : blanks, "");
}

/*
 * Does print_words() keep the line break `at`? Yes if `at` ends a line shorter than FULL_LINE, or
 * if another line break or the end of the text follows.
 */
static bool break_stays(const char *text, const char *at)
{
	const char *begin = at;

	while (begin > text && begin[-1] != '\n')
		begin--;
	return at - begin < FULL_LINE || at[1] == '\n' || !at[1];
}

int print_words(FILE *f, const char *text, int column, int indent)
{
	const char *p = text;
	bool fresh = !column;

	while (*p) {
		size_t length = strcspn(p, " \n");

		if (length && !fresh && column + 1 + (int)length > PAGE_WIDTH) {
			column = fprintf(f, "\n%*s", indent, "") - 1;
			fresh = true;
		}
		if (length) {
			column += fprintf(f, "%s%.*s", fresh ? "" : " ", (int)length, p);
			fresh = false;
		}
		p += length;
		if (*p == '\n' && break_stays(text, p)) {
			column = fprintf(f, "\n%*s", indent, "") - 1;
			fresh = true;
		}
		p += *p != '\0';
	}
	return column;
}

/*
 * The optimal string alignment distance: the fewest edits that make `b` of `a`. An edit replaces,
 * inserts or removes a character, or swaps two neighbours. If `b` has 64 characters or more, the
 * length of `b`.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][64], n = strlen(b);
	unsigned int *row = rows[0], *above = rows[1], *before = rows[2];

	if (n >= sizeof(rows[0]) / sizeof(rows[0][0]))
		return n;
	for (unsigned int j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned int i = 1; a[i - 1]; i++) {
		unsigned int *last = before;

		before = above;
		above = row;
		row = last;
		row[0] = i;
		for (unsigned int j = 1; j <= n; j++) {
			unsigned int change = above[j - 1] + (a[i - 1] != b[j - 1]);
			unsigned int other = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;

			row[j] = change < other ? change : other;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
	}
	return row[n];
}

const char *most_alike(const char *text, const char *const *texts, unsigned int n)
{
	unsigned int least = (strlen(text) + 1) / 3;
	const char *best = NULL;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int d = distance(text, texts[i]);

		if (d > least || (best && d == least))
			continue;
		least = d;
		best = texts[i];
	}
	return best;
}

const char *plural_of(const char *word, uint64_t n)
{
	if (n == 1)
		return "";
	return word[strlen(word) - 1] == 'h' ? "es" : "s";
}

int output_width(int otherwise)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : otherwise;
}

int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

unsigned int sort_texts(const char **texts, unsigned int n)
{
	unsigned int found = 0;

	if (n)
		qsort(texts, n, sizeof(*texts), compare_texts);
	for (unsigned int i = 0; i < n; i++)
		if (!found || strcmp(texts[i], texts[found - 1]))
			texts[found++] = texts[i];
	return found;
}

char *join_texts(const char *const *texts, unsigned int n)
{
	char *joined = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&joined, &size));

	if (!n)
		fputs("none so far", f);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? ", " : "", texts[i]);
	fclose(f);
	return xalloc(joined);
}

char *escape_glob(const char *text)
{
	char *copy = xalloc(malloc(2 * strlen(text) + 1)), *to = copy;

	for (; *text; *to++ = *text++)
		if (strchr("*?[\\", *text))
			*to++ = '\\';
	*to = '\0';
	return copy;
}
