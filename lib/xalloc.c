// SPDX-License-Identifier: GPL-2.0-or-later
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "xalloc.h"

void (*xalloc_failed)(void);

void *xalloc(void *memory)
{
	if (memory)
		return memory;
	if (xalloc_failed)
		xalloc_failed();
	pmNotifyErr(LOG_CRIT, "out of memory");
	exit(1);
}

void *grow(void *array, unsigned int n, size_t size)
{
	return xalloc(realloc(array, (n + 1) * size));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return xalloc(text);
}
