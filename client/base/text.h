/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts: their width in terminal columns by the locale, and how they compare. */
#ifndef ESTAT_CLIENT_BASE_TEXT_H
#define ESTAT_CLIENT_BASE_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

/*
 * Return the first character of *text ('?' if it is not printable), set *columns to its width, and
 * move *text past it.
 */
wchar_t next_character(const char **text, int *columns);

/* The width of a text in terminal columns. */
int text_width(const char *text);

/* Print a text in at least `width` columns, aligned right; if `width` is negative, aligned left. */
void print_aligned(const char *text, int width);

/* Width in columns of lists, helps and messages. */
#define PAGE_WIDTH 80

/*
 * Print the words of a text in lines of at most PAGE_WIDTH columns. `column`: how many columns of
 * the first line are printed already; if that is not 0, a blank or a line break is printed before
 * the text. Other lines begin with `indent` blanks. A line break after a short line stays. Returns
 * how many columns of the last line are used.
 */
int print_words(FILE *f, const char *text, int column, int indent);

/* The element of texts[n] of which `text` may be a misspelling; NULL: no element is like it. */
const char *most_alike(const char *text, const char *const *texts, unsigned int n);

/* A glob that matches `text` and nothing else. The caller frees the glob. */
char *escape_glob(const char *text);

/* For qsort(3): compares elements of the type char *. */
int compare_texts(const void *a, const void *b);

/* Sort texts[n], and leave out repeats. Returns how many texts are left. */
unsigned int sort_texts(const char **texts, unsigned int n);

/* A list of texts[n] with ", " between two; "none so far" if n is 0. The caller frees the list. */
char *join_texts(const char *const *texts, unsigned int n);

/* The ending of `word` after the number n: "", "s" or "es". */
const char *plural_of(const char *word, uint64_t n);

/* The output's width in columns: the terminal's, else $COLUMNS, else `otherwise`. */
int output_width(int otherwise);

#endif /* ESTAT_CLIENT_BASE_TEXT_H */
