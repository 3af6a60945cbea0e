/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages, time and memory.
 */
#ifndef ESTAT_CLIENT_BASE_UTIL_H
#define ESTAT_CLIENT_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/xalloc.h"

/* Exit statuses. */
enum {
	EXIT_USAGE = 1,
	EXIT_NO_DATA = 2,
};

/* Say on the standard error what is wrong, and exit. */
__attribute__((noreturn, format(printf, 2, 3))) void die(int status, const char *format, ...);

/* What die() does first, as leaving a screen; NULL: nothing. */
extern void (*before_dying)(void);

/* Say something about the numbers on the standard error, unless silent. */
extern bool silent;
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* A time as text, in the time zone that libpcp uses; the format is strftime's. */
void print_time(char *text, size_t size, const char *format, double seconds);

/* From when to when, with the date, and that of its end if that is a day or more later. */
void print_span(char *text, size_t size, double begin, double end);

/* The first line of what is printed, and that between intervals. */
void print_date(double seconds);

/* The text that is most like this one, but for letters that were mistyped, or NULL. */
const char *most_alike(const char *text, const char *const *texts, unsigned int n);

/* Write what was printed. False, which is said once, if that cannot be. */
bool flush_output(void);

/* How wide the output is: a terminal's width, or $COLUMNS, else so much. */
int output_width(int otherwise);

/* What is waited for and measured is by a clock that nobody sets; the date is wall_time's. */
double clock_time(void);
double wall_time(void);

#endif /* ESTAT_CLIENT_BASE_UTIL_H */
