// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "escape.h"

char *unescape_name(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		bool octal = from[0] == '\\' && strspn(from + 1, "01234567") >= 3;

		*to = octal ? (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0') : *from;
		from += octal ? 4 : 1;
	}
	*to = '\0';
	return text;
}
