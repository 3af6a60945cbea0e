// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages, time and memory.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pcptime.h"
#include "util.h"

volatile sig_atomic_t stopped, resized;
bool silent;

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", pmGetProgname());
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(status);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!silent)
		say(format, args);
	va_end(args);
}

void print_time(char *text, size_t size, const char *format, double seconds)
{
	time_t whole = seconds;
	struct tm tm;

	pmLocaltime(&whole, &tm);
	strftime(text, size, format, &tm);
}

void *or_die(void *p)
{
	if (!p)
		die(EXIT_NO_DATA, "no memory");
	return p;
}

double clock_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return seconds_of_timespec(now);
}

bool sleep_until(double time)
{
	struct timespec until = timespec_of(time);

	while (!stopped && !resized && clock_time() < time)
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
	return !stopped && !resized;
}
