// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "text.h"

wchar_t next_character(const char **text, int *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t length;

	*columns = 1;
	if (**text >= ' ' && **text <= '~')
		return *(*text)++;
	length = mbrtowc(&c, *text, strlen(*text), &state);
	if (length > MB_LEN_MAX) { /* an invalid byte */
		c = L'?';
		length = 1;
	}
	if (!iswprint(c) || wcwidth(c) < 0)
		c = L'?';
	*text += length;
	*columns = wcwidth(c);
	return c;
}

int text_width(const char *text)
{
	int all = 0, columns;

	while (*text) {
		next_character(&text, &columns);
		all += columns;
	}
	return all;
}

void print_aligned(const char *text, int width)
{
	int blanks = abs(width) - text_width(text);

	blanks = blanks > 0 ? blanks : 0;
	printf("%*s%s%*s", width > 0 ? blanks : 0, "", text, width > 0 ? 0 : blanks, "");
}
