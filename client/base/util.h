/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, times and the standard output. */
#ifndef ESTAT_CLIENT_BASE_UTIL_H
#define ESTAT_CLIENT_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/xalloc.h"

/* Exit statuses besides 0. EXIT_USAGE: wrong usage, or the output cannot be written. */
enum {
	EXIT_USAGE = 1,
	EXIT_NO_DATA = 2,
};

/* Print a message to the standard error and exit. */
__attribute__((noreturn, format(printf, 2, 3))) void die(int status, const char *format, ...);

/* The function that die() calls before the message, to restore the terminal; or NULL. */
extern void (*before_dying)(void);

/* note(): print a note about the data to the standard error, but nothing while `silent`. */
extern bool silent;
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Write a date, in seconds since 1970, as text in libpcp's time zone. `format` is strftime's. */
void print_time(char *text, size_t size, const char *format, double seconds);

/* Write a span of time. The text of `end` has a date only if it is a day or more after `begin`. */
void print_span(char *text, size_t size, double begin, double end);

/* Print a date (seconds since 1970) and an empty line, before and between intervals. */
void print_date(double seconds);

/* The element of texts[n] most like `text`, as if mistyped; NULL: all elements differ too much. */
const char *most_alike(const char *text, const char *const *texts, unsigned int n);

/* For qsort(3): compare_texts() compares elements char *, compare_numbers() elements double. */
int compare_texts(const void *a, const void *b);
int compare_numbers(const void *a, const void *b);

/* Flush the standard output. Returns false, and prints a message once, if it cannot be written. */
bool flush_output(void);

/* The width of the output in columns: the terminal's width, else $COLUMNS, else `otherwise`. */
int output_width(int otherwise);

/* clock_time(): the monotonic clock, in seconds. wall_time(): the date, in seconds since 1970. */
double clock_time(void);
double wall_time(void);

#endif /* ESTAT_CLIENT_BASE_UTIL_H */
