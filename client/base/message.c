// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

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
