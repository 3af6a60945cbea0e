/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, times and the output. */
#ifndef ESTAT_CLIENT_BASE_UTIL_H
#define ESTAT_CLIENT_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/xalloc.h"

/* Exit statuses: wrong usage or failed output; no data. 0 is success. */
enum {
	EXIT_USAGE = 1,
	EXIT_NO_DATA = 2,
};

/* Print a message to the standard error and exit. */
__attribute__((noreturn, format(printf, 2, 3))) void die(int status, const char *format, ...);

/* Called by die() before the message: restores the terminal. May be NULL. */
extern void (*before_dying)(void);

/* Print a note about the data to the standard error, unless `silent`. */
extern bool silent;
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Write a date, in seconds since 1970, as text in libpcp's time zone. `format` is strftime's. */
void print_time(char *text, size_t size, const char *format, double seconds);

/* Write two dates as a span. The second has a day only if it is a day or more after the first. */
void print_span(char *text, size_t size, double begin, double end);

/* Print the date line before the first interval and between intervals. */
void print_date(double seconds);

/* The one of n texts that is most similar to `text`, as if a few letters were mistyped; or NULL. */
const char *most_alike(const char *text, const char *const *texts, unsigned int n);

/* For qsort(3): arrays of texts, arrays of double. */
int compare_texts(const void *a, const void *b);
int compare_numbers(const void *a, const void *b);

/* Flush the standard output. Returns false, and prints a message once, if it cannot be written. */
bool flush_output(void);

/* The width of the terminal, or $COLUMNS, or else `otherwise`. */
int output_width(int otherwise);

/* The monotonic clock in seconds, for durations; the date in seconds since 1970. */
double clock_time(void);
double wall_time(void);

#endif /* ESTAT_CLIENT_BASE_UTIL_H */
