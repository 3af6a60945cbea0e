// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "util.h"

bool silent;
void (*before_dying)(void);

bool flush_output(void)
{
	static bool reported;

	if (!fflush(stdout) && !ferror(stdout))
		return true;
	if (!reported)
		fprintf(stderr, "%s: cannot write: %s\n", pmGetProgname(), strerror(errno));
	reported = true;
	return false;
}

__attribute__((format(printf, 1, 0))) static void print_message(const char *format, va_list args)
{
	flush_output();
	fprintf(stderr, "%s: ", pmGetProgname());
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void die(int status, const char *format, ...)
{
	va_list args;

	if (before_dying)
		before_dying();
	va_start(args, format);
	print_message(format, args);
	va_end(args);
	exit(status);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!silent)
		print_message(format, args);
	va_end(args);
}

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

/* The Damerau-Levenshtein distance: the fewest letters to replace, insert, remove or swap. */
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

int output_width(int otherwise)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : otherwise;
}

static double seconds_by(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return pmtimespecToReal(&now);
}

double clock_time(void)
{
	return seconds_by(CLOCK_MONOTONIC);
}

double wall_time(void)
{
	return seconds_by(CLOCK_REALTIME);
}

int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}
