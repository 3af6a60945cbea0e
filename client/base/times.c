// SPDX-License-Identifier: GPL-2.0-or-later
#include <pcp/pmapi.h>
#include <stdio.h>
#include <time.h>

#include "times.h"

void print_time(char *text, size_t size, const char *format, double seconds)
{
	time_t whole = seconds;
	struct tm tm;

	pmLocaltime(&whole, &tm);
	strftime(text, size, format, &tm);
}

void print_span(char *text, size_t size, double begin, double end)
{
	char from[64], to[64];

	print_time(from, sizeof(from), "%D - %H:%M:%S", begin);
	print_time(to, sizeof(to), end - begin < 86400 ? "%H:%M:%S %Z" : "%D - %H:%M:%S %Z", end);
	snprintf(text, size, "%s to %s", from, to);
}

void print_date(double seconds)
{
	char text[64];

	print_time(text, sizeof(text), "%D - %H:%M:%S %Z", seconds);
	printf("%s\n\n", text);
}

static double seconds_by(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec + now.tv_nsec / 1e9; /* PCP 5 does not export pmtimespecToReal() */
}

double clock_time(void)
{
	return seconds_by(CLOCK_MONOTONIC);
}

double wall_time(void)
{
	return seconds_by(CLOCK_REALTIME);
}
