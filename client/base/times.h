/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dates, times and clocks. */
#ifndef ESTAT_CLIENT_BASE_TIMES_H
#define ESTAT_CLIENT_BASE_TIMES_H

#include <stddef.h>

/* Write a date, in seconds since 1970, as text in libpcp's time zone. `format` is strftime's. */
void print_time(char *text, size_t size, const char *format, double seconds);

/* Write a span of time. The text of `end` has a date only if it is a day or more after `begin`. */
void print_span(char *text, size_t size, double begin, double end);

/* Print a date (seconds since 1970) and an empty line, before and between intervals. */
void print_date(double seconds);

/* clock_time(): the monotonic clock, in seconds. wall_time(): the date, in seconds since 1970. */
double clock_time(void);
double wall_time(void);

#endif /* ESTAT_CLIENT_BASE_TIMES_H */
