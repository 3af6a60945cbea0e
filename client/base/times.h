/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dates, times and clocks. */
#ifndef ESTAT_CLIENT_BASE_TIMES_H
#define ESTAT_CLIENT_BASE_TIMES_H

#include <stddef.h>

/* Write a date (seconds since 1970) as text in libpcp's time zone. `format` is strftime(3)'s. */
void print_time(char *text, size_t size, const char *format, double seconds);

/* Write "BEGIN to END". END is without a date if it is less than 24 hours after BEGIN. */
void print_span(char *text, size_t size, double begin, double end);

/* Print a date (seconds since 1970), and an empty line. */
void print_date(double seconds);

/* clock_time(): the monotonic clock, in seconds. wall_time(): the date, in seconds since 1970. */
double clock_time(void);
double wall_time(void);

#endif /* ESTAT_CLIENT_BASE_TIMES_H */
