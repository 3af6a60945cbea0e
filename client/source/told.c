// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/escape.h"
#include "lib/xalloc.h"
#include "told.h"

char *told_word(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *word = text; word && *word; word += strspn(word, " ")) {
		size_t end = strcspn(word, " ");

		if (!strncmp(word, name, length) && word[length] == '=')
			return unescape_name(xalloc(strndup(word + length + 1, end - length - 1)));
		word += end;
	}
	return NULL;
}
