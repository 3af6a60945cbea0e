// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

bool first_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool is_read = f && fgets(line, size, f);

	if (f)
		fclose(f);
	line[is_read ? strcspn(line, "\n") : 0] = '\0';
	return *line;
}

char *read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (f && getdelim(&text, &size, '\0', f) <= 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

int scan_lines(const char *path, const char *format, ...)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int n = 0;

	while (f && n <= 0 && getline(&line, &size, f) > 0) {
		va_list values;

		va_start(values, format);
		n = vsscanf(line, format, values);
		va_end(values);
	}
	free(line);
	if (f)
		fclose(f);
	return n > 0 ? n : 0;
}
